import fc from 'fast-check';
import t from 'tap';
import {
  ALL_FORCED,
  checkForcedNodes,
  type ForcedNodes,
  NOTHING_FORCED,
  validateForcedNodes,
} from '../../../src/domain/recipe/forced-nodes.ts';
import { diffRevisions, reprocess, reprocessProblem } from '../../../src/domain/recipe/reprocess.ts';
import { requeueJobs } from '../../../src/domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { makeOutput } from '../../support/fakes/task-reports.ts';
import { ROOT, TreeWorld } from '../../support/worlds/tree-world.ts';
import { fileInput, makeRecipeRevision, type NodeSpec } from '../../support/worlds/type-revisions.ts';

const NEXT = 50;
const job = (revision: number): NonNullable<NodeSpec['job']> => ({ jobTypeRevId: revision, jobTypeId: 5 });
const forcing = (...nodes: string[]): ForcedNodes => ({ all: false, nodes, sub_recipes: {} });

/** A revision of a recipe type whose definition says which revision of its job type each job node has. */
function revisionOf(nodes: Record<string, NodeSpec & { readonly rev?: number }>): RecipeTypeRevision {
  const made = makeRecipeRevision(nodes);
  const definition = made.definition;
  for (const [name, { rev }] of Object.entries(nodes)) {
    const type = definition.nodes[name]?.node_type;
    if (type?.node_type === 'job')
      Object.assign(type, { job_type_name: 'work', job_type_revision: rev ?? 1 });
  }
  return made;
}

function again(world: TreeWorld, next: RecipeTypeRevision, forced = NOTHING_FORCED, recipeId = NEXT) {
  world.rows.know(next);
  const order = {
    revision: next,
    forced,
    eventId: 8,
    batchId: null,
    batchMemberId: null,
    batchPriority: null,
  };
  return world.run((turn) => reprocess(turn, { ...order, recipeId }));
}

const chain = () =>
  revisionOf({ A: { job: job(1) }, B: { after: ['A'], job: job(1) }, C: { after: ['B'], job: job(1) } });
const jobs = (world: TreeWorld) => world.rows.tables.jobs;
const at = (world: TreeWorld, recipe: number, node: string) => world.rows.jobId(recipe, node);

t.test('reprocess: unchanged jobs are kept, and changed ones and all behind them are done again', (t) => {
  const world = new TreeWorld(chain());
  world.complete('A');
  world.complete('B');
  const next = revisionOf({
    A: { job: job(1) },
    B: { after: ['A'], job: job(2), rev: 2 },
    C: { after: ['B'], job: job(1) },
    D: { after: ['A'], job: job(1) },
  });
  const diff = diffRevisions(
    world.progress.tree.recipes.get(ROOT)?.revision as RecipeTypeRevision,
    next,
    NOTHING_FORCED,
  );
  const shown = Object.entries(diff.nodes).map(([name, one]) => [
    name,
    one.status,
    one.changes.map((c) => c.name),
  ]);
  t.strictSame(shown.sort(), [
    ['A', 'UNCHANGED', []],
    ['B', 'CHANGED', ['JOB_TYPE_REVISION_CHANGE']],
    ['C', 'CHANGED', ['PARENT_CHANGED']],
    ['D', 'NEW', []],
  ]);
  const [oldB, oldC] = [at(world, ROOT, 'B'), at(world, ROOT, 'C')];
  again(world, next);

  t.equal(at(world, NEXT, 'A'), at(world, ROOT, 'A'), 'A is shared');
  t.same(world.rows.nodeOf(NEXT, 'A')?.isOriginal, false);
  t.same(jobs(world).get(at(world, NEXT, 'A'))?.recipeIds, [ROOT, NEXT]);
  t.equal(world.rows.status(NEXT, 'B'), 'QUEUED');
  t.equal(world.rows.status(NEXT, 'D'), 'QUEUED');
  t.equal(world.rows.status(NEXT, 'C'), 'PENDING');
  t.match(jobs(world).get(oldB), { isSuperseded: true, status: 'COMPLETED' });
  t.match(jobs(world).get(oldC), { isSuperseded: true, status: 'CANCELED' });
  t.equal(jobs(world).get(at(world, NEXT, 'B'))?.new.supersededJobId, oldB);
  t.equal(jobs(world).get(at(world, NEXT, 'D'))?.new.supersededJobId, null);
  t.match(world.rows.tables.recipes.get(ROOT), { isSuperseded: true });
  t.match(world.rows.tables.recipes.get(NEXT)?.new, {
    supersededRecipeId: ROOT,
    chainId: ROOT,
    rootId: NEXT,
  });
  t.same(world.rows.unpublished, [], 'products of B stay until B is done again');
  world.complete('B', {}, NEXT);
  t.same(world.rows.unpublished, [oldB]);
  t.end();
});

t.test('reprocess: forcing a node does all nodes behind it again', (t) => {
  const world = new TreeWorld(chain());
  world.complete('A');
  again(world, chain(), forcing('B'));
  t.equal(at(world, NEXT, 'A'), at(world, ROOT, 'A'));
  t.not(at(world, NEXT, 'B'), at(world, ROOT, 'B'));
  t.not(at(world, NEXT, 'C'), at(world, ROOT, 'C'));
  again(world, chain(), ALL_FORCED, NEXT + 1);
  t.not(at(world, NEXT + 1, 'A'), at(world, NEXT, 'A'));
  t.end();
});

t.test('reprocess: a running job that is kept advances the new recipe when it ends', (t) => {
  const world = new TreeWorld(chain());
  const running = world.place('A');
  const stopped = again(world, chain(), forcing('C'));
  t.same(stopped.liveJobIds, []);
  world.load();
  world.end(running);
  t.equal(world.rows.status(NEXT, 'B'), 'QUEUED');
  world.complete('B', {}, NEXT);
  world.complete('C', {}, NEXT);
  t.equal(world.rows.tables.recipes.get(NEXT)?.isCompleted, true);
  t.equal(world.rows.tables.recipes.get(ROOT)?.isCompleted, false, 'the superseded recipe does not advance');
  t.end();
});

t.test('reprocess: a running job that is replaced is canceled, and its late report is void', (t) => {
  const world = new TreeWorld(chain());
  const running = world.place('A');
  const stopped = again(world, chain(), ALL_FORCED);
  t.same(stopped.liveJobIds, [running.jobId]);
  t.equal(jobs(world).get(running.jobId)?.status, 'CANCELED');
  t.match(world.end(running).results, [{ isVoid: true }]);
  t.equal(world.rows.status(NEXT, 'A'), 'QUEUED');
  t.end();
});

t.test('reprocess: a repeated report of a complete superseded job is not void', (t) => {
  const world = new TreeWorld(chain());
  const done = world.place('A');
  world.end(done);
  again(world, chain(), ALL_FORCED);
  world.load();
  t.match(world.end(done).results, [{ isVoid: false }], 'its products are kept');
  t.end();
});

t.test('reprocess: a failed job that is kept blocks the new recipe until it is requeued', (t) => {
  const world = new TreeWorld(chain());
  world.fail('A');
  again(world, chain(), forcing('C'));
  t.equal(world.rows.status(NEXT, 'B'), 'BLOCKED');
  t.equal(world.rows.status(NEXT, 'C'), 'BLOCKED');
  world.requeue('A');
  t.equal(world.rows.status(NEXT, 'C'), 'PENDING');
  t.end();
});

t.test('reprocess: superseded jobs are neither canceled nor requeued', (t) => {
  const world = new TreeWorld(chain());
  world.fail('A');
  again(world, chain(), ALL_FORCED);
  t.same(world.requeue('A', 'B').jobIds, []);
  t.same(world.cancel('A', 'B').jobIds, []);
  t.end();
});

t.test('reprocess: jobs that the new definition lacks are superseded and unpublished', (t) => {
  const world = new TreeWorld(chain());
  world.complete('A');
  world.complete('B');
  const [oldB, oldC] = [at(world, ROOT, 'B'), at(world, ROOT, 'C')];
  again(world, revisionOf({ A: { job: job(1) } }));
  t.same(world.rows.unpublished, [oldB, oldC]);
  t.ok(jobs(world).get(oldC)?.isSuperseded);
  t.equal(world.rows.tables.recipes.get(NEXT)?.isCompleted, true, 'nothing is left to do');
  t.end();
});

const inner = (rev: number) => revisionOf({ X: { job: job(1) }, Y: { after: ['X'], job: job(rev), rev } });
function outer(sub: RecipeTypeRevision, revision: number, revA = 1): RecipeTypeRevision {
  const made = revisionOf({
    A: { job: job(revA), rev: revA },
    S: { after: ['A'], sub },
    Z: { after: ['S'], job: job(1) },
  });
  const definition = made.definition as { nodes: Record<string, { node_type: object }> };
  Object.assign(definition.nodes.S?.node_type ?? {}, {
    recipe_type_name: 'in',
    recipe_type_revision: revision,
  });
  return made;
}
const subOf = (world: TreeWorld, recipe: number) => {
  const state = world.rows.nodeOf(recipe, 'S');
  return state?.kind === 'recipe' ? state.recipeId : 0;
};

t.test('reprocess: an unchanged sub-recipe is kept and continues', (t) => {
  const sub = inner(1);
  const world = new TreeWorld(outer(sub, 1));
  world.complete('A');
  const shared = subOf(world, ROOT);
  world.complete('X', {}, shared);
  again(world, outer(sub, 1), forcing('Z'));
  t.equal(subOf(world, NEXT), shared);
  t.match(world.rows.tables.recipes.get(NEXT)?.new.carried, { total: 1, completed: 0 });
  t.same(jobs(world).get(at(world, shared, 'Y'))?.recipeIds, [shared, ROOT, NEXT]);
  world.load();
  world.complete('Y', {}, shared);
  t.equal(world.rows.status(NEXT, 'Z'), 'QUEUED', 'the new recipe sees it complete');
  world.complete('Z', {}, NEXT);
  t.equal(world.rows.tables.recipes.get(NEXT)?.isCompleted, true);
  t.end();
});

t.test('reprocess: unchanged jobs inside a sub-recipe of a new revision are kept', (t) => {
  const world = new TreeWorld(outer(inner(1), 1));
  world.complete('A');
  const old = subOf(world, ROOT);
  world.complete('X', {}, old);
  world.complete('Y', {}, old);
  again(world, outer(inner(2), 2));
  const fresh = subOf(world, NEXT);
  t.not(fresh, old);
  t.match(world.rows.tables.recipes.get(fresh)?.new, { supersededRecipeId: old, parentId: NEXT });
  t.match(world.rows.tables.recipes.get(old), { isSuperseded: true });
  t.equal(at(world, fresh, 'X'), at(world, old, 'X'));
  t.equal(world.rows.status(fresh, 'Y'), 'QUEUED');
  t.equal(jobs(world).get(at(world, fresh, 'Y'))?.new.supersededJobId, at(world, old, 'Y'));
  t.same(jobs(world).get(at(world, fresh, 'X'))?.recipeIds, [old, ROOT, fresh, NEXT]);
  t.end();
});

t.test('reprocess: all jobs of a sub-recipe behind a changed job are done again', (t) => {
  const sub = inner(1);
  const world = new TreeWorld(outer(sub, 1));
  world.complete('A');
  const old = subOf(world, ROOT);
  world.complete('X', {}, old);
  again(world, outer(sub, 1, 2));
  const fresh = subOf(world, NEXT);
  t.not(at(world, fresh, 'X'), at(world, old, 'X'));
  t.ok(jobs(world).get(at(world, old, 'X'))?.isSuperseded);
  t.end();
});

t.test('reprocess: forcing a sub-recipe keeps its jobs, except those that sub_recipes names', (t) => {
  const sub = inner(1);
  const world = new TreeWorld(outer(sub, 1));
  world.complete('A');
  world.complete('X', {}, subOf(world, ROOT));
  again(world, outer(sub, 1), forcing('S'));
  t.not(subOf(world, NEXT), subOf(world, ROOT));
  t.equal(at(world, subOf(world, NEXT), 'X'), at(world, subOf(world, ROOT), 'X'));
  again(world, outer(sub, 1), { all: false, nodes: ['S'], sub_recipes: { S: forcing('X') } }, NEXT + 1);
  t.not(at(world, subOf(world, NEXT + 1), 'X'), at(world, subOf(world, NEXT), 'X'));
  t.end();
});

const branching = () =>
  revisionOf({
    A: { job: job(1) },
    C: { after: ['A'], condition: { files: [fileInput('X')], json: [] }, input: { X: 'A.OUT' } },
    D: { after: [{ name: 'C', acceptance: true }], job: job(1) },
  });

t.test(
  'reprocess: an evaluated condition keeps its verdict, and another one is evaluated for the new recipe',
  (t) => {
    const world = new TreeWorld(branching());
    world.complete('A', { outputs: [makeOutput('OUT', 'jobs/work/1.0.0/job_exe_1/a.txt')] });
    again(world, branching(), NOTHING_FORCED);
    t.equal(world.rows.status(NEXT, 'C'), 'unprocessed');
    t.ok(world.asks.some((ask) => ask.recipeId === NEXT));
    world.asks.splice(0, world.asks.length, ...world.asks.filter((ask) => ask.recipeId === NEXT));
    world.answer('C', true);
    t.equal(world.rows.status(NEXT, 'D'), 'QUEUED');
    again(world, branching(), forcing('D'), NEXT + 1);
    t.equal(world.rows.status(NEXT + 1, 'C'), 'accepted');
    t.equal(world.rows.status(NEXT + 1, 'D'), 'QUEUED');
    t.end();
  },
);

t.test('reprocessProblem: says why a recipe cannot be reprocessed', (t) => {
  const input = { files: { SRC: [1] }, json: {} };
  const old = { revision: chain(), input };
  t.match(reprocessProblem(old, chain(), NOTHING_FORCED), { name: 'NOTHING_TO_REPROCESS' });
  t.equal(reprocessProblem(old, chain(), forcing('A')), undefined);
  const demanding = chain();
  const files = [fileInput('SRC'), { ...fileInput('OTHER'), required: true }];
  Object.assign(demanding.definition, { input: { files, json: [] } });
  t.match(reprocessProblem(old, demanding, ALL_FORCED), { name: 'CANNOT_BE_REPROCESSED' });
  const diff = diffRevisions(old.revision, demanding, ALL_FORCED);
  t.match(diff, { can_be_reprocessed: false, reasons: [{ name: 'INPUT_CHANGE' }] });
  t.notOk(Object.values(diff.nodes).some((node) => node.reprocess_new_node));
  t.end();
});

t.test('forced nodes: names must be nodes, and ineffective ones cause warnings', (t) => {
  const next = outer(inner(1), 1);
  const inside = { all: false, nodes: ['Q'], sub_recipes: {} };
  const checked = checkForcedNodes(
    { all: false, nodes: ['A', 'N'], sub_recipes: { A: inside, S: inside } },
    next,
  );
  t.notOk(checked.ok);
  const paths = checked.ok ? [] : checked.errors.map((error) => error.path);
  t.strictSame(paths.sort(), ['nodes[1]', 'sub_recipes.A', 'sub_recipes.S.nodes[0]']);
  t.match(checkForcedNodes(forcing('S'), next), { ok: true, warnings: [{ name: 'SUB_RECIPE_NOT_FORCED' }] });
  const extra = validateForcedNodes({ all: true, nodes: ['A'] });
  t.match(extra, { ok: true, value: ALL_FORCED, warnings: [{ name: 'FORCED_NODES_IGNORED' }] });
  t.end();
});

/** A job must name exactly the recipes that hold it, and the last recipe of the chain must complete. */
t.test(
  'reprocess: after any number of reprocesses the current recipe completes with each job held once',
  (t) => {
    const moves = fc.array(
      fc.record({
        what: fc.constantFrom('end', 'fail', 'place', 'reprocess', 'load'),
        which: fc.nat(10),
        force: fc.constantFrom<readonly string[]>([], ['A'], ['S'], ['Z'], ['A', 'Z']),
        rev: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(moves, (steps) => {
        const world = new TreeWorld(outer(inner(1), 1));
        let root = ROOT;
        for (const { what, which, force, rev } of steps) {
          if (what === 'load') world.load();
          const waiting = world.rows.jobIds('QUEUED');
          const queued = waiting[which % Math.max(1, waiting.length)];
          if (what === 'place' && queued !== undefined) world.rows.place(queued);
          const running = world.rows.running()[which % Math.max(1, world.rows.running().length)];
          if (what === 'end' && running !== undefined) world.end(running);
          if (what === 'fail' && running !== undefined) {
            world.end(running, {
              outcome: 'failed',
              error: { name: 'algorithm-unknown', isBuiltin: true, detail: '' },
            });
          }
          if (what === 'reprocess') {
            const next = outer(inner(rev), rev);
            again(world, next, forcing(...force), (root === ROOT ? NEXT : root) + 1);
            root = root === ROOT ? NEXT + 1 : root + 1;
          }
        }
        world.load();
        finish(world);
        const end = world.rows.tables.recipes.get(root);
        if (end?.isCompleted !== true) throw new Error(`recipe ${root} is not complete`);
        for (const [id, recipe] of world.rows.tables.recipes) {
          if (id === root && recipe.isSuperseded) throw new Error('the root is superseded');
          if (id !== root && recipe.new.parentId === null && !recipe.isSuperseded)
            throw new Error('two roots');
        }
        for (const node of ['A', 'Z']) {
          const row = world.rows.tables.jobs.get(at(world, root, node));
          if (row?.status !== 'COMPLETED' || row.isSuperseded) throw new Error(`${node} is ${row?.status}`);
        }
        for (const [id, row] of world.rows.tables.jobs) {
          const holders = [...world.rows.tables.nodes.values()].filter(
            ({ state }) => state.kind === 'job' && state.jobId === id,
          );
          if (holders.some((one) => !row.recipeIds.includes(one.recipeId)))
            throw new Error(`job ${id}: holders`);
          if (new Set(row.recipeIds).size < row.recipeIds.length) throw new Error(`job ${id} counts twice`);
          const isHeld = holders.some((one) => !world.rows.tables.recipes.get(one.recipeId)?.isSuperseded);
          if (isHeld === row.isSuperseded) throw new Error(`job ${id}: superseded ${row.isSuperseded}`);
          const isLive = row.status === 'QUEUED' || row.status === 'RUNNING' || row.status === 'PENDING';
          if (row.isSuperseded && isLive) throw new Error(`superseded job ${id} is ${row.status}`);
        }
      }),
      { numRuns: 300 },
    );
    t.end();
  },
);

/** Works off everything that can be worked off. */
function finish(world: TreeWorld): void {
  for (let round = 0; round < 100; round += 1) {
    const failed = world.rows.jobIds('FAILED', 'CANCELED').filter((id) => !jobs(world).get(id)?.isSuperseded);
    if (failed.length > 0) {
      world.run((turn) => requeueJobs(turn, { jobIds: failed }));
    }
    for (const id of world.rows.jobIds('QUEUED')) world.rows.place(id);
    const running = world.rows.running();
    if (running.length === 0 && failed.length === 0) return;
    for (const execution of running) world.end(execution);
  }
}

import t from 'tap';
import { makeOutput } from '../../support/fakes/task-reports.ts';
import { ROOT, TreeWorld } from '../../support/worlds/tree-world.ts';
import {
  fileInput,
  makeJobRevision,
  makeManifest,
  makeRecipeRevision,
} from '../../support/worlds/type-revisions.ts';

const OUTPUT = { files: [fileInput('X')], json: [] };
const product = { outputs: [makeOutput('OUT', 'jobs/work/1.0.0/job_exe_1/a.txt')] };

/** A; B after A; C a condition after A; D when C accepts; E when C refuses; F after D. */
const branching = () =>
  makeRecipeRevision({
    A: { input: { IN: '@SRC' } },
    B: { after: ['A'], input: { MORE: 'A.OUT' } },
    C: { after: ['A'], condition: OUTPUT, input: { X: 'A.OUT' } },
    D: { after: [{ name: 'C', acceptance: true }] },
    E: { after: [{ name: 'C', acceptance: false }], input: { MORE: 'C.X' } },
    F: { after: ['D'] },
  });
const NODES = ['A', 'B', 'C', 'D', 'E', 'F'];

t.test('advance: the documented recipe advances as described, with a refused condition', async (t) => {
  const world = new TreeWorld(branching());
  t.same(world.walk(...NODES), ['QUEUED', 'PENDING', 'unprocessed', 'absent', 'absent', 'absent', 'open']);
  world.fail('A');
  t.same(world.walk(...NODES), ['FAILED', 'BLOCKED', 'unprocessed', 'absent', 'absent', 'absent', 'open']);
  world.requeue('A');
  t.same(world.walk(...NODES), ['QUEUED', 'PENDING', 'unprocessed', 'absent', 'absent', 'absent', 'open']);
  world.complete('A', product);
  t.same(world.walk(...NODES), ['COMPLETED', 'QUEUED', 'unprocessed', 'absent', 'absent', 'absent', 'open']);
  t.equal(world.asks[0]?.data.files.X?.length, 1, 'the condition examines the output of A');
  world.answer('C', false);
  t.same(world.walk(...NODES), ['COMPLETED', 'QUEUED', 'refused', 'absent', 'QUEUED', 'absent', 'open']);
  world.complete('B');
  world.complete('E');
  t.same(world.walk(...NODES), [
    'COMPLETED',
    'COMPLETED',
    'refused',
    'absent',
    'COMPLETED',
    'absent',
    'complete',
  ]);
  t.equal(world.rows.tables.jobs.size, 3, 'only created jobs count');
});

t.test('advance: an accepted condition starts the nodes behind its acceptance', async (t) => {
  const world = new TreeWorld(branching());
  world.complete('A', product);
  world.answer('C', true);
  t.same(world.walk(...NODES), ['COMPLETED', 'QUEUED', 'accepted', 'QUEUED', 'absent', 'PENDING', 'open']);
  for (const node of ['D', 'F', 'B']) world.complete(node);
  t.equal(world.walk().at(-1), 'complete');
});

t.test('advance: a condition on few JSON values is evaluated in the same turn', async (t) => {
  const takes = { files: [], json: [{ name: 'N', type: 'integer' as const, required: false }] };
  const few = { name: 'N', type: 'integer' as const, condition: '<' as const, values: [2] };
  const filterOf = (length: number) => ({
    filters: Array.from({ length }, () => ({ ...few, all_fields: true, all_files: false })),
    all: true,
  });
  const walked = (n: number, length = 1) => {
    const nodes = {
      C: { condition: takes, filter: filterOf(length), input: { N: '@N' } },
      D: { after: [{ name: 'C', acceptance: true }] },
      E: { after: [{ name: 'C', acceptance: false }], input: {} },
    };
    const world = new TreeWorld(makeRecipeRevision(nodes, takes), { files: {}, json: { N: n } }, []);
    return { world, walk: world.walk('C', 'D', 'E') };
  };
  const accepted = walked(3);
  t.same(accepted.walk, ['accepted', 'QUEUED', 'absent', 'open']);
  t.same(accepted.world.asks, []);
  const refused = walked(1);
  t.same(refused.walk, ['refused', 'absent', 'QUEUED', 'open']);
  t.match([...refused.world.rows.tables.conditions.values()][0]?.reason, /^N \d+ is not /);
  const long = walked(3, 20_001);
  t.same(long.walk, ['unprocessed', 'absent', 'absent', 'open']);
  t.equal(long.world.asks.length, 1, 'a filter that may take long is evaluated in a thread');
});

t.test('advance: a condition on large data is evaluated in a thread', async (t) => {
  const takes = { files: [], json: [{ name: 'O', type: 'object' as const, required: false }] };
  const entry = { name: 'O', type: 'object' as const, condition: 'superset of' as const, values: [{ a: 1 }] };
  const filter = { filters: [{ ...entry, all_fields: true, all_files: false }], all: true };
  const asksOf = (size: number) => {
    const value = Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at]));
    const nodes = { C: { condition: takes, filter, input: { O: '@O' } } };
    return new TreeWorld(makeRecipeRevision(nodes, takes), { files: {}, json: { O: value } }, []).asks.length;
  };
  t.same([asksOf(10), asksOf(30_000)], [0, 1]);
});

t.test('advance: a canceled job blocks the jobs behind it, and a requeue releases them', async (t) => {
  const world = new TreeWorld(makeRecipeRevision({ A: {}, B: { after: ['A'] }, C: { after: ['B'] } }));
  world.cancel('B');
  t.same(world.walk('A', 'B', 'C'), ['QUEUED', 'CANCELED', 'BLOCKED', 'open']);
  world.complete('A');
  t.same(world.walk('A', 'B', 'C'), ['COMPLETED', 'CANCELED', 'BLOCKED', 'open'], 'it was never queued');
  world.requeue('B');
  t.same(world.walk('A', 'B', 'C'), ['COMPLETED', 'QUEUED', 'PENDING', 'open']);
});

t.test('advance: a recipe without nodes is complete at once', async (t) => {
  t.same(new TreeWorld(makeRecipeRevision({})).walk(), ['complete']);
});

t.test('advance: the end of a sub-recipe advances its parent in the same turn', async (t) => {
  const inner = makeRecipeRevision({ I: { input: { IN: '@SRC' } } });
  const world = new TreeWorld(
    makeRecipeRevision({
      A: { input: { IN: '@SRC' } },
      S: { after: ['A'], sub: inner, input: { SRC: '@SRC' } },
      Z: { after: ['S'] },
    }),
  );
  const sub = world.rows.nodeOf(ROOT, 'S');
  const subId = sub?.kind === 'recipe' ? sub.recipeId : 0;
  t.equal(world.rows.status(subId, 'I'), 'PENDING', 'inner nodes exist before the sub-recipe has its input');

  world.complete('A');
  t.equal(world.rows.status(subId, 'I'), 'QUEUED');
  t.same(world.rows.tables.recipes.get(subId)?.input?.input.files, { SRC: [1] });

  world.complete('I', {}, subId);
  t.same(world.walk('S', 'Z'), ['complete', 'QUEUED', 'open']);
});

t.test('advance: a failure blocks jobs across the borders of sub-recipes, inward and outward', async (t) => {
  const inner = makeRecipeRevision({ I: {}, K: { after: ['I'] } });
  const revision = makeRecipeRevision({ A: {}, S: { after: ['A'], sub: inner }, Z: { after: ['S'] } });
  const world = new TreeWorld(revision);
  const sub = world.rows.nodeOf(ROOT, 'S');
  const subId = sub?.kind === 'recipe' ? sub.recipeId : 0;
  const inside = () => ['I', 'K'].map((node) => world.rows.status(subId, node));

  world.fail('A');
  t.same([...inside(), world.rows.status(ROOT, 'Z')], ['BLOCKED', 'BLOCKED', 'BLOCKED']);
  world.requeue('A');
  t.same([...inside(), world.rows.status(ROOT, 'Z')], ['PENDING', 'PENDING', 'PENDING']);
  world.complete('A');
  world.fail('I', subId);
  t.same([...inside(), world.rows.status(ROOT, 'Z')], ['FAILED', 'BLOCKED', 'BLOCKED']);
});

const NEEDY = makeManifest({
  interface: {
    ...makeManifest().job.interface,
    inputs: {
      files: [{ name: 'IN', required: true, multiple: false, mediaTypes: [], partial: false }],
      json: [],
    },
  },
});
const needy = () => makeJobRevision({ manifest: NEEDY });

t.test(
  'advance: a job without its required input fails with invalid-input and blocks the jobs behind it',
  async (t) => {
    const world = new TreeWorld(
      makeRecipeRevision({
        A: {},
        B: { after: ['A'], job: needy(), input: { IN: 'A.OUT' } },
        C: { after: ['B'] },
      }),
    );
    world.complete('A');
    t.same(world.walk('A', 'B', 'C'), ['COMPLETED', 'FAILED', 'BLOCKED', 'open']);
    t.equal(world.rows.tables.jobs.get(world.rows.jobId(ROOT, 'B'))?.error, 'invalid-input');
    world.requeue('B');
    t.equal(world.rows.status(ROOT, 'B'), 'FAILED', 'its input would be the same again');
  },
);

t.test('advance: a root job without its required input fails at the start', async (t) => {
  const world = new TreeWorld(makeRecipeRevision({ A: { job: needy() } }));
  t.same(world.walk('A'), ['FAILED', 'open']);
});

t.test('advance: a condition without its required data is refused with a reason', async (t) => {
  const required = { files: [fileInput('X', { required: true })], json: [] };
  const world = new TreeWorld(
    makeRecipeRevision({
      A: {},
      C: { after: ['A'], condition: required, input: { X: 'A.OUT' } },
      D: { after: [{ name: 'C', acceptance: false }] },
    }),
  );
  world.complete('A');
  t.same(world.walk('C', 'D'), ['refused', 'QUEUED', 'open']);
  t.match([...world.rows.tables.conditions.values()][0]?.reason, /'X'/);
  t.same(world.asks, []);
});

t.test('advance: the first jobs of a sub-recipe without its required input fail', async (t) => {
  const inner = makeRecipeRevision(
    { I: {}, K: { after: ['I'] } },
    { files: [fileInput('SRC', { required: true })], json: [] },
  );
  const world = new TreeWorld(
    makeRecipeRevision({
      A: {},
      S: { after: ['A'], sub: inner, input: { SRC: 'A.OUT' } },
      Z: { after: ['S'] },
    }),
  );
  world.complete('A');
  const sub = world.rows.nodeOf(ROOT, 'S');
  const subId = sub?.kind === 'recipe' ? sub.recipeId : 0;
  t.same(
    ['I', 'K'].map((node) => world.rows.status(subId, node)),
    ['FAILED', 'BLOCKED'],
  );
  t.same(world.walk('S', 'Z'), ['open', 'BLOCKED', 'open']);
});

t.test('advance: the input of a job holds the products of its parents, with their size', async (t) => {
  const world = new TreeWorld(
    makeRecipeRevision({ A: {}, B: { after: ['A'], input: { IN: '@SRC', MORE: 'A.OUT', N: 'A.COUNT' } } }),
  );
  const path = 'jobs/work/1.0.0/job_exe_1';
  const outputs = [makeOutput('OUT', `${path}/a.txt`), makeOutput('OUT', `${path}/b.txt`)];
  world.complete('A', { outputs, jsonOutputs: { COUNT: 5 } });
  const job = world.rows.tables.jobs.get(world.rows.jobId(ROOT, 'B'));
  const ids = world.rows.tables.products.map((one) => one.id);
  t.same(job?.input?.input, { files: { IN: [1], MORE: ids }, json: { N: 5 } });
  t.equal(job?.input?.inputFileSizeMib, 2, 'one MiB and 21 bytes, rounded up');
});

t.test('advance: a configuration of the recipe reaches the jobs of its sub-recipes', async (t) => {
  const revision = makeRecipeRevision({ S: { sub: makeRecipeRevision({ A: {} }) } });
  const world = new TreeWorld(revision, { files: {}, json: {} }, [], { priority: 3 });
  const [job] = world.rows.tables.jobs.values();
  t.equal(job?.priority, 3);
  t.match(job?.new.configuration, { priority: 3, output_workspaces: { default: 'products' } });
  t.equal(new TreeWorld(revision).rows.tables.jobs.values().next().value?.new.configuration, null);
});

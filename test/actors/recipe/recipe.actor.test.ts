/** The owner of recipe trees on the real kernel: its saves, messages and calls, and how it recovers from failures. */
import t from 'tap';
import { recipeAddress } from '../../../src/actors/recipe/recipe.messages.ts';
import type { NewRecipe } from '../../../src/domain/recipe/recipe.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { TurnRefused, Unavailable } from '../../../src/kernel/mod.ts';
import { makeOutput } from '../../support/fakes/task-reports.ts';
import { watch } from '../../support/worlds/kernel-world.ts';
import { RecipeWorld } from '../../support/worlds/recipe-world.ts';
import { fileInput, makeRecipeRevision } from '../../support/worlds/type-revisions.ts';

const ROOT = 1;
const OWNER = recipeAddress(ROOT);
const ASK = { deadlineMs: 5_000 };
const EXAMINED = { files: [fileInput('X')], json: [] };
const chain = () =>
  makeRecipeRevision({ A: { input: { IN: '@SRC' } }, B: { after: ['A'], input: { MORE: 'A.OUT' } } });
const conditional = () =>
  makeRecipeRevision({
    A: {},
    C: { after: ['A'], condition: EXAMINED, input: { X: 'A.OUT' } },
    D: { after: [{ name: 'C', acceptance: true }] },
  });

const startOf = (revision: RecipeTypeRevision) => {
  const source = {
    startedMs: null,
    endedMs: null,
    sensorClass: null,
    sensor: null,
    collection: null,
    task: null,
  };
  const recipe: NewRecipe = {
    ...{ id: ROOT, shard: ROOT, rootId: ROOT, parentId: null, parentNode: null, ancestorIds: [] },
    ...{
      recipeTypeId: revision.recipeTypeId,
      recipeTypeRevId: revision.recipeTypeRevId,
      eventId: 2,
      batchId: null,
    },
    ...{ ingestId: null, supersededRecipeId: null, configuration: null, atMs: 0 },
    input: { input: { files: { SRC: [1] }, json: {} }, inputFileSizeMib: 2, source },
  };
  const event = { id: 2, type: 'USER', occurredMs: 0, description: {} } as const;
  return { type: 'start', event, recipe } as const;
};

const begin = async (revision: RecipeTypeRevision) => {
  const world = await new RecipeWorld(revision).start();
  const asked = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  if (asked.state !== 'resolved') throw new Error(asked.code);
  return world;
};
const job = (world: RecipeWorld, node: string) => world.rows.jobId(ROOT, node);
const statuses = (world: RecipeWorld, ...nodes: string[]) =>
  nodes.map((node) => world.rows.status(ROOT, node));

t.test(
  'recipe actor: a started recipe has its nodes, and its first jobs are announced to the scheduler',
  async (t) => {
    const world = await begin(chain());
    t.same(statuses(world, 'A', 'B'), ['QUEUED', 'PENDING']);
    t.match(world.told.scheduler, [{ type: 'queued', jobs: [{ jobId: job(world, 'A'), exeNum: 1 }] }]);
  },
);

t.test(
  'recipe actor: a scheduler that is loaded hears of jobs before they are queued, and again after',
  async (t) => {
    const world = await begin(chain());
    world.told.scheduler.length = 0;
    world.report(world.rows.place(job(world, 'A')));
    await world.clock.settle();
    t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
    t.match(
      world.told.scheduler.filter(({ type }) => type !== 'ended'),
      ['queueing', 'queued'].map((type) => ({ type, jobs: [{ jobId: job(world, 'B'), exeNum: 1 }] })),
    );
  },
);

t.test('recipe actor: a repeated start creates nothing', async (t) => {
  const revision = chain();
  const world = await begin(revision);
  const asked = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  t.equal(asked.state, 'resolved');
  t.equal(world.rows.tables.jobs.size, 2);
});

t.test(
  'recipe actor: a recipe, its nodes and its first jobs are one commit, and nothing is loaded after it',
  async (t) => {
    const revision = chain();
    const world = await new RecipeWorld(revision).start();
    const groups: string[][] = [];
    world.before = (turns) =>
      void groups.push(...turns.map((turn) => turn.changes.map((change) => change.type)));
    watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
    await world.clock.settle();
    const made = ['createEvents', 'ensureClasses', 'createRecipes', 'createJobs', 'createRecipeNodes'];
    t.same(groups, [made]);
    const { loads } = world;
    world.report(world.rows.place(job(world, 'A')));
    await world.clock.settle();
    t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
    t.equal(world.loads, loads);
  },
);

t.test('recipe actor: a start whose commit has an unknown outcome creates nothing twice', async (t) => {
  const revision = chain();
  const world = await new RecipeWorld(revision).start();
  let failures = 1;
  world.after = () => {
    if (failures-- > 0) throw new Unavailable('the connection broke after the commit');
  };
  const asked = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.until('answered', () => asked.state === 'resolved');
  t.equal(world.rows.tables.jobs.size, 2);
  t.same(statuses(world, 'A', 'B'), ['QUEUED', 'PENDING']);
});

t.test('recipe actor: a start is refused while the database is away, and may be repeated', async (t) => {
  const revision = chain();
  const world = await new RecipeWorld(revision).start();
  world.beforeStart = () => {
    throw new Unavailable('no database');
  };
  const refused = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  t.equal(refused.state, 'rejected');
  t.equal(world.rows.tables.recipes.size, 0);
  world.beforeStart = () => {};
  const asked = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  t.equal(asked.state, 'resolved');
  t.same(statuses(world, 'A', 'B'), ['QUEUED', 'PENDING']);
});

t.test('recipe actor: a start is refused if a purge has removed its input meanwhile', async (t) => {
  const revision = chain();
  const world = await new RecipeWorld(revision).start();
  world.rows.tables.files.clear();
  const asked = watch(world.system.ask(OWNER, startOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  t.equal(asked.state, 'rejected');
  t.equal(asked.code, 'FILE_NOT_FOUND');
  t.equal(world.rows.tables.recipes.size, 0);
});

t.test('recipe actor: the periodic scan finds a recipe without nodes and starts it', async (t) => {
  const revision = chain();
  const world = await new RecipeWorld(revision).start();
  world.rows.apply([{ type: 'createRecipes', recipes: [startOf(revision).recipe] }]);
  world.due = [ROOT];
  await world.clock.until('the job is queued', () => world.rows.jobIds('QUEUED').length === 1, 120_000);
  t.same(statuses(world, 'A', 'B'), ['QUEUED', 'PENDING']);
});

t.test('recipe actor: the end of a job, its products and the next job are one commit', async (t) => {
  const world = await begin(chain());
  const groups: string[][] = [];
  world.before = (turns) =>
    void groups.push(...turns.map((turn) => turn.changes.map((change) => change.type)));
  const execution = world.rows.place(job(world, 'A'));

  world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.settle();

  t.same(groups, [['ensureClasses', 'moveJobs', 'endExecutions', 'createProducts']]);
  t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
  t.match(world.acknowledged.get(execution.id), { isVoid: false, spoolId: execution.id });
  t.match(world.told.scheduler.at(-1), { type: 'ended', items: [{ executionId: execution.id, nodeId: 1 }] });
});

t.test('recipe actor: a report is not acknowledged before it is saved', async (t) => {
  const world = await begin(chain());
  const execution = world.rows.place(job(world, 'A'));
  world.before = () => {
    throw new Unavailable('no database');
  };
  world.report(execution);
  await world.clock.advance(1_000);
  t.equal(world.acknowledged.size, 0);
  world.before = () => {};
  await world.clock.until('acknowledged', () => world.acknowledged.has(execution.id));
  t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
});

t.test('recipe actor: a commit whose outcome is unknown is neither lost nor repeated', async (t) => {
  const world = await begin(chain());
  const execution = world.rows.place(job(world, 'A'));
  let failures = 1;
  world.after = () => {
    if (failures-- > 0) throw new Unavailable('the connection broke after the commit');
  };
  world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.until('acknowledged', () => world.acknowledged.has(execution.id));
  t.match(world.acknowledged.get(execution.id), { isVoid: false });
  t.equal(world.rows.tables.products.length, 1);
  t.same(world.rows.queuings, [`${job(world, 'A')} x 1`, `${job(world, 'B')} x 1`]);
});

t.test(
  'recipe actor: after a refused commit the rows are loaded once and the report is handled again',
  async (t) => {
    const world = await begin(chain());
    const execution = world.rows.place(job(world, 'A'));
    let refusals = 1;
    world.before = () => {
      if (refusals-- > 0) throw new TurnRefused('stale');
    };
    const loads = world.loads;
    world.report(execution);
    await world.clock.until('acknowledged', () => world.acknowledged.has(execution.id));
    t.equal(world.loads, loads + 1);
    t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
  },
);

t.test('recipe actor: a condition whose evaluation fails is evaluated again', async (t) => {
  const world = await begin(conditional());
  let failures = 2;
  world.evaluate = () => {
    if (failures-- > 0) throw new Error('the pool is full');
    return true;
  };
  world.report(world.rows.place(job(world, 'A')), { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.settle();
  t.same(statuses(world, 'C', 'D'), ['unprocessed', 'absent']);
  await world.clock.until('D is queued', () => world.rows.status(ROOT, 'D') === 'QUEUED');
  t.same(statuses(world, 'C', 'D'), ['accepted', 'QUEUED']);
});

t.test('recipe actor: the next coordinator evaluates a condition whose evaluation was lost', async (t) => {
  const revision = conditional();
  const world = await begin(revision);
  world.evaluate = () => {
    throw new Error('this coordinator is going down');
  };
  world.report(world.rows.place(job(world, 'A')), { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.settle();
  await world.system.stop();

  const next = new RecipeWorld(revision);
  next.rows.tables = world.rows.tables;
  next.due = [ROOT];
  await next.start();
  await next.clock.until(
    'the condition is processed',
    () => next.rows.status(ROOT, 'C') === 'accepted',
    120_000,
  );
  t.equal(next.rows.status(ROOT, 'D'), 'QUEUED');
});

t.test(
  'recipe actor: canceling a job kills its execution, voids its products, and blocks the jobs behind it',
  async (t) => {
    const world = await begin(chain());
    const execution = world.rows.place(job(world, 'A'));
    const asked = watch(
      world.system.ask(OWNER, { type: 'cancelJobs', jobIds: [job(world, 'A'), 424_242] }, ASK),
    );
    await world.clock.settle();
    t.same(asked.value, { jobIds: [job(world, 'A')] });
    t.same(world.kills(), [execution.id]);
    t.same(statuses(world, 'A', 'B'), ['CANCELED', 'BLOCKED']);

    world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
    await world.clock.settle();
    t.match(world.acknowledged.get(execution.id), { isVoid: true });
    t.equal(world.rows.tables.products.length, 0);
    t.equal(world.rows.tables.executions.get(execution.id)?.status, 'CANCELED');
  },
);

t.test('recipe actor: a lost kill is sent again by the periodic scan', async (t) => {
  const world = await begin(chain());
  const execution = world.rows.place(job(world, 'A'));
  const move = { jobId: job(world, 'A'), from: ['RUNNING'], exeNum: 1, to: 'CANCELED', atMs: 0 } as const;
  world.rows.apply([{ type: 'moveJobs', moves: [{ kind: 'status', ...move }] }]);
  await world.clock.advance(60_000); // The actor is unloaded: the rows were changed without it.
  world.due = [ROOT];
  await world.clock.until('killed', () => world.kills().includes(execution.id), 120_000);
  t.same(world.kills().slice(0, 1), [execution.id]);
});

t.test(
  'recipe actor: the periodic scan kills former executions that still run when the recipe is complete',
  async (t) => {
    const world = await begin(chain());
    const first = world.rows.place(job(world, 'A'));
    const requeued = {
      kind: 'status',
      jobId: job(world, 'A'),
      from: ['RUNNING'],
      exeNum: 1,
      atMs: 0,
    } as const;
    world.rows.apply([{ type: 'moveJobs', moves: [{ ...requeued, to: 'CANCELED' }] }]);
    await world.clock.advance(60_000);
    const asked = { type: 'requeueJobs', jobIds: [job(world, 'A')] } as const;
    watch(world.system.ask(OWNER, asked, ASK));
    await world.clock.settle();
    const killedBefore = world.kills().length;
    for (const name of ['A', 'B']) {
      world.report(world.rows.place(job(world, name)));
      await world.clock.settle();
    }
    t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'COMPLETED']);
    world.due = [ROOT];
    await world.clock.until('killed once more', () => world.kills().length > killedBefore, 120_000);
    t.equal(world.kills().at(-1), first.id);
  },
);

t.test('recipe actor: a requeue kills the running execution and queues the next one', async (t) => {
  const world = await begin(chain());
  const first = world.rows.place(job(world, 'A'));
  await world.clock.advance(2_000);
  const asked = watch(
    world.system.ask(OWNER, { type: 'requeueJobs', jobIds: [job(world, 'A')], priority: 3 }, ASK),
  );
  await world.clock.settle();
  t.same(
    asked.value,
    { jobIds: [job(world, 'A')] },
    'it is answered although the tree was loaded again for it',
  );
  t.same(world.kills(), [first.id]);
  t.match(world.rows.tables.jobs.get(job(world, 'A')), {
    status: 'QUEUED',
    exeNum: 2,
    maxTries: 4,
    priority: 3,
  });

  world.report(first);
  world.report(world.rows.place(job(world, 'A')));
  await world.clock.settle();
  t.match(world.acknowledged.get(first.id), { isVoid: true });
  t.same(statuses(world, 'A', 'B'), ['COMPLETED', 'QUEUED']);
});

t.test('recipe actor: a report that the node is lost does not undo an earlier success', async (t) => {
  const world = await begin(chain());
  const execution = world.rows.place(job(world, 'A'));
  const lost = { outcome: 'failed' as const, error: { name: 'node-lost', isBuiltin: true, detail: '' } };
  world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  world.report(execution, lost);
  await world.clock.settle();
  t.match(world.acknowledged.get(execution.id), { isVoid: false });
  t.equal(world.rows.status(ROOT, 'A'), 'COMPLETED');
});

t.test(
  'recipe actor: the tree is loaded again for a product in a workspace that it does not know',
  async (t) => {
    const world = await begin(chain());
    const loads = world.loads;
    const outputs = [makeOutput('OUT', 'jobs/job_exe_1/a', 'uuid-new')];
    const execution = world.rows.place(job(world, 'A'));
    world.report(execution, { outputs });
    world.report(execution, { outputs });
    await world.clock.settle();
    t.ok(world.loads > loads);
    t.equal(world.rows.tables.products.length, 1);
    t.same(world.rows.tables.jobs.get(job(world, 'B'))?.status, 'QUEUED');
    t.match(world.acknowledged.get(execution.id), { isVoid: false });
  },
);

t.test('recipe actor: a result for a missing recipe is void', async (t) => {
  const world = await new RecipeWorld().start();
  world.report({ id: 5, jobId: 6, exeNum: 1, nodeId: 3, status: 'RUNNING' });
  await world.clock.settle();
  t.match(world.acknowledged.get(5), { isVoid: true });
});

t.test('recipe actor: the actor of a complete recipe is unloaded', async (t) => {
  const world = await begin(chain());
  for (const node of ['A', 'B']) {
    world.report(world.rows.place(job(world, node)));
    await world.clock.settle();
  }
  t.ok(world.rows.tables.recipes.get(ROOT)?.isCompleted);
  t.equal(world.system.stats().kinds.recipe?.live, 0);
});

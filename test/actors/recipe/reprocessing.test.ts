/** Requests to reprocess on the real kernel: each is carried out once even if repeated, or refused with a reason. */
import t from 'tap';
import { type Reprocess, recipeAddress } from '../../../src/actors/recipe/recipe.messages.ts';
import { ALL_FORCED, NOTHING_FORCED } from '../../../src/domain/recipe/forced-nodes.ts';
import { startRecipe } from '../../../src/domain/recipe/start-recipe.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { TurnRefused, Unavailable } from '../../../src/kernel/mod.ts';
import { watch } from '../../support/worlds/kernel-world.ts';
import { RecipeWorld } from '../../support/worlds/recipe-world.ts';
import { makeFile, makeRecipeRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const ROOT = 1;
const OWNER = recipeAddress(ROOT);
const revision = makeRecipeRevision({ A: {}, B: { after: ['A'] } });

async function worldOf(revision: RecipeTypeRevision): Promise<RecipeWorld> {
  const world = await new RecipeWorld(revision).start();
  const request = {
    ...{ recipeId: ROOT, shard: ROOT, eventId: 2, batchId: null, ingestId: null, configuration: null },
    input: { files: { SRC: [1] }, json: {} },
  };
  let id = 10;
  const files = new Map([[1, makeFile({ id: 1 })]]);
  const around = { files, workspaces: WORKSPACES, nowMs: 0, newId: () => id++ };
  world.rows.apply(startRecipe(revision, request, around).changes);
  return world;
}

const order = (over: Partial<Reprocess> = {}): Reprocess => ({
  ...{ type: 'reprocess', oldRecipeId: ROOT, recipeId: 50, recipeTypeRevId: revision.recipeTypeRevId },
  ...{ forced: ALL_FORCED, eventId: 3, event: { id: 3, type: 'USER', occurredMs: 0, description: {} } },
  ...{ batchId: null, batchMemberId: null, batchPriority: null },
  ...over,
});

async function ask(world: RecipeWorld, message: Reprocess) {
  const asked = watch(world.system.ask(OWNER, message, { deadlineMs: 60_000 }));
  await world.clock.settle();
  return asked;
}

t.test(
  'reprocess: one commit saves it, running executions are killed, and new jobs are announced',
  async (t) => {
    const world = await worldOf(revision);
    const running = world.rows.place(world.rows.jobId(ROOT, 'A'));
    const groups: string[][] = [];
    world.before = (turns) => groups.push(...turns.map((turn) => turn.changes.map((change) => change.type)));
    const asked = await ask(world, order());
    t.same(asked.value, { recipeId: 50 });
    t.same(world.kills(), [running.id]);
    t.match(world.told.scheduler.at(-1), { type: 'queued', jobs: [{ jobId: world.rows.jobId(50, 'A') }] });
    const saved = groups.filter((group) => group.includes('createRecipes'));
    t.equal(saved.length, 1);
    for (const type of ['createEvents', 'supersedeRecipes', 'supersedeJobs', 'moveJobs', 'createJobs']) {
      t.ok(saved[0]?.includes(type), type);
    }
  },
);

t.test('reprocess: a repeated request gets the same answer and changes nothing', async (t) => {
  const world = await worldOf(revision);
  await ask(world, order());
  const { jobs, recipes } = world.rows.tables;
  t.same((await ask(world, order())).value, { recipeId: 50 });
  t.equal(world.rows.tables.jobs.size, jobs.size);
  t.equal(world.rows.tables.recipes.size, recipes.size);
});

t.test('reprocess: a request whose commit has an unknown outcome is carried out once', async (t) => {
  const world = await worldOf(revision);
  let isBroken = false;
  world.after = () => {
    if (isBroken || !world.rows.tables.recipes.has(50)) return;
    isBroken = true;
    throw new Unavailable('the connection broke');
  };
  const asked = watch(world.system.ask(OWNER, order(), { deadlineMs: 60_000 }));
  await world.clock.until('it is answered', () => asked.state !== 'pending', 60_000);
  t.same(asked.value, { recipeId: 50 });
  t.equal([...world.rows.tables.recipes.values()].filter((row) => !row.isSuperseded).length, 1);
});

t.test(
  'reprocess: a superseded recipe is refused, but a batch reprocesses the one that replaced it',
  async (t) => {
    const world = await worldOf(revision);
    await ask(world, order());
    const late = await ask(world, order({ recipeId: 60 }));
    t.match(late.value, { problem: { name: 'SUPERSEDED' }, isConflict: true });
    const batch = { batchId: 9, event: null };
    t.same((await ask(world, order({ ...batch, recipeId: 70 }))).value, { recipeId: 70 });
    t.same(
      (await ask(world, order({ ...batch, recipeId: 71 }))).value,
      { recipeId: 70 },
      'once for each batch',
    );
  },
);

t.test(
  'reprocess: a repeated request of a batch gets its first recipe, even if that was reprocessed since',
  async (t) => {
    const world = await worldOf(revision);
    const batch = { batchId: 9, event: null };
    await ask(world, order({ ...batch, recipeId: 70 }));
    t.same((await ask(world, order({ oldRecipeId: 70, recipeId: 80 }))).value, { recipeId: 80 });
    t.same((await ask(world, order({ ...batch, recipeId: 90 }))).value, { recipeId: 70 });
    t.notOk(world.rows.tables.recipes.has(90));
    const other = { ...batch, batchMemberId: 5, recipeId: 91 };
    t.same((await ask(world, order(other))).value, { recipeId: 91 }, 'each member has its own recipe');
  },
);

t.test(
  'reprocess: it is refused if nothing has changed, but for a batch the new recipe keeps all jobs',
  async (t) => {
    const world = await worldOf(revision);
    const refused = await ask(world, order({ forced: NOTHING_FORCED }));
    t.match(refused.value, { problem: { name: 'NOTHING_TO_REPROCESS' }, isConflict: false });
    t.equal(world.rows.tables.recipes.size, 1, 'no recipe was created');
    const kept = await ask(world, order({ forced: NOTHING_FORCED, batchId: 9, event: null }));
    t.same(kept.value, { recipeId: 50 });
    t.equal(world.rows.jobId(50, 'A'), world.rows.jobId(ROOT, 'A'));
  },
);

t.test('reprocess: an unknown revision and an unknown recipe are refused', async (t) => {
  const world = await worldOf(revision);
  t.match((await ask(world, order({ recipeTypeRevId: 9 }))).value, { problem: { path: 'revision_num' } });
  const asked = watch(world.system.ask(recipeAddress(65), order(), { deadlineMs: 5_000 }));
  await world.clock.settle();
  t.match(asked.value, { problem: { name: 'NOT_FOUND' } });
});

t.test('reprocess: a complete recipe can be reprocessed', async (t) => {
  const world = await worldOf(revision);
  for (const node of ['A', 'B']) {
    world.report(world.rows.place(world.rows.jobId(ROOT, node)));
    await world.clock.settle();
  }
  t.equal(world.rows.tables.recipes.get(ROOT)?.isCompleted, true);
  t.same((await ask(world, order({ forced: { all: false, nodes: ['B'], sub_recipes: {} } }))).value, {
    recipeId: 50,
  });
  t.equal(world.rows.status(50, 'B'), 'QUEUED');
  world.report(world.rows.place(world.rows.jobId(50, 'B')));
  await world.clock.settle();
  t.equal(world.rows.tables.recipes.get(50)?.isCompleted, true);
});

t.test(
  'reprocess: after a refused commit it is handled again, and the recipe can be reprocessed again later',
  async (t) => {
    const world = await worldOf(revision);
    let isRefused = false;
    world.before = (turns) => {
      const isIt = turns.some(({ changes }) => changes.some(({ type }) => type === 'createRecipes'));
      if (!isIt || isRefused) return;
      isRefused = true;
      throw new TurnRefused('rows have changed');
    };
    t.same((await ask(world, order())).value, { recipeId: 50 });
    t.ok(isRefused);
    for (const node of ['A', 'B']) {
      world.report(world.rows.place(world.rows.jobId(50, node)));
      await world.clock.settle();
    }
    t.equal(world.rows.tables.recipes.get(50)?.isCompleted, true);
    t.same((await ask(world, order({ oldRecipeId: 50, recipeId: 60 }))).value, { recipeId: 60 });
  },
);

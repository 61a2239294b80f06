import fc from 'fast-check';
import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import type { JobStatus } from '../../../src/domain/job/job.ts';
import { assert } from '../../../src/lib/assert.ts';
import {
  makeEnd,
  makeEvent,
  makeInput,
  makeJob,
  makeQueue,
  makeRecipe,
  makeSource,
  makeStart,
  savedRecipe,
} from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

const COUNTERS = ['total', 'pending', 'blocked', 'queued', 'running', 'failed', 'completed', 'canceled'];
/** What counting again says, beside what the rows say. */
const RECOUNT = /* sql */ `
  select r.id, ${COUNTERS.map((name) => `jobs_${name}`).join(', ')}, sub_recipes_total, sub_recipes_completed,
    ${COUNTERS.map((name) => {
      const filter = name === 'total' ? 'true' : `j.status = '${name.toUpperCase()}'`;
      return `(select count(*) from job j where r.id = any(j.recipe_ids) and ${filter}) as counted_${name}`;
    }).join(', ')}
  from recipe r order by r.id`;

async function miscounted(world: StoreWorld): Promise<object[]> {
  const rows = await world.rows<Record<string, number>>(RECOUNT);
  return rows.filter((row) => COUNTERS.some((name) => row[`jobs_${name}`] !== row[`counted_${name}`]));
}

const recipeRow = (id: number) =>
  world.one<Record<string, unknown>>('select * from recipe where id = $1', [id]);

t.test('createRecipes: a tree with its jobs counts them in every recipe that holds them', async (t) => {
  const root = await world.newId('recipe');
  const sub = await world.newId('recipe');
  const [eventId, jobA, jobB, conditionId] = [
    await world.newId('event'),
    await world.newId('job'),
    await world.newId('job'),
    await world.newId('recipe_condition'),
  ];
  const file = await makeSource(world);
  await world.apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createSourceFiles', files: [file] },
    {
      type: 'createRecipes',
      recipes: [
        makeRecipe(world, { id: root, eventId, input: makeInput({ IN: [file.id] }) }),
        makeRecipe(world, {
          id: sub,
          eventId,
          rootId: root,
          parentId: root,
          parentNode: 'S',
          ancestorIds: [root],
          input: null,
        }),
      ],
    },
    { type: 'createConditions', conditions: [{ id: conditionId, recipeId: root, nodeName: 'C', atMs: NOW }] },
    {
      type: 'createJobs',
      jobs: [
        makeJob(world, {
          id: jobA,
          eventId,
          owner: { kind: 'recipe', key: root },
          recipeId: root,
          recipeNode: 'A',
          recipeIds: [root],
        }),
        makeJob(world, {
          id: jobB,
          eventId,
          owner: { kind: 'recipe', key: root },
          recipeId: sub,
          recipeNode: 'B',
          recipeIds: [sub, root],
          status: 'PENDING',
        }),
      ],
    },
    {
      type: 'createRecipeNodes',
      nodes: [
        { recipeId: root, name: 'A', jobId: jobA, subRecipeId: null, conditionId: null, isOriginal: true },
        { recipeId: root, name: 'S', jobId: null, subRecipeId: sub, conditionId: null, isOriginal: true },
        { recipeId: root, name: 'C', jobId: null, subRecipeId: null, conditionId, isOriginal: true },
        { recipeId: sub, name: 'B', jobId: jobB, subRecipeId: null, conditionId: null, isOriginal: true },
      ],
    },
  );
  t.match(await recipeRow(root), {
    jobs_total: 2,
    jobs_queued: 1,
    jobs_pending: 1,
    sub_recipes_total: 1,
    input_file_size: 3,
  });
  t.match(await recipeRow(sub), { jobs_total: 1, jobs_pending: 1, jobs_queued: 0, input: null });
  t.same(await world.rows('select input, file_id from recipe_input_file where recipe_id = $1', [root]), [
    { input: 'IN', file_id: file.id },
  ]);

  await world.apply(
    { type: 'setRecipeInputs', inputs: [{ recipeId: sub, atMs: NOW + 1, ...makeInput({ IN: [file.id] }) }] },
    { type: 'moveJobs', moves: [makeQueue(jobB, ['PENDING'], 0)] },
    {
      type: 'processConditions',
      outcomes: [
        {
          conditionId,
          isAccepted: false,
          data: { files: {}, json: { a: 1 } },
          reason: 'too small',
          atMs: NOW + 1,
        },
      ],
    },
  );
  t.match(await recipeRow(sub), {
    jobs_queued: 1,
    input: { files: { IN: [file.id] } },
    source_started: NOW - 1,
  });
  t.match(await world.one('select * from recipe_condition where id = $1', [conditionId]), {
    is_processed: true,
    is_accepted: false,
    reason: 'too small',
    data: { json: { a: 1 } },
    processed: NOW + 1,
  });

  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(jobB)] },
    { type: 'completeRecipes', recipes: [{ recipeId: sub, ancestorIds: [root], atMs: NOW + 5 }] },
  );
  t.match(await recipeRow(sub), { is_completed: true, completed: NOW + 5, jobs_completed: 1 });
  t.match(await recipeRow(root), {
    is_completed: false,
    sub_recipes_completed: 1,
    jobs_completed: 1,
    last_modified: NOW + 5,
  });
  t.same(await miscounted(world), []);
});

t.test('completeRecipes: a completed recipe refuses the turn, in one turn as in two', async (t) => {
  const { id } = await savedRecipe(world);
  const end: Change = { type: 'completeRecipes', recipes: [{ recipeId: id, ancestorIds: [], atMs: NOW }] };
  await t.rejects(world.apply(end, end), { name: 'TurnRefused', turns: [0] });
  await world.apply(end);
  const other = await savedRecipe(world);
  const good: Change = {
    type: 'completeRecipes',
    recipes: [{ recipeId: other.id, ancestorIds: [], atMs: NOW }],
  };
  await t.rejects(world.applyAll([good], [end]), { name: 'TurnRefused', turns: [1] });
  t.match(await recipeRow(other.id), { is_completed: false });
});

t.test(
  'setRecipeInputs: a recipe that has its input refuses the turn, in the turn that creates it as later',
  async (t) => {
    const setInput = (recipeId: number): Change => ({
      type: 'setRecipeInputs',
      inputs: [{ recipeId, atMs: NOW, ...makeInput() }],
    });
    const { id } = await savedRecipe(world);
    await t.rejects(world.apply(setInput(id)), { name: 'TurnRefused', turns: [0] });
    const created = makeRecipe(world, {
      id: await world.newId('recipe'),
      eventId: await world.newId('event'),
    });
    const create: readonly Change[] = [
      { type: 'createEvents', events: [makeEvent(created.eventId)] },
      { type: 'createRecipes', recipes: [created] },
    ];
    await t.rejects(world.apply(...create, setInput(created.id)), { name: 'TurnRefused', turns: [0] });
  },
);

t.test('processConditions: a processed condition refuses the turn, in one turn as in two', async (t) => {
  const recipe = await savedRecipe(world);
  const conditionId = await world.newId('recipe_condition');
  await world.apply({
    type: 'createConditions',
    conditions: [{ id: conditionId, recipeId: recipe.id, nodeName: 'C', atMs: NOW }],
  });
  const outcome: Change = {
    type: 'processConditions',
    outcomes: [{ conditionId, isAccepted: true, data: { files: {}, json: {} }, reason: null, atMs: NOW }],
  };
  await t.rejects(world.apply(outcome, outcome), { name: 'TurnRefused', turns: [0] });
  await world.apply(outcome);
  await t.rejects(world.applyAll([], [outcome]), { name: 'TurnRefused', turns: [1] });
});

t.test('processConditions: a condition that one group creates and decides is written once', async (t) => {
  const recipe = await savedRecipe(world);
  const [first, second] = [await world.newId('recipe_condition'), await world.newId('recipe_condition')];
  const create = (id: number, nodeName: string): Change => ({
    type: 'createConditions',
    conditions: [{ id, recipeId: recipe.id, nodeName, atMs: NOW }],
  });
  const refuse = (conditionId: number): Change => ({
    type: 'processConditions',
    outcomes: [
      { conditionId, isAccepted: false, data: { files: { F: [3] }, json: {} }, reason: 'no', atMs: NOW + 1 },
    ],
  });
  await world.apply(create(first, 'C'));
  await world.applyAll([create(second, 'D')], [refuse(first), refuse(second)]);
  const decided = {
    ...{ is_processed: true, is_accepted: false, reason: 'no', processed: NOW + 1 },
    data: { files: { F: [3] }, json: {} },
  };
  const columns = 'is_processed, is_accepted, reason, processed, data, object_version';
  const find = `select ${columns} from recipe_condition where id = $1`;
  t.strictSame(await world.one(find, [first]), { ...decided, object_version: 2 });
  t.strictSame(await world.one(find, [second]), { ...decided, object_version: 1 });

  const third = await world.newId('recipe_condition');
  await t.rejects(world.applyAll([create(third, 'E'), refuse(third)], [refuse(third)]), {
    ...{ name: 'TurnRefused', turns: [1] },
  });
});

t.test('createRecipes: a second recipe of one ingest refuses the turn', async (t) => {
  await savedRecipe(world, { ingestId: 77 });
  await t.rejects(savedRecipe(world, { ingestId: 77 }), {
    name: 'TurnRefused',
    message: /recipe_ingest_key/,
  });
});

t.test('createRecipeNodes: an existing node refuses the turn', async (t) => {
  const recipe = await savedRecipe(world);
  const conditionId = await world.newId('recipe_condition');
  await world.apply({
    type: 'createConditions',
    conditions: [{ id: conditionId, recipeId: recipe.id, nodeName: 'C', atMs: NOW }],
  });
  const nodes: Change = {
    type: 'createRecipeNodes',
    nodes: [
      { recipeId: recipe.id, name: 'C', jobId: null, subRecipeId: null, conditionId, isOriginal: true },
    ],
  };
  await world.apply(nodes);
  await t.rejects(world.apply(nodes), { name: 'TurnRefused', message: /recipe_node_pkey/ });
});

type Step = readonly [
  'create' | 'queue' | 'place' | 'end' | 'fail' | 'cancel' | 'block' | 'complete',
  number,
];

t.test('counters: they equal a recount after any sequence of turns, refused ones included', async (t) => {
  // Goal: deltas never drift. Method: random steps on a few jobs in two trees, in groups of random turns;
  // groups that are refused are tried turn by turn, as the kernel does.
  const live: JobStatus[] = ['QUEUED', 'RUNNING'];
  const step = fc.tuple(
    fc.constantFrom('create', 'queue', 'place', 'end', 'fail', 'cancel', 'block', 'complete'),
    fc.nat(5),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 12 }),
      async (groups) => {
        const root = await savedRecipe(world);
        const sub = await savedRecipe(world, { rootId: root.id, parentId: root.id, ancestorIds: [root.id] });
        const jobs: number[] = [];
        for (const group of groups) {
          const turns: Change[][] = [];
          for (const one of group) turns.push(await changesOf(one as Step, jobs, [sub.id, root.id]));
          try {
            await world.applyAll(...turns);
          } catch (error) {
            assert((error as Error).name === 'TurnRefused', String(error));
            for (const turn of turns) await world.applyAll(turn).catch(() => undefined);
          }
        }
        assert((await miscounted(world)).length === 0, JSON.stringify(await miscounted(world)));
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
  t.pass('never drifted');

  async function changesOf(
    [kind, at]: Step,
    jobs: number[],
    [sub, root]: [number, number],
  ): Promise<Change[]> {
    const jobId = jobs[at % Math.max(1, jobs.length)] ?? 0;
    switch (kind) {
      case 'create': {
        const [id, eventId] = [await world.newId('job'), await world.newId('event')];
        jobs.push(id);
        const recipeIds = at % 2 === 0 ? [sub, root] : [root];
        const job = makeJob(world, {
          id,
          eventId,
          recipeId: recipeIds[0] ?? 0,
          recipeIds,
          status: at < 3 ? 'PENDING' : 'QUEUED',
        });
        return [
          { type: 'createEvents', events: [makeEvent(eventId)] },
          { type: 'createJobs', jobs: [job] },
        ];
      }
      case 'queue':
        return [
          {
            type: 'moveJobs',
            moves: [makeQueue(jobId, ['PENDING', 'BLOCKED', 'FAILED', 'CANCELED'], at % 2)],
          },
        ];
      case 'place':
        return [{ type: 'placeJobs', starts: [await makeStart(world, jobId, { exeNum: 1 + (at % 2) })] }];
      case 'end':
        return [{ type: 'moveJobs', moves: [makeEnd(jobId, { exeNum: 1 + (at % 2) })] }];
      case 'fail':
        return [
          {
            type: 'moveJobs',
            moves: [
              makeEnd(jobId, { from: live, to: 'FAILED', error: { name: 'unknown', isBuiltin: true } }),
            ],
          },
        ];
      case 'cancel':
        return [
          {
            type: 'moveJobs',
            moves: [
              {
                kind: 'status',
                jobId,
                from: [...live, 'PENDING', 'FAILED'],
                exeNum: null,
                to: 'CANCELED',
                atMs: NOW,
              },
            ],
          },
        ];
      case 'block':
        return [
          {
            type: 'moveJobs',
            moves: [{ kind: 'status', jobId, from: ['PENDING'], exeNum: 0, to: 'BLOCKED', atMs: NOW }],
          },
        ];
      case 'complete':
        return [{ type: 'completeRecipes', recipes: [{ recipeId: sub, ancestorIds: [root], atMs: NOW }] }];
    }
  }
});

t.test(
  'recipes: no recipe is completed or superseded before it was created or its last job ended',
  async (t) => {
    const { id } = await savedRecipe(world);
    const early = NOW - 60_000;
    await world.apply(
      { type: 'completeRecipes', recipes: [{ recipeId: id, ancestorIds: [], atMs: early }] },
      { type: 'supersedeRecipes', recipes: [{ recipeId: id, atMs: early }] },
    );
    t.match(await recipeRow(id), { created: NOW, completed: NOW, superseded: NOW });

    const [recipe, eventId, jobId] = [
      await savedRecipe(world),
      await world.newId('event'),
      await world.newId('job'),
    ];
    await world.apply(
      { type: 'createEvents', events: [makeEvent(eventId)] },
      { type: 'createJobs', jobs: [makeJob(world, { id: jobId, eventId, recipeIds: [recipe.id] })] },
    );
    await world.apply(
      { type: 'moveJobs', moves: [makeEnd(jobId, { atMs: NOW + 70 })] },
      { type: 'completeRecipes', recipes: [{ recipeId: recipe.id, ancestorIds: [], atMs: NOW + 60 }] },
    );
    t.match(await recipeRow(recipe.id), { completed: NOW + 70 });
  },
);

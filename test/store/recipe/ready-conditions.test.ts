/** What the search for conditions that are ready reads. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import { dueRecipes } from '../../../src/store/recipe/load.ts';
import type { Sql, Statement } from '../../../src/store/sql/sql.ts';
import { makeEvent, makeRecipe, savedJob } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const CONDITIONS = 100;

t.test('ready conditions: a large definition is read once, however many conditions are open', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const input = { files: [], json: [] };
  const condition = {
    dependencies: [{ name: 'A', acceptance: true }],
    input: {},
    node_type: { node_type: 'condition', interface: input, data_filter: { all: true, filters: [] } },
  };
  const names = Array.from({ length: CONDITIONS }, (_, at) => `C${at}`);
  const job = { node_type: 'job', job_type_name: 'type-a', job_type_version: '1.0.0', job_type_revision: 1 };
  const nodes = {
    A: { dependencies: [], input: {}, node_type: job },
    ...Object.fromEntries(names.map((name) => [name, condition])),
  };
  // Random, so that it stays large when it is compressed.
  const definition = JSON.stringify({ input, nodes, padding: randomBytes(300_000).toString('base64') });
  const { id: recipeTypeRevId } = await world.one<{ id: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created) values ($1, 2, $2, now())
     returning id`,
    [world.ids.recipeType, definition],
  );
  const root = await world.newId('recipe');
  const conditionIds: number[] = [];
  for (const _ of names) conditionIds.push(await world.newId('recipe_condition'));
  const none = { jobId: null, subRecipeId: null, conditionId: null, isOriginal: true };
  const save = async (...changes: Change[]) => void (await world.apply(...changes));
  const eventId = await world.newId('event');
  const recipe = makeRecipe(world, { id: root, eventId, recipeTypeRevId });
  await save(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createRecipes', recipes: [recipe] },
  );
  const saved = await savedJob(world, { recipeId: root, recipeNode: 'A', recipeIds: [root] });
  await save(
    {
      type: 'createConditions',
      conditions: names.map((nodeName, at) => ({
        ...{ id: conditionIds[at] ?? 0, recipeId: root, nodeName, atMs: NOW },
      })),
    },
    {
      type: 'createRecipeNodes',
      nodes: [
        { ...none, recipeId: root, name: 'A', jobId: saved.id },
        ...names.map((name, at) => ({ ...none, recipeId: root, name, conditionId: conditionIds[at] ?? 0 })),
      ],
    },
  );

  const blocks = new Map<string, number>();
  const counting: Pick<Sql, 'execute'> = {
    async execute(statement, params) {
      const { name, text } = statement as Statement;
      const [row] = await sql.execute<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        params,
      );
      const plan = row?.['QUERY PLAN'][0].Plan ?? {};
      blocks.set(name, (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
      return sql.execute(statement, params);
    },
  };
  const due = await dueRecipes({ ...sql, ...counting }, [1], NOW + 120_000);
  t.notOk(due.includes(root), 'the job that all wait for has not ended');
  const { definitionBlocks } = await world.one<{ definitionBlocks: number }>(
    `select pg_column_size(definition) / 8192 as "definitionBlocks" from recipe_type_rev where id = $1`,
    [recipeTypeRevId],
  );
  t.ok(definitionBlocks > 30, `${definitionBlocks} blocks are large`);
  const read = blocks.get('ripe_conditions') ?? Number.NaN;
  // Each condition adds its own node, its parent's, and what these stand for.
  t.ok(read < definitionBlocks * 10 + CONDITIONS * 20, `${read} blocks read`);
});

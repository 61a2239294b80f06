/** What statements read of a definition that is large: it is read once, however many nodes they look at. */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import { JOB_REASON } from '../../../src/store/job/reasons.ts';
import { dueRecipes } from '../../../src/store/recipe/load.ts';
import type { Sql, Statement } from '../../../src/store/sql/sql.ts';
import { makeEvent, makeJob, makeRecipe } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const NODES = 100;
const names = Array.from({ length: NODES }, (_, at) => `N${at}`);
const input = { files: [], json: [] };
const job = { node_type: 'job', job_type_name: 'type-a', job_type_version: '1.0.0', job_type_revision: 1 };
const condition = { node_type: 'condition', interface: input, data_filter: { all: true, filters: [] } };
const node = (type: object, parents: readonly string[]) => ({
  ...{ dependencies: parents.map((name) => ({ name, acceptance: true })), input: {}, node_type: type },
});
const none = { jobId: null, subRecipeId: null, conditionId: null, isOriginal: true };

/** A recipe of a definition with these nodes and with contents that stay large when they are compressed. */
async function largeRecipe(t: Test, nodes: object) {
  const world = await storeWorld(t);
  const definition = JSON.stringify({ input, nodes, padding: randomBytes(300_000).toString('base64') });
  const rev = await world.one<{ id: number; blocks: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created) values ($1, 2, $2, now())
     returning id, pg_column_size(definition) / 8192 as blocks`,
    [world.ids.recipeType, definition],
  );
  t.ok(rev.blocks > 30, `${rev.blocks} blocks are large`);
  const [root, eventId] = [await world.newId('recipe'), await world.newId('event')];
  const save = async (...changes: Change[]) => void (await world.apply(...changes));
  await save(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createRecipes', recipes: [makeRecipe(world, { id: root, eventId, recipeTypeRevId: rev.id })] },
  );
  return {
    ...{ world, root, save },
    /** A job of the recipe at this node, which has not been queued. */
    jobAt: async (recipeNode: string) => {
      const id = await world.newId('job');
      const recipe = { recipeId: root, recipeNode, recipeIds: [root] };
      const made = {
        ...recipe,
        id,
        eventId,
        owner: { kind: 'recipe', key: root },
        status: 'PENDING',
      } as const;
      await save({ type: 'createJobs', jobs: [makeJob(world, made)] });
      await save({
        type: 'createRecipeNodes',
        nodes: [{ ...none, recipeId: root, name: recipeNode, jobId: id }],
      });
      return id;
    },
    /** Blocks that a statement reads. */
    blocksOf: async (text: string, params: readonly unknown[] = []): Promise<number> => {
      const [row] = await world.db.sql.execute<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        params,
      );
      const plan = row?.['QUERY PLAN'][0].Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? 0);
    },
    /** The definition a few times, and of each node its own row and what it stands for. */
    blocksMax: rev.blocks * 10 + NODES * 20,
  };
}

t.test('large definitions: ready conditions are found in bounded time', async (t) => {
  const nodes = names.map((name) => [name, node(condition, ['A'])]);
  const { world, root, save, jobAt, ...large } = await largeRecipe(t, {
    ...{ A: node(job, []), ...Object.fromEntries(nodes) },
  });
  const ids: number[] = [];
  for (const _ of names) ids.push(await world.newId('recipe_condition'));
  const conditions = names.map((nodeName, at) => ({ id: ids[at] ?? 0, recipeId: root, nodeName, atMs: NOW }));
  await save(
    { type: 'createConditions', conditions },
    {
      type: 'createRecipeNodes',
      nodes: conditions.map(({ id, nodeName }) => ({
        ...none,
        recipeId: root,
        name: nodeName,
        conditionId: id,
      })),
    },
  );
  const parentId = await jobAt('A');
  const { sql } = world.db;
  let blocks = 0;
  /** What this one statement finds; the others find a recipe in which nothing runs as well. */
  const ready = async (): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    const hearing: Pick<Sql, 'execute'> = {
      async execute<R extends object>(statement: Statement | string, params?: readonly unknown[]) {
        const rows = await sql.execute<R>(statement, params);
        if (typeof statement !== 'string' && statement.name === 'ripe_conditions') {
          blocks = await large.blocksOf(statement.text, params);
          found.push(...rows);
        }
        return rows;
      },
    };
    await dueRecipes({ ...sql, ...hearing }, [1], NOW + 120_000);
    return found;
  };
  t.same(await ready(), [], 'the job that all wait for has not ended');
  t.ok(blocks > 0 && blocks < large.blocksMax, `${blocks} blocks read`);
  await world.rows(`update job set status = 'COMPLETED' where id = $1`, [parentId]);
  t.same(await ready(), [{ id: root }], 'it has ended');
});

t.test('large definitions: the reason why a job is blocked is found in bounded time', async (t) => {
  const nodes = names.map((name, at) => [name, node(job, names.slice(0, at))]);
  const { world, jobAt, ...large } = await largeRecipe(t, Object.fromEntries(nodes));
  const ids: number[] = [];
  for (const name of names) ids.push(await jobAt(name));
  await world.rows(`update job set status = 'BLOCKED' where recipe_node is not null`);
  await world.rows(`update job set status = 'FAILED' where id = any($1::bigint[])`, [[ids[0], ids[98]]]);
  const text = `select ${JOB_REASON} as reason from job j join job_type jt on jt.id = j.job_type_id where j.id = $1`;
  const failed = `node 'N0' (job ${ids[0]}, FAILED), node 'N98' (job ${ids[98]}, FAILED)`;
  t.same(await world.one(text, [ids[99]]), { reason: `it waits for what did not complete: ${failed}` });
  const blocks = await large.blocksOf(text, [ids[99]]);
  t.ok(blocks < large.blocksMax, `${blocks} blocks read`);
});

t.test('why a job is blocked: the nearest failed nodes are named, however far they are', async (t) => {
  const nodes = names.map((name, at) => [name, node(job, names.slice(Math.max(0, at - 1), at))]);
  const { world, jobAt } = await largeRecipe(t, Object.fromEntries(nodes));
  const ids: number[] = [];
  for (const name of names) ids.push(await jobAt(name));
  await world.rows(`update job set status = 'BLOCKED' where recipe_node is not null`);
  const text = `select ${JOB_REASON} as reason from job j join job_type jt on jt.id = j.job_type_id where j.id = $1`;
  const reason = async () => (await world.one<{ reason: string }>(text, [ids[99]])).reason;
  t.match(await reason(), /: a node before its recipe, in the one that contains it$/);
  await world.rows(`update job set status = 'CANCELED' where id = $1`, [ids[0]]);
  t.match(await reason(), new RegExp(`: node 'N0' \\(job ${ids[0]}, CANCELED\\)$`));
  await world.rows(`update job set status = 'FAILED' where id = $1`, [ids[50]]);
  t.match(await reason(), new RegExp(`: node 'N50' \\(job ${ids[50]}, FAILED\\)$`));
});

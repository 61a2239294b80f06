/** Loads the owner of a batch: the batch, and page by page the data for its recipes. */
import type { BatchMember, BatchPage, BatchRun } from '../../domain/batch/batch.ts';
import { forcedOf } from '../../domain/batch/batch-documents.ts';
import { memberInput } from '../../domain/batch/batch-input.ts';
import { type Data, EMPTY_DATA, validateDataFor } from '../../domain/data/data.ts';
import type { DatasetDefinition } from '../../domain/dataset/dataset.ts';
import { NOTHING_FORCED } from '../../domain/recipe/forced-nodes.ts';
import { inputOf } from '../../domain/recipe/recipe-graph.ts';
import { workspaceCatalog } from '../catalog/facts.ts';
import type { RevisionCache } from '../catalog/revision-cache.ts';
import { findDatasetDefinition } from '../dataset/list.ts';
import { fileInfos } from '../file/facts.ts';
import { fileIdsOf } from '../job/load.ts';
import { idArray, RowSet } from '../sql/rows.ts';
import type { Sql, Statement } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { BatchEntity } from './table.ts';

/** limit: members of one page, whose recipes are one commit. */
export const PAGE = 200;

const BATCH = columnsOf(BatchEntity, 'b', [
  ...(['id', 'recipeTypeRevId', 'eventId', 'definition', 'configuration', 'supersededBatchId'] as const),
  ...(['cursor', 'isCreationDone'] as const),
]);

const BATCHES = {
  name: 'batch_runs',
  text: /* sql */ `
    select ${BATCH.sql} from batch b
    where b.id = any($1::bigint[]) and b.deleted is null   -- = batch_pkey`,
};

export async function loadBatches(
  sql: Sql,
  revisions: RevisionCache,
  ids: readonly number[],
): Promise<ReadonlyMap<number, BatchRun>> {
  const rows = await sql.execute<RowOf<typeof BATCH>>(BATCHES, [idArray(ids)]);
  const found = await revisions.recipeRevisions(rows.map((row) => row.recipeTypeRevId));
  return new Map(
    rows.flatMap((row): [number, BatchRun][] => {
      const revision = found.get(row.recipeTypeRevId);
      if (revision === undefined) return [];
      const { dataset, supersedes = true } = row.definition;
      const run: BatchRun = {
        id: row.id,
        eventId: row.eventId,
        revision,
        source:
          row.supersededBatchId === null
            ? { kind: 'dataset', datasetId: dataset ?? 0, supersedes }
            : { kind: 'batch', batchId: row.supersededBatchId },
        forced: forcedOf(row.definition) ?? NOTHING_FORCED,
        configuration: row.configuration,
        cursor: row.cursor,
        isDone: row.isCreationDone,
      };
      return [[row.id, run]];
    }),
  );
}

const DUE_MAX = 1_000;

const OPEN_BATCHES = {
  name: 'open_batches',
  text: /* sql */ `
    select id from batch
    where shard = any($1::smallint[]) and not is_creation_done   -- = batch_open_idx
    limit ${DUE_MAX}`,
};

/** Batches of these shards that have recipes to create. */
export async function dueBatches(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(OPEN_BATCHES, [idArray(shards)]);
  return rows.map((row) => row.id);
}

/** The members after the cursor. A constant number of statements. */
export function batchPage(sql: Sql, run: BatchRun): Promise<BatchPage> {
  return run.source.kind === 'batch'
    ? pageOfBatch(sql, run, run.source.batchId)
    : pageOfDataset(sql, run, run.source);
}

/**
 * Reads by walking an index in its order: where the planner expects few rows after the cursor, it would fetch and sort
 * all of them, for each page again (10,000 members: 7 ms instead of 0.3).
 */
function inOrder<T extends object>(
  sql: Sql,
  statement: Statement,
  params: readonly unknown[],
): Promise<readonly T[]> {
  return sql.transaction(async (tx) => {
    await tx.execute(
      `select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
    );
    return tx.execute<T>(statement, params);
  });
}

const TOP_RECIPES = {
  name: 'batch_top_recipes',
  text: /* sql */ `
    select id, chain_id as "chainId" from recipe
    where batch_id = $1 and parent_id is null and id > $2   -- = recipe_batch_top_idx
    order by id limit ${PAGE}`,
};

async function pageOfBatch(sql: Sql, run: BatchRun, batchId: number): Promise<BatchPage> {
  const rows = await inOrder<{ id: number; chainId: number }>(sql, TOP_RECIPES, [batchId, run.cursor]);
  const members = rows.map(({ id, chainId }): BatchMember => {
    return { id, input: null, old: { recipeId: id, chainId } };
  });
  const workspaces = { byName: new Map<string, number>(), byUuid: new Map<string, number>() };
  const to = rows.at(-1)?.id ?? run.cursor;
  return { members, unfitCount: 0, files: [], workspaces, to, isLast: rows.length < PAGE };
}

/**
 * Does not use `exists`, which PostgreSQL may answer by hashing all recipes of the batch, for each page again: 30 ms a
 * page of the first 10,000 members, 100 ms at 40,000.
 */
const MEMBERS = {
  name: 'batch_members',
  text: /* sql */ `
    select m.id, m.data,
      coalesce((select true from recipe r where r.batch_id = $3 and r.batch_member_id = m.id), false) as "isDone"
      -- = recipe_batch_member_key
    from dataset_member m
    where m.dataset_id = $1 and m.id > $2   -- = dataset_member_dataset_idx
    order by m.id limit ${PAGE}`,
};

async function pageOfDataset(
  sql: Sql,
  run: BatchRun,
  source: Extract<BatchRun['source'], { kind: 'dataset' }>,
): Promise<BatchPage> {
  const [rows, definition, workspaces] = await Promise.all([
    inOrder<{ id: number; data: Data; isDone: boolean }>(sql, MEMBERS, [
      source.datasetId,
      run.cursor,
      run.id,
    ]),
    findDatasetDefinition(sql, source.datasetId),
    workspaceCatalog(sql),
  ]);
  const global = definition?.global_data ?? EMPTY_DATA;
  const wanted = rows.filter((row) => !row.isDone);
  const fitting = wanted.flatMap((row) => inputsOf(run, row, global));
  const [files, old] = await Promise.all([
    fileInfos(sql, fileIdsOf(fitting.map((one) => one.input))),
    source.supersedes ? sameBefore(sql, run, fitting, definition) : new Map<number, never>(),
  ]);
  return {
    members: fitting.map((one) => ({ ...one, old: old.get(one.id) ?? null })),
    unfitCount: wanted.length - fitting.length,
    files: [...files.values()],
    workspaces,
    to: rows.at(-1)?.id ?? run.cursor,
    isLast: rows.length < PAGE,
  };
}

type Fitting = { readonly id: number; readonly input: Data };

function inputsOf(run: BatchRun, row: { id: number; data: Data }, global: Data): Fitting[] {
  const takes = inputOf(run.revision);
  const given = memberInput(row.data, global, takes, run.configuration.inputMap ?? []);
  const checked = validateDataFor(given, takes);
  return checked.ok ? [{ id: row.id, input: checked.value }] : [];
}

interface Sought extends Fitting {
  /** One of its files that few others use; null = it has none. */
  readonly fileId: number | null;
}

const SOUGHT = new RowSet<Sought>([
  ['id', 'id', (row) => row.id],
  ['file_id', 'id', (row) => row.fileId],
  ['input', 'json', (row) => row.input],
]);

/** `+ 0` hides the type from the planner, which might otherwise read all recipes of the type to find one. */
const MATCHED = `r.recipe_type_id + 0 = $4 and r.parent_id is null and not r.is_superseded and r.input = s.input
        and r.batch_id is distinct from $5`;

/** Current recipes of the type that had the same input. */
const SAME_BEFORE = {
  name: 'same_before',
  text: /* sql */ `
    select s.id, found.id as "recipeId", found.chain_id as "chainId"
    from ${SOUGHT.table('s')}
    cross join lateral (
      select r.id, r.chain_id from recipe_input_file link   -- = recipe_input_file_file_idx
      join recipe r on r.id = link.recipe_id
      where link.file_id = s.file_id and ${MATCHED}
      union all
      select r.id, r.chain_id from recipe r   -- = recipe_bare_input_idx
      where s.file_id is null and r.input->'files' = '{}' and md5(r.input::text) = md5(s.input::text)
        and ${MATCHED}
      order by id desc limit 1) as found
    order by s.id`,
};

/** By member. A recipe is used for one member only. */
async function sameBefore(
  sql: Sql,
  run: BatchRun,
  fitting: readonly Fitting[],
  definition: DatasetDefinition | undefined,
): Promise<ReadonlyMap<number, NonNullable<BatchMember['old']>>> {
  if (fitting.length === 0) return new Map();
  const global = fileIdsOf([definition?.global_data ?? null]);
  const sought = fitting.map((one): Sought => {
    const ids = [...fileIdsOf([one.input])];
    return { ...one, fileId: ids.find((id) => !global.has(id)) ?? ids[0] ?? null };
  });
  const rows = await sql.execute<{ id: number; recipeId: number; chainId: number }>(SAME_BEFORE, [
    ...SOUGHT.params(sought),
    run.revision.recipeTypeId,
    run.id,
  ]);
  const found = new Map<number, NonNullable<BatchMember['old']>>();
  const taken = new Set<number>();
  for (const { id, recipeId, chainId } of rows) {
    if (taken.has(recipeId)) continue;
    taken.add(recipeId);
    found.set(id, { recipeId, chainId });
  }
  return found;
}

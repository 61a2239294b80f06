/** Removes the rows of a purge, kind by kind in the order of their keys; the source's own row comes last. */

import {
  addRemoved,
  counting,
  countRemoved,
  type Removed,
  removeJobParts,
  removeJobs,
  removeTreeParts,
  removeTreeRecipes,
} from '../retention/row-removal.ts';
import { idArray } from '../sql/rows.ts';
import { planChecksOnce, type Sql } from '../sql/sql.ts';
import { findStrays } from './finds.ts';
import { type PurgeRow, savePurge, withRemoved } from './record.ts';

interface Step {
  readonly table: 'purge_file' | 'purge_job' | 'purge_tree';
  readonly key: 'file_id' | 'job_id' | 'chain_id';
  /** limit: members that one transaction removes. */
  readonly max: number;
  readonly remove: (sql: Sql, ids: readonly number[], purge: PurgeRow) => Promise<Removed>;
}

const STEPS: readonly Step[] = [
  { table: 'purge_tree', key: 'chain_id', max: 500, remove: removeTreeParts },
  { table: 'purge_tree', key: 'chain_id', max: 500, remove: removeTreeRecipes },
  { table: 'purge_job', key: 'job_id', max: 1_000, remove: removeJobParts },
  { table: 'purge_file', key: 'file_id', max: 1_000, remove: removeFileParts },
  { table: 'purge_file', key: 'file_id', max: 1_000, remove: removeProducts },
  { table: 'purge_job', key: 'job_id', max: 1_000, remove: removeJobs },
];

const ANCESTRY = counting(
  'remove_ancestry',
  /* sql */ `delete from file_ancestry
    where descendant_id = any($1::bigint[]) or ancestor_id = any($1::bigint[])   -- = file_ancestry_ancestor_idx`,
);
const DATASET_FILES = counting(
  'remove_dataset_files',
  /* sql */ `delete from dataset_file where file_id = any($1::bigint[])   -- = dataset_file_file_idx`,
);
/** A dataset member without one of its files can no longer be used as an input. */
const MEMBERS = {
  name: 'remove_dataset_members',
  text: /* sql */ `
    delete from dataset_member where file_ids && $1::bigint[]   -- = dataset_member_files_idx
    returning dataset_id, file_ids`,
};
/** Files that were in a dataset only because of such a member. */
const LEFT_OVER = counting(
  'remove_left_dataset_files',
  /* sql */ `delete from dataset_file d using unnest($1::bigint[], $2::bigint[]) as gone(dataset_id, file_id)
    where d.dataset_id = gone.dataset_id and d.file_id = gone.file_id   -- = dataset_file_key
      and not exists (select from dataset_member m
        where m.dataset_id = d.dataset_id and m.file_ids @> array[d.file_id])`,
);

async function removeFileParts(sql: Sql, fileIds: readonly number[]): Promise<Removed> {
  const ids = [idArray(fileIds)];
  const ancestry = await countRemoved(sql, ANCESTRY, ids);
  const members = await sql.execute<{ dataset_id: number; file_ids: number[] }>(MEMBERS, ids);
  const pairs = members.flatMap((one) => one.file_ids.map((fileId) => [one.dataset_id, fileId] as const));
  const leftOver =
    pairs.length === 0
      ? 0
      : await countRemoved(sql, LEFT_OVER, [
          idArray(pairs.map(([datasetId]) => datasetId)),
          idArray(pairs.map(([, fileId]) => fileId)),
        ]);
  const datasetFiles = await countRemoved(sql, DATASET_FILES, ids);
  return {
    ancestry_links: ancestry,
    dataset_members: members.length,
    dataset_files: datasetFiles + leftOver,
  };
}

const PRODUCTS = counting(
  'remove_products',
  /* sql */ `delete from file where id = any($1::bigint[]) and id <> $2   -- = file_pkey`,
);

/** Says later which purge it was. */
const PURGED_PRODUCTS = {
  name: 'record_purged_products',
  text: /* sql */ `
    insert into purged_product (file_id, purge_id)
    select id, $3 from file where id = any($1::bigint[]) and id <> $2   -- = file_pkey
    on conflict do nothing`,
};

async function removeProducts(
  sql: Sql,
  fileIds: readonly number[],
  { id, fileId: sourceId }: PurgeRow,
): Promise<Removed> {
  const ids = idArray(fileIds);
  const isTrial = sourceId < 0;
  if (!isTrial) await sql.execute(PURGED_PRODUCTS, [ids, sourceId, id]);
  return { product_files: await countRemoved(sql, PRODUCTS, [ids, sourceId]) };
}

/**
 * Removes some more rows. If a reference was added meanwhile, this throws the database's error, and the search starts
 * again.
 */
export async function removeMore(sql: Sql, row: PurgeRow, nowMs: number): Promise<void> {
  await planChecksOnce(sql);
  const step = STEPS[row.step];
  if (step === undefined) return removeSource(sql, row, nowMs);
  const { table, key, max, remove } = step;
  const rows = await sql.execute<{ id: number }>(
    `update ${table} set round = $2 where purge_id = $1 and ${key} in (
       select ${key} from ${table} where purge_id = $1 and round < $2 limit ${max})
     returning ${key} as id`,
    [row.id, row.round],
  );
  if (rows.length === 0) {
    await savePurge(sql, row, { step: row.step + 1, round: row.round + 1 }, nowMs);
    return;
  }
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  await savePurge(sql, row, withRemoved(row, await remove(sql, ids, row)), nowMs);
}

/** limit: ingests of the source that one transaction removes. */
const INGESTS_MAX = 200;

/** The content must not be ingested again at the places where it arrived. */
const TOMBSTONES = /* sql */ `
  insert into tombstone (purge_id, workspace_id, file_path, arrival, file_size, mtime_ms, sha256, created)
  select $1, i.workspace_id, i.file_path, i.arrival, i.file_size, i.mtime_ms, p.sha256,
    to_timestamp($3::float8 / 1000)
  from ingest i join purge p on p.id = $1
  where i.id = any($2::bigint[]) and not exists (
    select from tombstone t where t.workspace_id = i.workspace_id and t.file_path = i.file_path
      and t.arrival is not distinct from i.arrival and t.purge_id = $1)   -- = tombstone_place_idx`;

const INGESTS = /* sql */ `delete from ingest where id = any($1::bigint[]) returning job_id   -- = ingest_pkey`;

const SOURCE = counting('remove_source', /* sql */ `delete from file where id = $1   -- = file_pkey`);
const MEMBER_TABLES = ['purge_file', 'purge_job', 'purge_tree'];

async function removeSource(sql: Sql, row: PurgeRow, nowMs: number): Promise<void> {
  const found = await sql.execute<{ id: number }>(
    `select id from ingest where source_file_id = $1 limit ${INGESTS_MAX}`,
    [row.fileId],
  );
  if (found.length > 0) {
    const ids = idArray(found.map(({ id }) => id));
    await sql.execute(TOMBSTONES, [row.id, ids, nowMs]);
    const ingests = await sql.execute<{ job_id: number | null }>(INGESTS, [ids]);
    const jobIds = ingests.flatMap(({ job_id: jobId }) => (jobId === null ? [] : [jobId]));
    const parts = await removeJobParts(sql, jobIds);
    const jobs = addRemoved(await removeJobs(sql, jobIds), { ingests: ingests.length });
    await savePurge(sql, row, withRemoved(row, addRemoved(parts, jobs)), nowMs);
    return;
  }
  if (await findStrays(sql, row.id, row.fileId)) {
    await savePurge(sql, row, { phase: 'find', round: row.round + 1, step: 0 }, nowMs);
    return;
  }
  const parts = await removeFileParts(sql, [row.fileId]);
  const removed = addRemoved(parts, { source_files: await countRemoved(sql, SOURCE, [row.fileId]) });
  for (const table of MEMBER_TABLES) await sql.execute(`delete from ${table} where purge_id = $1`, [row.id]);
  await savePurge(sql, row, { phase: 'done', reason: null, ...withRemoved(row, removed) }, nowMs);
}

/** What a purge would remove: its search, in a transaction that is rolled back. */
import { rolledBack } from '../sql/rolled-back.ts';
import type { Sql } from '../sql/sql.ts';
import { findMore } from './finds.ts';
import { type BegunPurge, type NewPurge, notePurge } from './save.ts';

export interface PurgePreview {
  readonly files: { readonly count: number; readonly bytes: number; readonly sources: number };
  readonly workspaces: readonly {
    readonly id: number;
    readonly name: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly jobs: { readonly count: number; readonly live: number };
  readonly recipes: number;
  /** Source files that stay, but lose products that were made of them and of the purged file. */
  readonly otherSources: { readonly count: number; readonly ids: readonly number[] };
  readonly datasetIds: readonly number[];
  readonly batchIds: readonly number[];
  /** The search was ended: there is more. */
  readonly isCut: boolean;
}

// limit: steps of the search, each of at most a thousand members of a kind.
const STEPS_MAX = 100;
// limit: ids that an answer names.
const NAMED_MAX = 20;

/** The jobs of the source's ingests are removed with it. They are no members, as they have nothing to cancel. */
const FOUND = /* sql */ `
  select
    (select json_build_object('count', count(*), 'bytes', coalesce(sum(f.file_size), 0),
       'sources', count(*) filter (where f.file_type = 'SOURCE'))
     from purge_file m join file f on f.id = m.file_id where m.purge_id = $1) as files,
    (select coalesce(json_agg(one order by one.id), '[]') from (
       select w.id, w.name, count(*) as files, sum(f.file_size) as bytes
       from purge_file m join file f on f.id = m.file_id join workspace w on w.id = f.workspace_id
       where m.purge_id = $1 group by w.id) as one) as workspaces,
    (select json_build_object('count', count(*),
       'live', count(*) filter (where m.is_member and j.status in ('PENDING', 'BLOCKED', 'QUEUED', 'RUNNING')))
     from (
       select job_id, true as is_member from purge_job where purge_id = $1
       union all
       select distinct i.job_id, false from ingest i where i.source_file_id = $2   -- = ingest_source_file_idx
         and not exists (select from purge_job own where own.purge_id = $1 and own.job_id = i.job_id)
     ) as m join job j on j.id = m.job_id) as jobs,
    (select count(*) from purge_tree m join recipe r on r.chain_id = m.chain_id
     where m.purge_id = $1) as recipes`;
const OTHER_SOURCES = /* sql */ `
  select f.id, count(*) over () as total from (
    select i.file_id from purge_tree m join recipe r on r.chain_id = m.chain_id
      join recipe_input_file i on i.recipe_id = r.id where m.purge_id = $1
    union select i.file_id from purge_job m join job_input_file i on i.job_id = m.job_id where m.purge_id = $1
  ) as used join file f on f.id = used.file_id
  where f.file_type = 'SOURCE' and not exists (
    select from purge_file own where own.purge_id = $1 and own.file_id = f.id)
  order by f.id limit ${NAMED_MAX}`;
const DATASETS = /* sql */ `
  select distinct d.dataset_id as id from purge_file m join dataset_file d on d.file_id = m.file_id
  where m.purge_id = $1 order by 1 limit ${NAMED_MAX}`;
const BATCHES = /* sql */ `
  select distinct r.batch_id as id from purge_tree m join recipe r on r.chain_id = m.chain_id
  where m.purge_id = $1 and r.batch_id is not null order by 1 limit ${NAMED_MAX}`;

/** What would be removed, or why there is nothing to purge. */
export function previewPurge(
  sql: Sql,
  purge: NewPurge,
): Promise<Exclude<BegunPurge, { kind: 'begun' }> | (PurgePreview & { readonly kind: 'found' })> {
  return rolledBack(sql, async (tx) => {
    const begun = await notePurge(tx, purge);
    if (begun.kind !== 'begun') return begun;
    const { id } = begun;
    let steps = 0;
    // Higher than any round of a purge under way, so that all its members are examined again.
    const round = 2_147_483_647;
    while (steps < STEPS_MAX && (await findMore(tx, id, round, null))) steps += 1;
    const [found] = await tx.execute<Pick<PurgePreview, 'files' | 'workspaces' | 'jobs' | 'recipes'>>(FOUND, [
      ...[id, purge.fileId],
    ]);
    const others = await tx.execute<{ id: number; total: number }>(OTHER_SOURCES, [id]);
    const datasets = await tx.execute<{ id: number }>(DATASETS, [id]);
    const batches = await tx.execute<{ id: number }>(BATCHES, [id]);
    return {
      kind: 'found',
      ...(found as NonNullable<typeof found>),
      otherSources: { count: others[0]?.total ?? 0, ids: others.map((one) => one.id) },
      datasetIds: datasets.map((one) => one.id),
      batchIds: batches.map((one) => one.id),
      isCut: steps >= STEPS_MAX,
    };
  });
}

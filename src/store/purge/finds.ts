/**
 * The descendants of a purged file, found in rounds: files lead to the recipes and jobs that used them, and these to
 * the files that they made. A member is examined once a round; when a round finds nothing left to examine, all are
 * found.
 */
import type { JobOwner } from '../../domain/job/job.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: members of a kind that one step examines. */
const MEMBERS_MAX = 1_000;

interface Kind {
  readonly table: string;
  readonly key: string;
  /**
   * Statements that add the members to which members of this kind lead. $1: the purge, $2: ids of members of this kind.
   */
  readonly leads: readonly string[];
}

const STANDALONE = /* sql */ `
  insert into purge_job (purge_id, job_id)
  select distinct $1::bigint, f.job_id from found f where f.chain_id is null
  on conflict do nothing`;
const TREES = /* sql */ `
  insert into purge_tree (purge_id, chain_id)
  select distinct $1::bigint, f.chain_id from found f where f.chain_id is not null
  on conflict do nothing`;

/** Both kinds of owners of the jobs that a query finds. */
function owners(query: string): readonly string[] {
  const found = /* sql */ `
    with found as (
      select j.id as job_id, r.chain_id from (${query}) as q join job j on j.id = q.job_id
      left join recipe r on r.id = j.recipe_id)`;
  return [`${found} ${STANDALONE}`, `${found} ${TREES}`];
}

const FILES: Kind = {
  table: 'purge_file',
  key: 'file_id',
  leads: [
    /* sql */ `
      insert into purge_tree (purge_id, chain_id)
      select distinct $1::bigint, r.chain_id from recipe_input_file i join recipe r on r.id = i.recipe_id
      where i.file_id = any($2::bigint[])   -- = recipe_input_file_file_idx
      on conflict do nothing`,
    ...owners(`select job_id from job_input_file where file_id = any($2::bigint[])`),
    ...owners(`select job_id from file where id = any($2::bigint[]) and job_id is not null`),
    /* sql */ `
      insert into purge_file (purge_id, file_id)
      select distinct $1::bigint, descendant_id from file_ancestry
      where ancestor_id = any($2::bigint[]) and is_direct   -- = file_ancestry_ancestor_idx
      on conflict do nothing`,
  ],
};

const ROOTS: Kind = {
  table: 'purge_tree',
  key: 'chain_id',
  leads: [
    /* sql */ `
      insert into purge_job (purge_id, job_id, is_released)
      select $1::bigint, j.id, true from recipe r join job j on j.recipe_id = r.id
      where r.chain_id = any($2::bigint[])   -- = recipe_chain_idx
      on conflict do nothing`,
    // Later recipes that carried over nodes of these.
    /* sql */ `
      insert into purge_tree (purge_id, chain_id)
      select distinct $1::bigint, other.chain_id
      from recipe r
      join recipe_node n on n.sub_recipe_id = r.id   -- = recipe_node_sub_idx
      join recipe other on other.id = n.recipe_id
      where r.chain_id = any($2::bigint[]) and other.chain_id <> r.chain_id
      on conflict do nothing`,
  ],
};

const JOBS: Kind = {
  table: 'purge_job',
  key: 'job_id',
  leads: [
    /* sql */ `
      insert into purge_file (purge_id, file_id)
      select $1::bigint, id from file where job_id = any($2::bigint[])   -- = file_job_idx
      on conflict do nothing`,
    /* sql */ `
      insert into purge_tree (purge_id, chain_id)
      select distinct $1::bigint, r.chain_id
      from recipe_node n join recipe r on r.id = n.recipe_id
      where n.job_id = any($2::bigint[])   -- = recipe_node_job_idx
      on conflict do nothing`,
  ],
};

/** Marks files as deleted, so that no work has them as an input. */
const DELETED = {
  name: 'mark_purged_files',
  text: /* sql */ `
    update file set is_deleted = true, deleted = to_timestamp($2::float8 / 1000), is_published = false,
      last_modified = to_timestamp($2::float8 / 1000)
    where id = any($1::bigint[]) and not is_deleted   -- = file_pkey`,
};

const KINDS = [FILES, ROOTS, JOBS];

/**
 * Examines some members that this round has not examined yet. False: all have been. Without an instant, no file is
 * marked.
 */
export async function findMore(
  sql: Sql,
  purgeId: number,
  round: number,
  nowMs: number | null,
): Promise<boolean> {
  let isMore = false;
  for (const { table, key, leads } of KINDS) {
    const rows = await sql.execute<{ id: number }>(
      `update ${table} set round = $2 where purge_id = $1 and ${key} in (
         select ${key} from ${table} where purge_id = $1 and round < $2 limit ${MEMBERS_MAX})
       returning ${key} as id`,
      [purgeId, round],
    );
    if (rows.length === 0) continue;
    isMore = true;
    const ids = idArray(rows.map((row) => row.id));
    if (table === 'purge_file' && nowMs !== null) await sql.execute(DELETED, [ids, nowMs]);
    for (const lead of leads) await sql.execute(lead, [purgeId, ids]);
  }
  return isMore;
}

/** Adds descendants of a file that were not found as products. True: some were added, so the search continues. */
export async function findStrays(sql: Sql, purgeId: number, fileId: number): Promise<boolean> {
  const rows = await sql.execute(
    `insert into purge_file (purge_id, file_id)
     select $1::bigint, descendant_id from file_ancestry where ancestor_id = $2   -- = file_ancestry_ancestor_idx
     limit 1000
     on conflict do nothing returning file_id`,
    [purgeId, fileId],
  );
  return rows.length > 0;
}

export interface LiveJobs {
  readonly kind: JobOwner['kind'];
  readonly key: number;
  readonly jobIds: readonly number[];
}

/** limit: jobs that are canceled at a time. */
const LIVE_MAX = 500;

const LIVE = /* sql */ `
  select j.id, j.owner_kind, j.owner_key from purge_job m join job j on j.id = m.job_id
  where m.purge_id = $1 and j.status in ('PENDING', 'BLOCKED', 'QUEUED', 'RUNNING')
  order by j.id limit ${LIVE_MAX}`;

/** Live members, by owner. */
export async function liveJobs(sql: Sql, purgeId: number): Promise<readonly LiveJobs[]> {
  const rows = await sql.execute<{ id: number; owner_kind: JobOwner['kind']; owner_key: number }>(LIVE, [
    purgeId,
  ]);
  const byOwner = Map.groupBy(rows, (row) => `${row.owner_kind}/${row.owner_key}`);
  return [...byOwner.values()].flatMap((jobs) => {
    const [first] = jobs;
    if (first === undefined) return [];
    return [{ kind: first.owner_kind, key: first.owner_key, jobIds: jobs.map((job) => job.id) }];
  });
}

const RUNNING = /* sql */ `
  select count(*) as count from (
    select from job_exe e join purge_job m on m.job_id = e.job_id and m.purge_id = $1
    where e.status = 'RUNNING' limit 1000) as running`;

/** The number of executions that have not ended on their agents yet. */
export async function runningCount(sql: Sql, purgeId: number): Promise<number> {
  const [row] = await sql.execute<{ count: number }>(RUNNING, [purgeId]);
  return row?.count ?? 0;
}

export interface Owner {
  readonly kind: 'recipe' | 'job';
  readonly key: number;
}

/** Owners that may still have members in memory; at most 200. */
export async function unreleased(sql: Sql, purgeId: number): Promise<readonly Owner[]> {
  return sql.execute<Owner & object>(
    `(select 'recipe' as kind, chain_id as key from purge_tree where purge_id = $1 and not is_released limit 100)
     union all
     (select 'job', job_id from purge_job where purge_id = $1 and not is_released limit 100)`,
    [purgeId],
  );
}

/** Records that these owners have no member of the purge in memory any more. */
export async function noteReleased(sql: Sql, purgeId: number, owners: readonly Owner[]): Promise<void> {
  const keys = (kind: Owner['kind']) =>
    idArray(owners.filter((one) => one.kind === kind).map((one) => one.key));
  await sql.execute(
    `update purge_tree set is_released = true where purge_id = $1 and chain_id = any($2::bigint[])`,
    [purgeId, keys('recipe')],
  );
  await sql.execute(
    `update purge_job set is_released = true where purge_id = $1 and job_id = any($2::bigint[])`,
    [purgeId, keys('job')],
  );
}

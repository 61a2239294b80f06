/**
 * Removes finished work as sets, in the order that foreign keys require: the rows inside recipes, recipes, then jobs.
 * The caller must ensure that nothing of it is live and that no owner has it in memory.
 */
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql, Statement } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

/** Removed rows, by kind. */
export type Removed = Readonly<Record<string, number>>;

export function addRemoved(a: Removed, b: Removed): Removed {
  const sum: Record<string, number> = { ...a };
  for (const [kind, count] of Object.entries(b)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

export async function countRemoved(
  sql: Sql,
  statement: Statement,
  params: readonly unknown[],
): Promise<number> {
  const [row] = await sql.execute<{ count: number }>(statement, params);
  return row?.count ?? 0;
}

/** A statement that removes rows and counts them. */
export function counting(name: string, text: string): Statement {
  return { name, text: `with gone as (${text}\n returning 1) select count(*) as count from gone` };
}

const TREE_NODES = counting(
  'remove_tree_nodes',
  /* sql */ `delete from recipe_node where recipe_id in (
    select id from recipe where chain_id = any($1::bigint[]))   -- = recipe_chain_idx`,
);
const TREE_CONDITIONS = counting(
  'remove_tree_conditions',
  /* sql */ `delete from recipe_condition where recipe_id in (
    select id from recipe where chain_id = any($1::bigint[]))   -- = recipe_condition_recipe_idx`,
);
const TREE_INPUTS = counting(
  'remove_tree_inputs',
  /* sql */ `delete from recipe_input_file where recipe_id in (
    select id from recipe where chain_id = any($1::bigint[]))   -- = recipe_input_file_pkey`,
);

/** Removes the rows inside the recipes of these chains; the recipes stay. */
export async function removeTreeParts(sql: Sql, chainIds: readonly number[]): Promise<Removed> {
  const ids = [idArray(chainIds)];
  return {
    recipe_nodes: await countRemoved(sql, TREE_NODES, ids),
    conditions: await countRemoved(sql, TREE_CONDITIONS, ids),
    recipe_input_files: await countRemoved(sql, TREE_INPUTS, ids),
  };
}

const BATCH_SUMS: Readonly<Record<string, string>> = {
  recipes_total: '1 + sub_recipes_total',
  recipes_completed: 'is_completed::int + sub_recipes_completed',
  ...Object.fromEntries(
    ['total', ...JOB_STATUSES].map((name) => `jobs_${name.toLowerCase()}`).map((name) => [name, name]),
  ),
};

/** Subtracts the removed recipes from the counters of their batches, the reverse of `batch/counts.ts`. */
const TREE_RECIPES = {
  name: 'remove_tree_recipes',
  text: /* sql */ `
    with gone as (
      delete from recipe where chain_id = any($1::bigint[])   -- = recipe_chain_idx
      returning *
    ), uncounted as (
      insert into batch_count_delta (batch_id, node, at, ${Object.keys(BATCH_SUMS).join(', ')})
      select batch_id, '', now(), ${Object.values(BATCH_SUMS)
        .map((sum) => `-sum(${sum})`)
        .join(', ')}
      from gone where batch_id is not null and parent_id is null group by batch_id
    ) select event_id from gone`,
};

/** An event is removed with the last recipe that it triggered. */
const RECIPE_EVENTS = counting(
  'remove_recipe_events',
  /* sql */ `delete from event where id = any($1::bigint[])
    and not exists (select from recipe where event_id = event.id)   -- = recipe_event_idx
    and not exists (select from diagnostic_run where event_id = event.id)
    and not exists (select from batch where event_id = event.id)`,
);

/** Removes the empty recipes of these chains, with their events. */
export async function removeTreeRecipes(sql: Sql, chainIds: readonly number[]): Promise<Removed> {
  const rows = await sql.execute<{ event_id: number }>(TREE_RECIPES, [idArray(chainIds)]);
  const events = new Set(rows.map((row) => row.event_id));
  return {
    recipes: rows.length,
    events: await countRemoved(sql, RECIPE_EVENTS, [idArray(events)]),
  };
}

const LOGS = counting(
  'remove_job_logs',
  /* sql */ `delete from job_log where job_exe_id in (
    select id from job_exe where job_id = any($1::bigint[]))   -- = job_exe_num_key`,
);
const EXECUTIONS = counting(
  'remove_executions',
  /* sql */ `delete from job_exe where job_id = any($1::bigint[])   -- = job_exe_num_key`,
);
const INPUT_FILES = counting(
  'remove_job_inputs',
  /* sql */ `delete from job_input_file where job_id = any($1::bigint[])   -- = job_input_file_pkey`,
);

/** Removes the inputs, executions and logs of these jobs. */
export async function removeJobParts(sql: Sql, jobIds: readonly number[]): Promise<Removed> {
  const ids = [idArray(jobIds)];
  return {
    log_pieces: await countRemoved(sql, LOGS, ids),
    job_executions: await countRemoved(sql, EXECUTIONS, ids),
    job_input_files: await countRemoved(sql, INPUT_FILES, ids),
  };
}

const JOBS = {
  name: 'remove_jobs',
  text: /* sql */ `
    delete from job where id = any($1::bigint[])   -- = job_pkey
    returning job_type_id, status, error_id, recipe_id, event_id,
      extract(epoch from last_status_change) * 1000 as changed_ms`,
};

const RESERVED_PATHS = {
  name: 'remove_reserved_paths',
  text: /* sql */ `delete from reserved_path where job_id = any($1::bigint[])   -- = reserved_path_job_idx`,
};

/** FAILED jobs are counted while they exist: removed ones are subtracted from the counters. */
const UNCOUNT = {
  name: 'uncount_failures',
  text: /* sql */ `
    insert into job_outcome_delta (job_type_id, slot, status, error_id, count, most_recent)
    select u.job_type_id, to_timestamp(floor(u.at / 300) * 300), 'FAILED', u.error_id, -count(*),
      to_timestamp(max(u.at))
    from unnest($1::bigint[], $2::bigint[], $3::float8[]) as u(job_type_id, error_id, at)
    where ${isNoTrial('u.job_type_id')}
    group by 1, 2, u.error_id`,
};

/** A job without a recipe has its own event. */
const JOB_EVENTS = counting(
  'remove_job_events',
  /* sql */ `delete from event where id = any($1::bigint[])
    and not exists (select from recipe where event_id = event.id)   -- = recipe_event_idx`,
);

interface GoneJob {
  readonly job_type_id: number;
  readonly status: string;
  readonly error_id: number | null;
  readonly recipe_id: number | null;
  readonly event_id: number;
  readonly changed_ms: number;
}

/** Removes jobs of which nothing else is left, and the paths that they have reserved. */
export async function removeJobs(sql: Sql, jobIds: readonly number[]): Promise<Removed> {
  const rows = await sql.execute<GoneJob>(JOBS, [idArray(jobIds)]);
  await sql.execute(RESERVED_PATHS, [idArray(jobIds)]);
  const failed = rows.filter((row) => row.status === 'FAILED');
  if (failed.length > 0) {
    await sql.execute(UNCOUNT, [
      failed.map((row) => row.job_type_id),
      failed.map((row) => row.error_id ?? 0),
      failed.map((row) => row.changed_ms / 1000),
    ]);
  }
  const events = rows.filter((row) => row.recipe_id === null).map((row) => row.event_id);
  return {
    jobs: rows.length,
    events: events.length === 0 ? 0 : await countRemoved(sql, JOB_EVENTS, [idArray(new Set(events))]),
  };
}

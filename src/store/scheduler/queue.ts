/** The queue by job type and by resource. */

import { isUnstarted } from '../job/waiting.ts';
import { COUNTED_JOBS } from '../metrics/list-counts.ts';
import { countedRows } from '../sql/counted.ts';
import { expression, iso, object } from '../sql/fields.ts';
import { listGroups } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

const { 'j.job_type_id': TYPE, 'j.status': STATUS } = COUNTED_JOBS.facets;

/**
 * The first jobs of each class and priority, found by the index of the queue, one step each, however long the queue is.
 * Relies on job_queue_idx.
 */
export const QUEUE_HEADS = `head as (
  (select class_key, priority, queued, job_type_id from job
   where status = 'QUEUED' and class_key is not null order by class_key, priority, queued, id limit 1)
  union all
  select next.* from head cross join lateral (
    select class_key, priority, queued, job_type_id from job
    where status = 'QUEUED' and class_key is not null and (class_key, priority) > (head.class_key, head.priority)
    order by class_key, priority, queued, id limit 1) as next)`;

/**
 * Job types with queued jobs: not paused, most urgent, longest waiting first. Their numbers come from counters. Only of
 * types without a class, which are those of the system, all queued jobs are read, by job_live_status_idx.
 */
export const queueStatus = listGroups(
  `with recursive ${QUEUE_HEADS}, first as materialized (
     select job_type_id, min(queued) as longest, min(priority) as highest from head group by 1
   ), counted as (
     select ${TYPE} as job_type_id, sum(c.count)::bigint as count
     from ${countedRows(COUNTED_JOBS)} as c where ${STATUS} = 'QUEUED' group by 1)
   select counted.*, found.longest, found.highest
   from counted cross join lateral (
     select longest, highest from first where first.job_type_id = counted.job_type_id
     union all
     select min(queued), min(priority) from job
     where status = 'QUEUED' and job_type_id = counted.job_type_id
       and not exists (select from first where first.job_type_id = counted.job_type_id)
     having count(*) > 0) as found
   where count > 0`,
  object({
    job_type: jobTypeSummary('jt'),
    count: expression<number>('q.count'),
    longest_queued: iso('q.longest'),
    highest_priority: expression<number>('q.highest'),
  }),
  'q join job_type jt on jt.id = q.job_type_id order by jt.is_paused, q.highest, q.longest, jt.id',
);

/**
 * Classes of queued jobs, which are alike to the scheduler: those that no node could run first, then those that wait
 * longest. Relies on job_queue_idx.
 */
export const queueClasses = listGroups(
  `select class_key, count(*) as count, min(queued) as longest, min(priority) as highest
   from job where status = 'QUEUED' and class_key is not null and ${isNoTrial('job_type_id')}
   group by class_key`,
  object({
    job_type: jobTypeSummary('jt'),
    count: expression<number>('q.count'),
    longest_queued: iso('q.longest'),
    highest_priority: expression<number>('q.highest'),
    first_job_id: expression<number>('head.id'),
    executor: expression<string>(`class.spec ->> 'executor'`),
    resources: expression<Readonly<Record<string, number>>>(`class.spec -> 'resources'`),
    workspaces: expression<string[]>(`(select coalesce(json_agg(w.name order by w.id), '[]') from workspace w
      where w.id in (select value::bigint from jsonb_array_elements_text(class.spec -> 'workspaceIds')))`),
    unmet: expression<string | null>('class.unmet'),
  }),
  `q join scheduling_class class on class.key = q.class_key join job_type jt on jt.id = class.job_type_id
   cross join lateral (select j.id from job j where j.status = 'QUEUED' and j.class_key = q.class_key
     order by j.priority, j.queued, j.id limit 1) as head
   order by class.unmet is null, q.longest, q.class_key`,
);

export type LiveState = 'PENDING' | 'QUEUED' | 'RUNNING';

/** Numbers of jobs and the resources that they need; a state without jobs is absent. */
export interface LiveTotals {
  readonly lengths: Readonly<Partial<Record<LiveState, number>>>;
  readonly amounts: Readonly<Partial<Record<LiveState, Readonly<Record<string, number>>>>>;
}

/**
 * Jobs with equal resources are counted together, so this costs as much as counting the live jobs. Those of a scan that
 * nobody has started are PENDING too, but wait for nothing.
 */
export async function liveTotals(sql: Sql): Promise<LiveTotals> {
  const rows = await sql.execute<{ status: LiveState; count: number; amounts: Record<string, number> }>(
    `with alike as materialized (
       select status, resources, count(*) as count from job
       where status in ('PENDING', 'QUEUED', 'RUNNING') and ${isNoTrial('job_type_id')}
         and not ${isUnstarted('job')} group by status, resources)
     select alike.status, sum(alike.count)::bigint as count, coalesce((
         select json_object_agg(one.key, one.amount) from (
           select held.key, sum(held.value::float8 * same.count) as amount
           from alike as same, jsonb_each_text(same.resources) as held
           where same.status = alike.status group by held.key) as one
         where one.amount > 0), '{}') as amounts
     from alike group by alike.status`,
  );
  return {
    lengths: Object.fromEntries(rows.map((row) => [row.status, row.count])),
    amounts: Object.fromEntries(rows.map((row) => [row.status, row.amounts])),
  };
}

/** The total resources of nodes for jobs: active nodes with a connected agent. */
export async function clusterResources(sql: Sql): Promise<Readonly<Record<string, number>>> {
  const rows = await sql.execute<{ name: string; amount: number }>(
    `select held.key as name, sum(held.value::float8) as amount
     from node, jsonb_each_text(node.resources) as held
     where node.is_online and node.is_active group by held.key`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.amount]));
}

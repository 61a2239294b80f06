/** Figures of the whole cluster, from counters, live rows and small tables. The cost does not grow with history. */
import {
  type ClusterFigures,
  JOB_TYPES_SHOWN,
  type JobFigure,
} from '../../domain/metrics/cluster-figures.ts';
import { COUNTED_INGESTS, COUNTED_JOBS, COUNTED_RECIPES } from '../metrics/list-counts.ts';
import { QUEUE_HEADS } from '../scheduler/queue.ts';
import { type CountedBy, countedRows } from '../sql/counted.ts';
import type { Sql } from '../sql/sql.ts';
import { statusNodes } from './facts.ts';

export async function clusterFigures(sql: Sql): Promise<ClusterFigures> {
  const [jobs, ingests, recipes, facts, nodes] = await Promise.all([
    sql.execute<JobFigure>(JOBS, [JOB_TYPES_SHOWN]),
    sql.execute<ClusterFigures['ingests'][number]>(countsBy(COUNTED_INGESTS, 'i.status', 'status')),
    sql.execute<ClusterFigures['recipes'][number]>(
      countsBy(
        COUNTED_RECIPES,
        'r.is_completed',
        '"isCompleted"',
        `where not ${facet(COUNTED_RECIPES, 'r.is_superseded')}`,
      ),
    ),
    sql.execute<Facts>(FACTS),
    statusNodes(sql),
  ]);
  const { bytes, connections, connectionsMax, ...rest } = facts[0] as Facts;
  return { jobs, ingests, recipes, nodes, ...rest, database: { bytes, connections, connectionsMax } };
}

type Facts = Pick<ClusterFigures, 'oldestQueuedS' | 'isSchedulerPaused' | 'unmetTypes' | 'coordinators'> &
  ClusterFigures['database'];

function facet(counted: CountedBy, column: string): string {
  return counted.facets[column] as string;
}

/** Counters summed by one column. */
function countsBy(counted: CountedBy, column: string, name: string, where = ''): string {
  const value = facet(counted, column);
  return /* sql */ `
    select ${value} as ${name}, sum(c.count)::bigint as count from ${countedRows(counted)} as c ${where}
    group by 1 having sum(c.count) <> 0 order by 1`;
}

const JOBS = /* sql */ `
  with counts as materialized (
    select ${facet(COUNTED_JOBS, 'j.job_type_id')} as job_type_id, ${facet(COUNTED_JOBS, 'j.status')} as status,
      sum(c.count)::bigint as count
    from ${countedRows(COUNTED_JOBS)} as c where not ${facet(COUNTED_JOBS, 'j.is_superseded')} group by 1, 2),
  shown as (
    select job_type_id from counts group by job_type_id order by sum(count) desc, job_type_id limit $1)
  select coalesce(jt.name, 'other') as name, coalesce(jt.version, '') as version, counts.status,
    sum(counts.count)::bigint as count
  from counts left join shown on shown.job_type_id = counts.job_type_id
    left join job_type jt on jt.id = shown.job_type_id
  group by 1, 2, 3 having sum(counts.count) <> 0 order by 1, 2, 3`;

const OLDEST = /* sql */ `
  with recursive ${QUEUE_HEADS}
  select min(head.queued) from head join scheduling_class c on c.key = head.class_key
    join job_type jt on jt.id = c.job_type_id and not jt.is_paused and jt.expires is null`;

const FACTS = /* sql */ `
  select greatest(0, coalesce(extract(epoch from now() - (${OLDEST})), 0))::float8 as "oldestQueuedS",
    (select is_paused from scheduler_settings) as "isSchedulerPaused",
    (select count(*) from job_type where unmet_resources is not null and is_active and expires is null) as "unmetTypes",
    (select count(*) from coordinator where expires > now()) as coordinators,
    pg_database_size(current_database()) as bytes,
    (select coalesce(sum(numbackends), 0)::bigint from pg_stat_database
      where datname = current_database()) as connections,
    current_setting('max_connections')::bigint as "connectionsMax"`;

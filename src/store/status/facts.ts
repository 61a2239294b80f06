/** The facts of the status document. Reads live rows and a bounded range of ended ones, never history. */
import type { HostReport } from '../../domain/node/agent-messages.ts';
import type { NodeCondition } from '../../domain/node/node.ts';
import { type CoordinatorWarning, LIVE_WARNINGS } from '../coordinator/warnings.ts';
import { AliasedRows, iso, listIn, object, row, type ValueOf } from '../sql/fields.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

export interface StatusNode {
  readonly id: number;
  readonly hostname: string;
  readonly agentId: string | null;
  readonly isActive: boolean;
  readonly isOnline: boolean;
  readonly isPaused: boolean;
  readonly errors: readonly NodeCondition[];
  readonly warnings: readonly NodeCondition[];
  /** The agent's total resources for jobs. */
  readonly total: Readonly<Record<string, number>>;
  /** The total resources of the host; null until its agent has reported them. */
  readonly host: HostReport | null;
  /** The resources that its running executions hold. */
  readonly held: Readonly<Record<string, number>>;
  /** Running executions by job type. */
  readonly running: readonly { readonly job_type_id: number; readonly count: number }[];
}

const RUNNING = object(
  new AliasedRows<StatusNode['running'][number]>('', 'one').columns('job_type_id', 'count'),
);

/** Every node. Relies on job_exe_running_idx. */
export function statusNodes(sql: Sql): Promise<readonly StatusNode[]> {
  return sql.execute<StatusNode>(
    `with live as materialized (select node_id, job_type_id, resources from job_exe where status = 'RUNNING'),
     held as (
       select one.node_id, json_object_agg(one.key, one.amount) as amounts from (
         select live.node_id, r.key, sum(r.value::float8) as amount
         from live, jsonb_each_text(live.resources) as r group by live.node_id, r.key) as one
       group by one.node_id),
     running as (
       select one.node_id, json_agg(${RUNNING}
         order by one.job_type_id) as counts
       from (select node_id, job_type_id, count(*) as count from live group by node_id, job_type_id) as one
       group by one.node_id)
     select n.id, n.hostname, n.agent_id as "agentId", n.is_active as "isActive", n.is_online as "isOnline",
       n.is_paused as "isPaused", n.errors, n.warnings, n.resources as total, n.host,
       coalesce(held.amounts, '{}') as held, coalesce(running.counts, '[]') as running
     from node n left join held on held.node_id = n.id left join running on running.node_id = n.id
     order by n.id`,
  );
}

/** Executions of one kind that ended within one block of time. */
export interface EndedCount {
  /** Number of the block since 1970. */
  readonly block: number;
  readonly nodeId: number;
  readonly jobTypeId: number;
  /** The category of the error of failed ones. */
  readonly outcome: 'COMPLETED' | 'SYSTEM' | 'ALGORITHM' | 'DATA';
  readonly count: number;
}

/** Canceled ones are not counted. Relies on job_exe_ended_idx. */
export function endedExecutions(sql: Sql, sinceMs: number, blockMs: number): Promise<readonly EndedCount[]> {
  return sql.execute<EndedCount>(
    `select floor(extract(epoch from x.ended) * 1000 / $2::float8)::bigint as block, x.node_id as "nodeId",
       x.job_type_id as "jobTypeId",
       case x.status when 'COMPLETED' then 'COMPLETED' else coalesce(error.category, 'SYSTEM') end as outcome,
       count(*) as count
     from job_exe x left join error on error.id = x.error_id
     where x.ended >= to_timestamp($1::float8 / 1000) and x.status in ('COMPLETED', 'FAILED')
       and ${isNoTrial('x.job_type_id')}
     group by 1, 2, 3, 4`,
    [sinceMs, blockMs],
  );
}

/** Work since a time some seconds ago. */
export interface RecentWork {
  readonly launched: number;
  readonly launchedNodes: number;
  readonly ended: number;
  readonly endedNodes: number;
}

/** Relies on job_exe_running_idx and job_exe_ended_idx. */
export async function recentWork(sql: Sql, sinceMs: number): Promise<RecentWork> {
  const rows = await sql.execute<RecentWork>(
    `with since as (select to_timestamp($1::float8 / 1000) as at),
     launched as (
       select node_id from job_exe, since where status = 'RUNNING' and started >= since.at
         and ${isNoTrial('job_type_id')}
       union all
       select node_id from job_exe, since where ended >= since.at and started >= since.at
         and ${isNoTrial('job_type_id')}),
     ended as (select node_id from job_exe, since where ended >= since.at and ${isNoTrial('job_type_id')})
     select (select count(*) from launched) as launched,
       (select count(distinct node_id) from launched) as "launchedNodes",
       (select count(*) from ended) as ended, (select count(distinct node_id) from ended) as "endedNodes"`,
    [sinceMs],
  );
  return rows[0] ?? { launched: 0, launchedNodes: 0, ended: 0, endedNodes: 0 };
}

const JOB_TYPE = object(
  row('job_type', 'jt').columns('id', 'name', 'version', 'title', 'description', 'is_system', 'icon_code'),
);
export type StatusJobType = ValueOf<typeof JOB_TYPE>;

/** Facts of the installation: small tables. */
export interface StatusFacts {
  /** The types of system jobs. All types are read apart, as there may be thousands. */
  readonly systemTypes: readonly StatusJobType[];
  /** Active types that need resources that no node has. */
  readonly unmet: readonly {
    readonly id: number;
    readonly name: string;
    readonly title: string;
    /** The names of the resources, separated by commas. */
    readonly lacking: string;
    readonly sinceMs: number;
  }[];
  /** The warnings of live coordinators. */
  readonly warnings: readonly CoordinatorWarning[];
  /** When the schema was last migrated. */
  readonly migrated: string | null;
  /** The address of the database, which stores the logs of tasks; '' for a socket of this machine. */
  readonly databaseAddress: string;
  /** Regions of the queues that strikes read, separated by commas. */
  readonly queueRegions: string;
  /** Live coordinators, and in addition those that died within the last hour without leaving. */
  readonly coordinators: { readonly live: number; readonly known: number };
}

const JOB_TYPES = {
  name: 'status_job_types',
  text: `select ${listIn(JOB_TYPE, 'job_type jt where jt.expires is null', 'jt.id')} as "jobTypes"`,
};

/** All job types, without those of trials. */
export async function statusJobTypes(sql: Sql): Promise<readonly StatusJobType[]> {
  const [found] = await sql.execute<{ jobTypes: readonly StatusJobType[] }>(JOB_TYPES);
  return found?.jobTypes ?? [];
}

export async function statusFacts(sql: Sql): Promise<StatusFacts> {
  const rows = await sql.execute<StatusFacts>(
    `select
       ${listIn(JOB_TYPE, 'job_type jt where jt.is_system and jt.expires is null', 'jt.id')} as "systemTypes",
       (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'title', title,
         'lacking', unmet_resources,
         'sinceMs', round(extract(epoch from coalesce(unmet_since, last_modified)) * 1000))
         order by id), '[]')
         from job_type where unmet_resources is not null and is_active and expires is null) as unmet,
       coalesce(host(inet_server_addr()) || ':' || inet_server_port(), '') as "databaseAddress",
       (select coalesce(string_agg(distinct configuration #>> '{monitor,region_name}', ', '), '') from strike
         where configuration #>> '{monitor,queue_type}' = 'sqs' and deleted is null) as "queueRegions",
       (select ${iso('max(executed_at)')} from schema_migration) as migrated,
       ${LIVE_WARNINGS} as warnings,
       (select json_build_object('live', count(*) filter (where expires > now()), 'known', count(*))
         from coordinator) as coordinators`,
  );
  return rows[0] as StatusFacts;
}

/** Read models of strikes, a small table, and strikes by the notification queue that they read. */

import type { JobStatus } from '../../domain/job/job.ts';
import type { Labels, LabelTerm } from '../../domain/labels.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import type { NamedBroker } from '../../domain/workspace/overlap.ts';
import { isReached, isReportedUnreached, unreachedText, untakenText } from '../node/reach.ts';
import { expression, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface StrikeFilter {
  readonly label: readonly LabelTerm[];
  readonly range: MsRange;
  readonly name: readonly string[];
  readonly id: readonly number[];
  readonly keyword: readonly string[];
}

const JOB_JOIN = 'join job on job.id = s.job_id';
const JOINS = `${JOB_JOIN} join job_type jt on jt.id = job.job_type_id`;
const s = row('strike', 's');
const job = row('job', 'job');
const INSTANTS = ['created', 'last_modified'] as const;
const UNREACHED = unreachedText('array[w.id]', 'no node reaches its workspace', 'its workspace');
/**
 * Why the strike behind `s`, with its job behind `job`, watches nothing. The job is QUEUED while no node watches, and
 * stays RUNNING where the workspace is lost by its node and no other reaches it.
 */
export const strikeReason = (job: string) =>
  expression<string | null>(`case when s.is_paused then 'the strike is paused'
  else (select case
      when ${job}.status = 'RUNNING' and not ${isReached('w.id')} and ${isReportedUnreached('w.id')} then ${UNREACHED}
      when ${job}.status <> 'QUEUED' then null
      when not w.is_active then 'the workspace ' || w.name || ' is not active'
      when not ${isReached('w.id')} then ${UNREACHED}
      else ${untakenText('w.id')} end
    from workspace w where w.id = s.workspace_id) end`);
const REASON = strikeReason('job');
const STATE = expression<'PAUSED' | 'WATCHING' | 'WAITING'>(`case when s.is_paused then 'PAUSED'
  when job.status = 'RUNNING' and ${REASON} is null then 'WATCHING' else 'WAITING' end`);
const FIELDS = {
  ...s.columns('id', 'object_version', 'name', 'title', 'description', 'is_paused'),
  labels: s.document<Labels>('labels'),
  job: object({
    ...job.columns('id'),
    job_type: jobTypeSummary('jt'),
    status: job.oneOf<JobStatus>('status'),
  }),
  state: STATE,
  reason: REASON,
  ...s.instants(...INSTANTS),
};

const STRIKES = {
  rows: s,
  joins: JOINS,
  fields: FIELDS,
  order: {
    ...s.order('id', 'is_paused', ...INSTANTS),
    ...s.textOrder('name', 'title', 'description'),
    job__id: { by: 's.job_id' },
    job__status: { by: 'job.status', join: JOB_JOIN },
  },
};

export const listStrikes = listOf(STRIKES, (where, filter: StrikeFilter) => {
  where.add('s.deleted is null');
  where.range(filter.range, 's.last_modified');
  where.anyOf('s.name', 'text', filter.name);
  where.anyOf('s.id', 'bigint', filter.id);
  where.like(['s.name', 's.title', 's.description'], filter.keyword);
  where.labels('s.labels', filter.label);
});

const DETAILS = object({ ...FIELDS, configuration: s.column('configuration') });

/** With its configuration as stored. Undefined if there is no such strike. */
export function findStrike(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, `strike s ${JOINS} where s.id = $1 and s.deleted is null`, [id]);
}

/** The place that a strike watches. */
export interface WatchedPlace {
  readonly strike: string;
  readonly workspace: NamedBroker;
}

/** Places of all strikes, including paused ones, without credentials. */
export function watchedPlaces(sql: Sql): Promise<readonly WatchedPlace[]> {
  return sql.execute<WatchedPlace>(
    `select s.name as strike, json_build_object('name', w.name,
       'broker', (w.configuration->'broker') - 'credentials') as workspace
     from strike s join workspace w on w.id = s.workspace_id where s.deleted is null order by s.id`,
  );
}

/** The inputs of a recipe type in its revisions. */
export interface RecipeTypeInputs {
  readonly isActive: boolean;
  readonly latestRevision: number;
  /** By revision: the interface documents. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The newest revision and `revision`, if they exist. Undefined if no recipe type has the name. */
export async function recipeTypeInputs(
  sql: Sql,
  name: string,
  revision: number | undefined,
): Promise<RecipeTypeInputs | undefined> {
  const rows = await sql.execute<RecipeTypeInputs>(
    `select rt.is_active as "isActive", rt.revision_num as "latestRevision",
       json_object_agg(rev.revision_num, rev.definition->'input') as inputs
     from recipe_type rt join recipe_type_rev rev on rev.recipe_type_id = rt.id
       and rev.revision_num in (rt.revision_num, $2::int)
     where rt.name = $1 and rt.deleted is null
     group by rt.id`,
    [name, revision ?? null],
  );
  return rows[0];
}

// limit: strikes that get one notification.
const STRIKES_MAX = 1_000;
const READING = {
  name: 'strikes_reading',
  text: /* sql */ `
    select id, is_paused from strike
    where configuration->'monitor'->>'type' = 'objstore'
      and configuration->'monitor'->>'queue_name' = $1   -- = strike_queue_idx
      and coalesce(configuration->'monitor'->>'queue_type', 'nats') = 'nats' and deleted is null
    order by id limit ${STRIKES_MAX}`,
};

export interface ReadingStrike {
  readonly id: number;
  readonly isPaused: boolean;
}

/** Strikes with a queue of type `nats`, including paused ones. */
export async function strikesReading(sql: Sql, queueName: string): Promise<readonly ReadingStrike[]> {
  const rows = await sql.execute<{ id: number; is_paused: boolean }>(READING, [queueName]);
  return rows.map((row) => ({ id: row.id, isPaused: row.is_paused }));
}

/** limit: deferred files that are counted. */
const DEFERRED_MAX = 100_000;

const DEFERRED_COUNT = /* sql */ `
  select count(*) as count from (
    select from ingest where strike_id = (select id from strike where name = $1) and status = 'DEFERRED'
    limit ${DEFERRED_MAX}   -- = ingest_deferred_idx
  ) as deferred`;

/** The deferred files of a strike. */
export async function deferredCount(sql: Sql, name: string): Promise<number> {
  const [row] = await sql.execute<{ count: number }>(DEFERRED_COUNT, [name]);
  return Number(row?.count ?? 0);
}

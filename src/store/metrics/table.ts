import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Counters of the rows of lists. */
export const ListCountEntity = defineEntity({
  name: 'ListCount',
  tableName: 'list_count',
  properties: {
    kind: p.text().primary(),
    facets: p.json().columnType('jsonb').primary(),
    count: bigint(),
    /** The first of its rows was last modified then or later. Null: unknown. */
    least: instant().nullable(),
  },
});

/** Folded counters of lists by spans of time, added up by days since 1970. */
export const ListDayCountEntity = defineEntity({
  name: 'ListDayCount',
  tableName: 'list_day_count',
  properties: {
    kind: p.text().primary(),
    day: bigint().primary(),
    count: bigint(),
    least: instant().nullable(),
  },
});

/** Unfolded differences of the counters of lists. */
export const ListCountDeltaEntity = defineEntity({
  name: 'ListCountDelta',
  tableName: 'list_count_delta',
  properties: {
    id: identity(),
    kind: p.text(),
    facets: p.json().columnType('jsonb'),
    count: bigint(),
    least: instant().nullable(),
  },
});

/** Counters by hour. */
export const HourTotalEntity = defineEntity({
  name: 'HourTotal',
  tableName: 'hour_total',
  properties: {
    kind: p.text().primary(),
    subjectId: bigint().primary(),
    measure: p.text().primary(),
    hour: instant().primary(),
    n: bigint(),
    total: bigint(),
    least: bigint().nullable(),
    most: bigint().nullable(),
  },
});

/** Unfolded differences of the counters by hour. */
export const HourTotalDeltaEntity = defineEntity({
  name: 'HourTotalDelta',
  tableName: 'hour_total_delta',
  properties: {
    id: identity(),
    kind: p.text(),
    subjectId: bigint(),
    measure: p.text(),
    hour: instant(),
    n: bigint(),
    total: bigint(),
    least: bigint().nullable(),
    most: bigint().nullable(),
  },
});

/** Starts by type and UTC day. */
export const DailyStartEntity = defineEntity({
  name: 'DailyStart',
  tableName: 'daily_start',
  properties: {
    kind: p.text().primary(),
    typeId: bigint().primary(),
    day: p.date().primary(),
    count: p.integer(),
  },
});

/** Unfolded starts. */
export const DailyStartDeltaEntity = defineEntity({
  name: 'DailyStartDelta',
  tableName: 'daily_start_delta',
  properties: {
    id: identity(),
    kind: p.text(),
    typeId: bigint(),
    day: p.date(),
    count: p.integer(),
  },
});

/** Ended jobs by slots of five minutes. */
export const JobOutcomeEntity = defineEntity({
  name: 'JobOutcome',
  tableName: 'job_outcome',
  properties: {
    jobTypeId: bigint().primary(),
    slot: instant().primary(),
    status: p.text().primary(),
    errorId: bigint().primary(),
    count: p.integer(),
    mostRecent: instant(),
  },
});

/** Unfolded outcomes of jobs. */
export const JobOutcomeDeltaEntity = defineEntity({
  name: 'JobOutcomeDelta',
  tableName: 'job_outcome_delta',
  properties: {
    id: identity(),
    jobTypeId: bigint(),
    slot: instant(),
    status: p.text(),
    errorId: bigint(),
    count: p.integer(),
    mostRecent: instant(),
  },
});

/** Live jobs of a type in an hour. */
export const LoadSampleEntity = defineEntity({
  name: 'LoadSample',
  tableName: 'load_sample',
  properties: {
    hour: instant().primary(),
    jobTypeId: bigint().primary(),
    pendingCount: p.integer(),
    queuedCount: p.integer(),
    runningCount: p.integer(),
  },
});

/** Hours whose live jobs were counted. */
export const LoadHourEntity = defineEntity({
  name: 'LoadHour',
  tableName: 'load_hour',
  properties: {
    hour: instant().primary(),
    measured: instant(),
  },
});

/** The resources that a node had and used when a minute was measured. */
export interface NodeOfMinute {
  readonly node_id: number;
  readonly running_count: number;
  readonly capacity: Readonly<Record<string, number>>;
  readonly used: Readonly<Record<string, number>>;
}

/** The activity of the minutes of the last day. */
export const ActivityMinuteEntity = defineEntity({
  name: 'ActivityMinute',
  tableName: 'activity_minute',
  properties: {
    minute: instant().primary(),
    measured: instant(),
    ingestedCount: p.integer(),
    recipeCount: p.integer(),
    productCount: p.integer(),
    lagP50Ms: bigint().nullable().fieldName('lag_p50_ms'),
    lagP95Ms: bigint().nullable().fieldName('lag_p95_ms'),
    lagMaxMs: bigint().nullable(),
    lagCount: p.integer(),
    nodes: p.json<readonly NodeOfMinute[]>(),
  },
});

/** Live jobs of a type in one minute. */
export interface LiveJobs {
  readonly job_type_id: number;
  readonly pending_count: number;
  readonly queued_count: number;
  readonly running_count: number;
}

/** Live jobs of the minutes of the last day, all types in one row. */
export const LoadMinuteEntity = defineEntity({
  name: 'LoadMinute',
  tableName: 'load_minute',
  properties: {
    minute: instant().primary(),
    measured: instant(),
    live: p.json<readonly LiveJobs[]>(),
  },
});

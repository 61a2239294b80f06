/**
 * Figures of the flow of files, from counters: how many there are now and how many ended within some hours. No
 * statement reads files, jobs or ingests themselves; each reads no more than definitions and hours allow.
 */
import { INGEST_STATUSES, type IngestStatus } from '../../domain/ingest/ingest.ts';
import { HOURS } from '../metrics/hour-totals.ts';
import { COUNTED_FILES, COUNTED_JOBS, COUNTED_RECIPES } from '../metrics/list-counts.ts';
import { countedRows } from '../sql/counted.ts';
import type { Sql } from '../sql/sql.ts';

export interface HourRange {
  /** Times within the first and the last hour, which both count as a whole. */
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The subjects of the hourly counters: strikes, scans, and job types. */
export type HourKind = 'ingests' | 'scan-ingests' | 'job-types';

/** By subject, and then by measure. A measure without a row is 0. */
export type HourSums = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** The sum of each measure in the range, for each subject. */
export async function hourSums(
  sql: Sql,
  kind: HourKind,
  subjectIds: readonly number[],
  measures: readonly string[],
  { startedMs, endedMs }: HourRange,
): Promise<HourSums> {
  if (subjectIds.length === 0) return new Map();
  const hour = (parameter: string) => `date_trunc('hour', to_timestamp(${parameter}::float8 / 1000), 'UTC')`;
  const rows = await sql.execute<{ id: number; measure: string; n: number }>(
    // = hour_total_pkey
    `select h.subject_id as id, h.measure, sum(h.n)::bigint as n from ${HOURS} as h
     where h.kind = $1 and h.subject_id = any($2::bigint[]) and h.measure = any($3::text[])
       and h.hour between ${hour('$4')} and ${hour('$5')}
     group by 1, 2`,
    [kind, subjectIds, measures, startedMs, endedMs],
  );
  return nested(rows.map(({ id, measure, n }) => [id, measure, n]));
}

/** How many ingests of strikes or scans have each status now. */
export async function ingestsByStatus(
  sql: Sql,
  finder: 'strike' | 'scan',
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<IngestStatus, number>>> {
  if (ids.length === 0) return new Map();
  const facets = ids.flatMap((id) =>
    INGEST_STATUSES.map((status) => {
      const [strikeId, scanId] = finder === 'strike' ? [id, null] : [null, id];
      return JSON.stringify({ status, strike_id: strikeId, scan_id: scanId });
    }),
  );
  const rows = await sql.execute<{ id: number; status: IngestStatus; n: number }>(
    // = list_count_pkey
    `with wanted as (select array(select unnest($1::text[])::jsonb) as facets)
     select (c.facets->>'${finder}_id')::bigint as id, c.facets->>'status' as status, sum(c.count)::bigint as n
     from (
       select facets, count from list_count
       where kind = 'ingest' and facets = any((select facets from wanted)::jsonb[])
       union all select facets, count from list_count_delta
       where kind = 'ingest' and facets = any((select facets from wanted)::jsonb[])) as c
     group by 1, 2`,
    [facets],
  );
  return nested(rows.map(({ id, status, n }) => [id, status, n]));
}

/** How many recipes of each type are not completed, superseded ones left out. */
export async function liveRecipes(sql: Sql): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.execute<{ id: number; n: number }>(
    `select (c.facets->>'recipe_type_id')::bigint as id, sum(c.count)::bigint as n
     from ${countedRows(COUNTED_RECIPES)} as c
     where c.facets @> '{"is_superseded": false, "is_completed": false}'
     group by 1 having sum(c.count) > 0`,
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** How many jobs of each of these types have each status now, superseded ones left out. */
export async function jobsByStatus(
  sql: Sql,
  jobTypeIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  if (jobTypeIds.length === 0) return new Map();
  const rows = await sql.execute<{ id: number; status: string; n: number }>(
    `select (c.facets->>'job_type_id')::bigint as id, c.facets->>'status' as status, sum(c.count)::bigint as n
     from ${countedRows(COUNTED_JOBS)} as c
     where c.facets @> '{"is_superseded": false}' and (c.facets->>'job_type_id')::bigint = any($1::bigint[])
     group by 1, 2`,
    [jobTypeIds],
  );
  return nested(rows.map(({ id, status, n }) => [id, status, n]));
}

export interface ProductCount {
  readonly recipeTypeId: number;
  readonly jobTypeId: number;
  readonly count: number;
}

/** How many products there are of each job type in recipes of these types. */
export function productCounts(sql: Sql, recipeTypeIds: readonly number[]): Promise<readonly ProductCount[]> {
  return sql.execute<ProductCount>(
    `select (c.facets->>'recipe_type_id')::bigint as "recipeTypeId",
       (c.facets->>'job_type_id')::bigint as "jobTypeId", sum(c.count)::bigint as count
     from ${countedRows(COUNTED_FILES)} as c
     where (c.facets->>'recipe_type_id')::bigint = any($1::bigint[]) and c.facets->>'job_type_id' is not null
     group by 1, 2 having sum(c.count) > 0`,
    [recipeTypeIds],
  );
}

function nested<Name extends string>(
  rows: readonly (readonly [id: number, name: Name, n: number])[],
): ReadonlyMap<number, ReadonlyMap<Name, number>> {
  const found = new Map<number, Map<Name, number>>();
  for (const [id, name, n] of rows) {
    const named = found.get(id) ?? new Map<Name, number>();
    found.set(id, named.set(name, n));
  }
  return found;
}

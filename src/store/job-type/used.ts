/** The resources that recent executions of a job type used, beside those that they were given. */
import { expression, iso, object, orNull, type ValueOf } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: executions that count: the newest ones with figures. */
export const EXECUTIONS_MAX = 200;

const MIB = 1024 * 1024;
const USED = (name: string): string => `(r.used->>'${name}')::float8`;
const GIVEN = (name: string): string => `(newest.resources->>'${name}')::float8`;
const SECONDS = 'extract(epoch from r.seed_ended - r.seed_started)::float8';

/** By figure: its value for an execution `r`, and the amount that the newest execution was given. */
const FIGURES = {
  memory_bytes: [USED('memoryBytes'), `${GIVEN('mem')} * ${MIB}`],
  cpus: [`${USED('processorUs')} / 1e6 / nullif(${SECONDS}, 0)`, GIVEN('cpus')],
  processor_seconds: [`${USED('processorUs')} / 1e6`, 'null::float8'],
  seconds: [SECONDS, 'nullif(newest.timeout_s, 0)::float8'],
  read_bytes: [USED('readBytes'), 'null::float8'],
  written_bytes: [USED('writtenBytes'), 'null::float8'],
  disk_bytes: [USED('diskBytes'), `${GIVEN('disk')} * ${MIB}`],
} as const;
export type FigureName = keyof typeof FIGURES;
const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[];

function figure(name: FigureName) {
  const [value, given] = FIGURES[name];
  const at = (share: number) =>
    expression<number>(`percentile_disc(${share}) within group (order by ${value})`);
  const record = object({
    p50: at(0.5),
    p95: at(0.95),
    max: expression<number>(`max(${value})`),
    given: expression<number | null>(`(select ${given} from newest)`),
  });
  return orNull(`max(${value})`, record);
}

const ALL = object(
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure(name)])) as {
    [Name in FigureName]: ReturnType<typeof figure>;
  },
);

const RECORD = object({
  job_type: jobTypeSummary('jt'),
  executions: expression<number>('found.executions'),
  oldest: iso<string | null>('found.oldest'),
  newest: iso<string | null>('found.newest'),
  figures: expression<ValueOf<typeof ALL>>('found.figures'),
});

const FROM = /* sql */ `
  job_type jt cross join lateral (
    with recent as materialized (
      select x.used, x.resources, x.timeout_s, x.seed_started, x.seed_ended, x.ended from job_exe x
      where x.job_type_id = jt.id and x.used is not null   -- = job_exe_used_idx
      order by x.ended desc limit ${EXECUTIONS_MAX}),
    newest as (select resources, timeout_s from recent order by ended desc limit 1)
    select count(*) as executions, min(r.ended) as oldest, max(r.ended) as newest, ${ALL} as figures
    from recent r) as found
  where jt.name = $1 and jt.version = $2 and jt.deleted is null`;

/** Undefined if there is no such job type. */
export async function findJobTypeUsed(sql: Sql, name: string, version: string) {
  const [record] = await readRecords(sql, RECORD, FROM, [name, version]);
  return record;
}

/** limit: executions of each type whose mean counts. */
const MEAN_OF = 50;

const MEANS = /* sql */ `
  select type.id, avg(recent.us) / 1e6 as seconds from unnest($1::bigint[]) as type (id) cross join lateral (
    select (x.used->>'processorUs')::float8 as us from job_exe x
    where x.job_type_id = type.id and x.used is not null   -- = job_exe_used_idx
    order by x.ended desc limit ${MEAN_OF}) as recent
  group by type.id having avg(recent.us) is not null`;

/** The mean of the processor seconds of recent executions, by job type; types without figures are left out. */
export async function meanProcessorSeconds(
  sql: Sql,
  jobTypeIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.execute<{ id: number; seconds: number }>(MEANS, [idArray(jobTypeIds)]);
  return new Map(rows.map(({ id, seconds }) => [id, seconds]));
}

/** Counts the rows of lists: by what triggers have counted (`metrics/list-counts.ts`), else by reading an index. */
import { type ColumnRange, type Conditions, instantOf } from './conditions.ts';
import { isNoTrial } from './trials.ts';

/** The columns that rows are counted by, as in the triggers, and the types of their values. */
export interface CountedBy {
  readonly kind:
    | 'file'
    | 'file_batch'
    | 'file_country'
    | 'ingest'
    | 'job'
    | 'job_batch'
    | 'recipe'
    | 'recipe_batch';
  /** By column with its alias, such as `j.status`. */
  readonly facets: Readonly<Record<string, string>>;
}

/** Rows, those of trials included, by the span of time in which an instant of theirs lies. */
export interface CountedBySpan {
  readonly kind: 'file_time' | 'ingest_time' | 'job_time' | 'recipe_time';
  readonly column: string;
}

/** The spans of the triggers (migration 0023), which count from 1970. */
const SPAN_MS = 600_000;
const SPAN = `(c.facets->>'span')::bigint`; // = list_count_span_idx

const OF_NO_TRIAL = isNoTrial(`coalesce((facets->>'job_type_id')::bigint, 0)`);
/** Counters of these are by job type as well, and those of trials are left out. */
const WITH_JOB_TYPES: readonly string[] = ['file', 'file_country', 'job'] satisfies CountedBy['kind'][];

/** A statement for `count`. `where` uses the facets' expressions. */
export function countStatement(counted: CountedBy, where: string): string {
  return /* sql */ `select coalesce(sum(c.count), 0)::bigint as count from ${countedRows(counted)} as c ${where}`;
}

/** The counters as they are now, `facets` and `count`: those that are folded, and what statements have added since. */
export function countedRows({ kind }: CountedBy | CountedBySpan): string {
  const which = `kind = '${kind}'${WITH_JOB_TYPES.includes(kind) ? ` and ${OF_NO_TRIAL}` : ''}`;
  return /* sql */ `(
    select facets, count from list_count where ${which}
    union all select facets, count from list_count_delta where ${which})`;
}

/** A statement for the `count` of the rows of `from` that match. */
export function countOfRows(
  from: string,
  conditions: Conditions,
  counted: readonly CountedBy[] = [],
  countedBySpan?: CountedBySpan,
): string {
  for (const one of counted) {
    const where = conditions.whereOn(one.facets);
    if (where === undefined) continue;
    const { twice } = conditions;
    if (twice === undefined) return countStatement(one, where);
    return `select c.count - (select count(*) from ${from} where ${twice}) as count
      from (${countStatement(one, where)}) as c`;
  }
  const { where, orWhere } = conditions;
  if (orWhere !== undefined) {
    return `select count(*) as count from (
      select from ${from} ${where} union all select from ${from} ${orWhere}) as found`;
  }
  const range = countedBySpan && conditions.onlyRange(countedBySpan.column);
  const all =
    (range && countInRange(from, countedBySpan, range)) ??
    `(select count(*) from ${from} ${conditions.whereWithTrials()})`;
  return `select ${all}${withoutTrials(from, conditions)} as count`;
}

/**
 * The rows of trials are few, and are counted apart: whether a row belongs to one is in few indexes, so that all rows
 * would be read for it.
 */
function withoutTrials(from: string, conditions: Conditions): string {
  const { trialsBy } = conditions;
  if (trialsBy === undefined) return '';
  const where = conditions.whereWithTrials(`${trialsBy} = trial.id`);
  return ` - (select coalesce(sum(found.count), 0)::bigint from job_type as trial
    cross join lateral (select count(*) as count from ${from} ${where}) as found
    where trial.expires is not null)`; // = job_type_trial_idx
}

/**
 * Whole spans by their counters, and the rows of the spans at both ends. Undefined if the range contains no whole span.
 */
function countInRange(
  from: string,
  by: CountedBySpan,
  { range, started, ended }: ColumnRange,
): string | undefined {
  const { startedMs = Number.NEGATIVE_INFINITY, endedMs = Number.POSITIVE_INFINITY } = range;
  if (Math.ceil(startedMs / SPAN_MS) >= Math.floor(endedMs / SPAN_MS)) return undefined;
  const { column } = by;
  const rows = (...wheres: string[]) => `(select count(*) from ${from} where ${wheres.join(' and ')})`;
  const spans: string[] = [];
  const parts: string[] = [];
  if (started !== undefined) {
    const first = `ceil(${started}::float8 / ${SPAN_MS})`;
    spans.push(`${SPAN} >= ${first}::bigint`);
    parts.push(
      rows(`${column} >= ${instantOf(started)}`, `${column} < ${instantOf(`(${first} * ${SPAN_MS})`)}`),
    );
  }
  if (ended !== undefined) {
    const end = `floor(${ended}::float8 / ${SPAN_MS})`;
    spans.push(`${SPAN} < ${end}::bigint`);
    parts.push(
      rows(`${column} >= ${instantOf(`(${end} * ${SPAN_MS})`)}`, `${column} <= ${instantOf(ended)}`),
    );
  }
  const whole = `(select coalesce(sum(c.count), 0)::bigint from ${countedRows(by)} as c where ${spans.join(' and ')})`;
  return [whole, ...parts].join(' + ');
}

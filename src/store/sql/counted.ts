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
  readonly table: 'file' | 'ingest' | 'job' | 'recipe';
  /** The name of the column, or `time` for `last_modified`. */
  readonly name: string;
  /** With its alias, such as `j.last_modified`. */
  readonly column: string;
}

/** Counters by the spans of `last_modified`, which come first, and of other instants (migrations 0023 and 0026). */
export function countedBySpans(
  table: CountedBySpan['table'],
  alias: string,
  instants: readonly string[] = [],
): readonly CountedBySpan[] {
  return [
    { table, name: 'time', column: `${alias}.last_modified` },
    ...instants.map((name) => ({ table, name, column: `${alias}.${name}` })),
  ];
}

/** The spans of the triggers, which count from 1970. */
const SPAN_MS = 600_000;
const SPANS_PER_DAY = 144;
const SPAN = `(c.facets->>'span')::bigint`; // = list_count_span_idx

const OF_NO_TRIAL = isNoTrial(`coalesce((facets->>'job_type_id')::bigint, 0)`);
/** Counters of these are by job type as well, and those of trials are left out. */
const WITH_JOB_TYPES: readonly string[] = ['file', 'file_country', 'job'] satisfies CountedBy['kind'][];

/** A statement for `count`. `where` uses the facets' expressions. */
export function countStatement(counted: CountedBy, where: string): string {
  return /* sql */ `select coalesce(sum(c.count), 0)::bigint as count from ${countedRows(counted)} as c ${where}`;
}

/** The counters as they are now, `facets` and `count`: those that are folded, and what statements have added since. */
export function countedRows({ kind }: CountedBy): string {
  const which = `kind = '${kind}'${WITH_JOB_TYPES.includes(kind) ? ` and ${OF_NO_TRIAL}` : ''}`;
  return /* sql */ `(
    select facets, count from list_count where ${which}
    union all select facets, count from list_count_delta where ${which})`;
}

/** What a count says: the rows, and before when none of them was last modified, in milliseconds, if that is known. */
export interface Counted {
  readonly count: number;
  readonly leastMs?: number | null;
  /** With `leastMs`: rows of the list that were last modified then or later, whether they match or not, to a day. */
  readonly laterCount?: number;
}

/** Whether rows are counted with those of trials, which are then counted apart: no counter has all columns. */
export function countsTrialsApart(conditions: Conditions, counted: readonly CountedBy[] = []): boolean {
  if (conditions.trialsBy === undefined || conditions.orWhere !== undefined) return false;
  return counted.every(({ facets }) => conditions.whereOn(facets) === undefined);
}

/**
 * A statement for the count of the rows of `from` that match: a row as `Counted` has it. `trials` is the parameter of
 * the ids of trials, if they are counted apart and there are any.
 */
export function countOfRows(
  from: string,
  conditions: Conditions,
  counted: readonly CountedBy[] = [],
  bySpans: readonly CountedBySpan[] = [],
  trials?: string,
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
  const range = conditions.onlyRange;
  const bySpan = range && bySpans.find(({ column }) => column === range.column);
  const withoutTrials = trials === undefined ? '' : ` - ${countOfTrials(from, conditions, trials)}`;
  return (
    (bySpan && countInRange(from, bySpan, range, withoutTrials)) ??
    `select (select count(*) from ${from} ${conditions.whereWithTrials()})${withoutTrials} as count`
  );
}

/**
 * The rows of trials are few. Whether a row belongs to one is in few indexes, so all rows would be read to leave them
 * out of the count. Their ids are a parameter: for ids that it does not know, the planner expects as many rows as a
 * type has on average, and may read the whole table.
 */
function countOfTrials(from: string, conditions: Conditions, trials: string): string {
  const where = conditions.whereWithTrials(`${conditions.trialsBy} = any(${trials}::bigint[])`);
  return `(select count(*) from ${from} ${where})`;
}

/** The bounds of spans or days, as SQL; undefined where the range is open. */
interface Bounds {
  readonly first: string | undefined;
  readonly end: string | undefined;
}

/** Conditions on what is in the bounds. */
function within(unit: string, { first, end }: Bounds): string[] {
  return [
    ...(first === undefined ? [] : [`${unit} >= (${first})::bigint`]),
    ...(end === undefined ? [] : [`${unit} < (${end})::bigint`]),
  ];
}

/**
 * Whole spans by their counters, and the rows of the spans at both ends. Undefined if the range contains no whole span.
 */
function countInRange(
  from: string,
  { table, name, column }: CountedBySpan,
  { range, started, ended }: ColumnRange,
  withoutTrials: string,
): string | undefined {
  const { startedMs = Number.NEGATIVE_INFINITY, endedMs = Number.POSITIVE_INFINITY } = range;
  const [firstSpan, endSpan] = [Math.ceil(startedMs / SPAN_MS), Math.floor(endedMs / SPAN_MS)];
  if (firstSpan >= endSpan) return undefined;
  const first = started && `ceil(${started}::float8 / ${SPAN_MS})`;
  const end = ended && `floor(${ended}::float8 / ${SPAN_MS})`;
  const touched = { first: started && `floor(${started}::float8 / ${SPAN_MS})`, end: end && `${end} + 1` };
  const hasDay = Math.ceil(firstSpan / SPANS_PER_DAY) < Math.floor(endSpan / SPANS_PER_DAY);
  const counters = countersOf(`${table}_${name}`, { first, end }, touched, hasDay);
  const rows = (...wheres: string[]) => ` + (select count(*) from ${from} where ${wheres.join(' and ')})`;
  const beginOf = (span: string) => instantOf(`(${span} * ${SPAN_MS})`);
  const before =
    first === undefined || started === undefined
      ? ''
      : rows(`${column} >= ${instantOf(started)}`, `${column} < ${beginOf(first)}`);
  const after =
    end === undefined || ended === undefined
      ? ''
      : rows(`${column} >= ${beginOf(end)}`, `${column} <= ${instantOf(ended)}`);
  return `with spans as materialized (${counters.join(' union all ')}),
    found as (select coalesce(sum(count), 0)::bigint as count, extract(epoch from min(least)) as least from spans)
    select found.count${before}${after}${withoutTrials} as count, (found.least * 1000)::float8 as "leastMs",
      (select coalesce(sum(d.count), 0)::bigint from list_day_count as d   -- = list_day_count_pkey
        where d.kind = '${table}_time' and d.day >= floor(found.least / 86400)::bigint)
      + (select coalesce(sum(c.count), 0)::bigint from list_count_delta as c
        where c.kind = '${table}_time' and ${SPAN} >= floor(found.least / 600)::bigint) as "laterCount"
    from found`;
}

/**
 * Statements for the counters of days, of the spans before the first and after the last day, and of what statements
 * have added since: `count` of whole spans, and `least` of all that the range touches.
 */
function countersOf(kind: string, whole: Bounds, touched: Bounds, hasDay: boolean): string[] {
  const count = `case when ${within(SPAN, whole).join(' and ')} then c.count else 0 end`;
  const ofSpans = (bounds: Bounds, table = 'list_count') =>
    `select ${count} as count, c.least from ${table} as c
      where ${[`c.kind = '${kind}'`, ...within(SPAN, bounds)].join(' and ')}`;
  const added = ofSpans(touched, 'list_count_delta');
  if (!hasDay) return [ofSpans(touched), added];
  const days: Bounds = {
    first: whole.first && `ceil(${whole.first} / ${SPANS_PER_DAY})`,
    end: whole.end && `floor(${whole.end} / ${SPANS_PER_DAY})`,
  };
  return [
    `select c.count, c.least from list_day_count as c
      where ${[`c.kind = '${kind}'`, ...within('c.day', days)].join(' and ')}`, // = list_day_count_pkey
    ...(days.first ? [ofSpans({ first: touched.first, end: `${days.first} * ${SPANS_PER_DAY}` })] : []),
    ...(days.end ? [ofSpans({ first: `${days.end} * ${SPANS_PER_DAY}`, end: touched.end })] : []),
    added,
  ];
}

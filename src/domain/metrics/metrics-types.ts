/**
 * The types of metrics: their columns, and the hourly counters (measures) from which each column is computed. The
 * interface defines the names and order of columns; the store defines the measures (hour-totals).
 */

const METRICS_NAMES = ['errors', 'ingests', 'job-types', 'scan-ingests'] as const;
/** The store keeps its counters under the same names. */
export type MetricsName = (typeof METRICS_NAMES)[number];

export type MetricsUnits = 'count' | 'seconds' | 'bytes';
export type MetricsAggregate = 'sum' | 'min' | 'max' | 'avg';

export interface MetricsColumn {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly units: MetricsUnits;
  readonly group: string;
  readonly aggregate: MetricsAggregate;
  /** The counters that are summed to make it. */
  readonly measures: readonly string[];
}

export interface MetricsGroup {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

export interface MetricsType {
  readonly name: MetricsName;
  readonly title: string;
  readonly description: string;
  /** Fields by which a client may filter the objects that it can request metrics of. */
  readonly filters: readonly { readonly param: string; readonly type: string }[];
  readonly groups: readonly MetricsGroup[];
  readonly columns: readonly MetricsColumn[];
  /** If none of these was counted in an hour, the hour has no values. */
  readonly presence: readonly string[];
}

function count(name: string, title: string, description: string, measures: string[], group = 'overview') {
  return { name, title, description, units: 'count', group, aggregate: 'sum', measures } as const;
}

const AGGREGATES = [
  ['sum', 'Sum', 'Total'],
  ['min', 'Min', 'Least'],
  ['max', 'Max', 'Greatest'],
  ['avg', 'Avg', 'Average'],
] as const;

/** The four columns of a quantity. `what` completes "Total …". */
function quantity(
  group: MetricsGroup,
  units: 'seconds' | 'bytes',
  what: string,
  measures: readonly string[],
): MetricsColumn[] {
  return AGGREGATES.map(([aggregate, suffix, word]) => ({
    name: `${group.name}_${aggregate}`,
    title: `${group.title} (${suffix})`,
    description: `${word} ${what}.`,
    units,
    group: group.name,
    aggregate,
    measures,
  }));
}

function group(name: string, title: string, description: string): MetricsGroup {
  return { name, title, description };
}

const OVERVIEW = group('overview', 'Overview', 'How many there were.');

const ERRORS: MetricsType = {
  name: 'errors',
  title: 'Errors',
  description: 'How often executions of jobs ended with each registered error.',
  filters: [
    { param: 'name', type: 'string' },
    { param: 'category', type: 'string' },
  ],
  groups: [OVERVIEW],
  columns: [count('total_count', 'Total Count', 'Executions that ended with the error.', ['ended'])],
  presence: ['ended'],
};

const INGEST_ENDS = ['deferred', 'ingested', 'errored', 'duplicate'];
const FILE_SIZE = group('file_size', 'File Size', 'Sizes of the files.');
const TRANSFER_TIME = group('transfer_time', 'Transfer Time', 'How long the files were on their way.');
const INGEST_TIME = group('ingest_time', 'Ingest Time', 'How long it took to ingest the files.');

const INGESTS: MetricsType = {
  name: 'ingests',
  title: 'Ingests',
  description: 'Files that came in, by the strike that saw them.',
  filters: [{ param: 'name', type: 'string' }],
  groups: [OVERVIEW, FILE_SIZE, TRANSFER_TIME, INGEST_TIME],
  columns: [
    count('deferred_count', 'Deferred Count', 'Files that no rule takes.', ['deferred']),
    count('ingested_count', 'Ingested Count', 'Files that were ingested.', ['ingested']),
    count('errored_count', 'Errored Count', 'Files that failed.', ['errored']),
    count('duplicate_count', 'Duplicate Count', 'Files that were there already.', ['duplicate']),
    count('total_count', 'Total Count', 'All of these.', INGEST_ENDS),
    ...quantity(FILE_SIZE, 'bytes', 'size of the counted files', INGEST_ENDS),
    ...quantity(TRANSFER_TIME, 'seconds', 'time from first sight to completeness', ['transfer_time']),
    ...quantity(INGEST_TIME, 'seconds', 'time of ingesting, of ingested files', ['ingest_time']),
  ],
  presence: INGEST_ENDS,
};

const SCAN_INGESTS: MetricsType = {
  ...INGESTS,
  name: 'scan-ingests',
  title: 'Scan Ingests',
  description: 'Files that were found, by the scan that found them.',
};

const JOB_ENDS = ['completed', 'failed', 'canceled'];
const TIMES = [
  ['queue_time', 'Queue Time', 'time from queued to started'],
  ['pre_time', 'Pre-task Time', 'time of the task before the main one'],
  ['job_time', 'Job Task Time', 'time of the main task'],
  ['post_time', 'Post-task Time', 'time of the task after the main one'],
  ['run_time', 'Run Time', 'time from started to ended'],
  ['stage_time', 'Stage Time', 'time of the run in which no task ran'],
] as const;
const TIME_GROUPS = TIMES.map(([name, title, what]) => ({
  what,
  group: group(name, title, `Completed executions: ${what}.`),
}));

const JOB_TYPES: MetricsType = {
  name: 'job-types',
  title: 'Job Types',
  description: 'Jobs that ended, and how long their completed executions took, by job type.',
  filters: [
    { param: 'name', type: 'string' },
    { param: 'version', type: 'string' },
  ],
  groups: [
    OVERVIEW,
    group('errors', 'Errors', 'Failed jobs by the category of their error.'),
    ...TIME_GROUPS.map((one) => one.group),
  ],
  columns: [
    count('completed_count', 'Completed Count', 'Jobs that are COMPLETED.', ['completed']),
    count('failed_count', 'Failed Count', 'Jobs that are FAILED.', ['failed']),
    count('canceled_count', 'Canceled Count', 'Jobs that are CANCELED.', ['canceled']),
    count('total_count', 'Total Count', 'All of these.', JOB_ENDS),
    ...(['SYSTEM', 'DATA', 'ALGORITHM'] as const).map((category) => {
      const [name, word] = [`error_${category.toLowerCase()}`, category[0] + category.slice(1).toLowerCase()];
      const text = `Jobs that are FAILED with a ${category} error.`;
      return count(`${name}_count`, `${word} Error Count`, text, [name], 'errors');
    }),
    ...TIME_GROUPS.flatMap((one) => quantity(one.group, 'seconds', one.what, [one.group.name])),
  ],
  presence: JOB_ENDS,
};

/** In the order of lists. */
export const METRICS_TYPES: readonly MetricsType[] = [ERRORS, INGESTS, JOB_TYPES, SCAN_INGESTS];

/** Undefined if no type has this name. */
export function metricsType(name: string): MetricsType | undefined {
  return METRICS_TYPES.find((type) => type.name === name);
}

/**
 * The requested columns: those named, in that order, then those of the groups that are not among them; without either,
 * all of the type. Unknown ones are ignored.
 */
export function chosenColumns(
  type: MetricsType,
  names: readonly string[],
  groups: readonly string[],
): readonly MetricsColumn[] {
  if (names.length === 0 && groups.length === 0) return type.columns;
  const named = names.flatMap((name) => type.columns.filter((column) => column.name === name));
  const grouped = type.columns.filter((column) => groups.includes(column.group));
  return [...new Set([...named, ...grouped])];
}

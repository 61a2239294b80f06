/** `/v6/metrics/`: figures by hour, and their columns. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import {
  chosenColumns,
  type MetricsType as KnownType,
  METRICS_TYPES,
  type MetricsColumn,
  metricsType,
} from '../../domain/metrics/metrics-types.ts';
import { IssueList, problemSentence } from '../../domain/validation.ts';
import { defineList } from '../../http/list.ts';
import type { Paging } from '../../http/request/paging.ts';
import { integers, texts } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { type TimeRange, timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, integer, named, oneOf, orNull } from '../../http/schema.ts';
import {
  type MetricsPoint,
  metricsChoices,
  metricsPoints,
  unknownChoices,
} from '../../store/metrics/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { existing } from '../shared/existing.ts';

const Column = named(
  'MetricsColumn',
  Type.Object({
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    units: oneOf(['count', 'seconds', 'bytes']),
    group: Type.String({ description: 'Name of its group.' }),
    aggregate: oneOf(['sum', 'min', 'max', 'avg'], 'How values of several choices are combined.'),
  }),
);

const FIELDS = {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  filters: Type.Array(Type.Object({ param: Type.String(), type: Type.String() }), {
    description:
      'Fields of the choices by which a client may narrow them down. They are not parameters of any call.',
  }),
  groups: Type.Array(Type.Object({ name: Type.String(), title: Type.String(), description: Type.String() })),
  columns: Type.Array(Column),
};
const MetricsType = named('MetricsType', Type.Object(FIELDS));
const MetricsTypeDetails = named(
  'MetricsTypeDetails',
  Type.Object({
    ...FIELDS,
    choices: Type.Array(document('An error, a strike or a job type.'), {
      description: 'What the figures can be restricted to, by id.',
    }),
  }),
);

const DAY = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-31'] });
const PlotSeries = named(
  'MetricsPlotSeries',
  Type.Object({
    column: Column,
    min_x: orNull(DAY),
    max_x: orNull(DAY),
    min_y: orNull(integer()),
    max_y: orNull(integer()),
    values: Type.Array(
      Type.Object({
        id: Type.Optional(id('The choice; absent unless there are several in the query.')),
        datetime: Type.String({
          description: 'The beginning of an hour, UTC, without a zone.',
          examples: ['2026-01-31T14:00:00'],
        }),
        value: integer(),
      }),
      { description: 'The oldest first.' },
    ),
  }),
);

type TypeRecord = Static<typeof MetricsType>;
type PlotRecord = Static<typeof PlotSeries>;

interface MetricsParts {
  readonly sql: Sql;
  /** The most values of one answer, for tests. */
  readonly metricsValuesMax?: number;
}

// limit: values of one answer, some 15 MB of JSON. A larger one is refused, not cut.
const VALUES_MAX = 200_000;

interface PlotQuery {
  readonly range: TimeRange;
  readonly choice_id: readonly number[];
  readonly column: readonly string[];
  readonly group: readonly string[];
}

/** Throws INVALID_PARAMETER, with every column, group and choice that the type does not have. */
async function plotOf(
  { sql, metricsValuesMax: valuesMax = VALUES_MAX }: MetricsParts,
  type: KnownType,
  query: PlotQuery,
  page: Paging,
) {
  await checkQuery(sql, type, query);
  const columns = chosenColumns(type, query.column, query.group);
  const shown = columns.slice(page.offset, page.offset + page.pageSize);
  const wanted = { type, columns: shown, range: query.range, choiceIds: query.choice_id };
  const points = shown.length === 0 ? [] : await metricsPoints(sql, wanted, valuesMax + 1);
  if (points.length > valuesMax) throw tooMuch(valuesMax);
  return { count: columns.length, results: seriesOf(shown, points, query.choice_id.length > 1) };
}

function recordOf(type: KnownType): TypeRecord {
  const { name, title, description } = type;
  return {
    ...{ name, title, description },
    filters: [...type.filters],
    groups: [...type.groups],
    columns: type.columns.map(columnRecord),
  };
}

function columnRecord(column: MetricsColumn): TypeRecord['columns'][number] {
  const { measures: _, ...record } = column;
  return record;
}

/** Throws INVALID_PARAMETER, as `plotOf` does. */
async function checkQuery(sql: Sql, type: KnownType, query: PlotQuery): Promise<void> {
  const issues = new IssueList();
  for (const name of query.column) {
    if (!type.columns.some((column) => column.name === name)) {
      issues.error('UNKNOWN_COLUMN', 'column', `${type.name} have no column "${name}"`);
    }
  }
  for (const name of query.group) {
    if (!type.groups.some((group) => group.name === name)) {
      issues.error('UNKNOWN_GROUP', 'group', `${type.name} have no group "${name}"`);
    }
  }
  for (const id of await unknownChoices(sql, type.name, query.choice_id)) {
    issues.error('UNKNOWN_CHOICE', 'choice_id', `${type.name} have no choice ${id}`);
  }
  if (issues.ok) return;
  const { errors } = issues;
  throw new AppError('INVALID_PARAMETER', problemSentence(errors, 'the query'), { errors });
}

function tooMuch(valuesMax: number): AppError {
  const description = `there are more than ${valuesMax} values: shorten the range, or ask for fewer columns or choices`;
  const errors = [{ name: 'TOO_MANY_VALUES', path: 'started', description }];
  return new AppError('INVALID_PARAMETER', description, { errors });
}

function seriesOf(
  columns: readonly MetricsColumn[],
  points: readonly MetricsPoint[],
  hasIds: boolean,
): PlotRecord[] {
  const byColumn = columns.map((): MetricsPoint[] => []);
  for (const point of points) byColumn[point.place]?.push(point);
  return columns.map((column, at) => oneSeries(column, byColumn[at] ?? [], hasIds));
}

function oneSeries(column: MetricsColumn, points: readonly MetricsPoint[], hasIds: boolean): PlotRecord {
  const first = points[0];
  const last = points.at(-1);
  return {
    column: columnRecord(column),
    min_x: first === undefined ? null : isoOf(first).slice(0, 10),
    max_x: last === undefined ? null : isoOf(last).slice(0, 10),
    min_y: extreme(points, Math.min),
    max_y: extreme(points, Math.max),
    values: points.map((point) => ({
      ...(hasIds ? { id: point.choiceId } : {}),
      datetime: isoOf(point).slice(0, 19),
      value: point.value,
    })),
  };
}

function isoOf(point: MetricsPoint): string {
  return new Date(point.hourMs).toISOString();
}

function extreme(points: readonly MetricsPoint[], choose: (a: number, b: number) => number): number | null {
  return points.reduce<number | null>(
    (best, { value }) => (best === null ? value : choose(best, value)),
    null,
  );
}

const WHAT = 'type of metrics';

const list = defineList({
  path: '/v6/metrics/',
  summary: 'List types of metrics',
  record: MetricsType,
  records({ query: { paging } }) {
    const shown = METRICS_TYPES.slice(paging.offset, paging.offset + paging.pageSize);
    return { count: METRICS_TYPES.length, results: shown.map(recordOf) };
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/metrics/{name}/',
  summary: 'A type of metrics, with what it can be restricted to',
  params: { name: pathText },
  replies: { 200: MetricsTypeDetails },
  async handle({ params }, { sql }: MetricsParts) {
    const type = existing(metricsType(params.name), WHAT, params.name);
    return reply(200, { ...recordOf(type), choices: await metricsChoices(sql, type.name) });
  },
});

const plot = defineList({
  path: '/v6/metrics/{name}/plot-data/',
  summary: 'Figures by hour, one series for each column',
  description:
    'Both ends of the range are compared with the beginnings of hours. The columns that are named come first, in the ' +
    'order of the query, then those of groups; without either, all columns of the type. Without choices the figures ' +
    'are those of all choices together.',
  params: { name: pathText },
  query: {
    range: timeRange(),
    choice_id: integers('Ids of choices of the type.', { minimum: 1 }),
    column: texts('Names of columns.'),
    group: texts('Names of groups of columns.'),
  },
  record: PlotSeries,
  records: ({ params, query }, parts: MetricsParts) =>
    plotOf(parts, existing(metricsType(params.name), WHAT, params.name), query, query.paging),
});

export const metricsRoutes = [list, details, plot];

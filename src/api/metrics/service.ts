/** Metrics: what their routes need, from the store. */
import { AppError } from '../../domain/errors.ts';
import {
  chosenColumns,
  METRICS_TYPES,
  type MetricsColumn,
  type MetricsType,
  metricsType,
} from '../../domain/metrics/metrics-types.ts';
import { IssueList, problemSentence } from '../../domain/validation.ts';
import {
  type MetricsPoint,
  metricsChoices,
  metricsPoints,
  unknownChoices,
} from '../../store/metrics/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { MetricsPlotRecord, MetricsRouteDeps, MetricsTypeRecord, PlotQuery } from './routes.ts';

// limit: values of one answer, some 15 MB of JSON. A larger one is refused, not cut.
const VALUES_MAX = 200_000;

export function metricsApp(sql: Sql, valuesMax = VALUES_MAX): MetricsRouteDeps['metrics'] {
  return {
    list: (page) => {
      const shown = METRICS_TYPES.slice(page.offset, page.offset + page.pageSize);
      return { count: METRICS_TYPES.length, results: shown.map(recordOf) };
    },
    async find(name) {
      const type = metricsType(name);
      if (type === undefined) return undefined;
      return { ...recordOf(type), choices: await metricsChoices(sql, type.name) };
    },
    async plot(name, query, page) {
      const type = metricsType(name);
      if (type === undefined) return undefined;
      await checkQuery(sql, type, query);
      const columns = chosenColumns(type, query.column, query.group);
      const shown = columns.slice(page.offset, page.offset + page.pageSize);
      const points =
        shown.length === 0
          ? []
          : await metricsPoints(
              sql,
              { type, columns: shown, range: query.range, choiceIds: query.choice_id },
              valuesMax + 1,
            );
      if (points.length > valuesMax) throw tooMuch(valuesMax);
      return { count: columns.length, results: seriesOf(shown, points, query.choice_id.length > 1) };
    },
  };
}

function recordOf(type: MetricsType): MetricsTypeRecord {
  const { name, title, description } = type;
  return {
    ...{ name, title, description },
    filters: [...type.filters],
    groups: [...type.groups],
    columns: type.columns.map(columnRecord),
  };
}

function columnRecord(column: MetricsColumn): MetricsTypeRecord['columns'][number] {
  const { measures: _, ...record } = column;
  return record;
}

/** Reports everything that the type does not have. */
async function checkQuery(sql: Sql, type: MetricsType, query: PlotQuery): Promise<void> {
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
): MetricsPlotRecord[] {
  const byColumn = columns.map((): MetricsPoint[] => []);
  for (const point of points) byColumn[point.place]?.push(point);
  return columns.map((column, at) => oneSeries(column, byColumn[at] ?? [], hasIds));
}

function oneSeries(
  column: MetricsColumn,
  points: readonly MetricsPoint[],
  hasIds: boolean,
): MetricsPlotRecord {
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

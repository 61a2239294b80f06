/** Figures by hour for charts and CSV. For an hour without a figure, a count is zero, and a time is missing. */
import type { ChartSeries } from '../charts/time-chart.tsx';
import { bytes, count, decimal } from '../format/amounts.ts';
import { durationFromZero } from '../format/times.ts';
import type { Series } from './queries.ts';

const HOUR_MS = 3_600_000;
const COLORS = ['--busy', '--wait', '--good', '--bad', '--accent', '--soft'] as const;

export interface Plotted {
  /** Beginnings of hours, in ms. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly isBinary: boolean;
}

/** The interface writes hours in UTC, without a zone. */
const msOf = (datetime: string): number => Date.parse(`${datetime}Z`);

function formatOf(units: Series['column']['units']): (value: number) => string {
  if (units === 'bytes') return bytes;
  if (units === 'seconds') return (seconds) => durationFromZero(seconds * 1_000);
  return (value) => (Number.isInteger(value) ? count(value) : decimal(value));
}

/** `nameOf`: the name of a choice. */
export function plotted(one: Series, choiceIds: readonly number[], nameOf: (id: number) => string): Plotted {
  const hours = one.values.map(({ datetime }) => msOf(datetime));
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const times: number[] = [];
  for (let at = first; at <= last; at += HOUR_MS) times.push(at);
  const empty = one.column.units === 'count' ? 0 : null;
  const ids = choiceIds.length > 1 ? choiceIds : [undefined];
  const series = ids.map((id, index) => {
    const known = new Map(
      one.values
        .filter((value) => id === undefined || value.id === id)
        .map((v) => [msOf(v.datetime), v.value]),
    );
    return {
      name: id === undefined ? one.column.title : nameOf(id),
      color: COLORS[index % COLORS.length] ?? '--busy',
      values: times.map((at) => known.get(at) ?? empty),
      isFilled: ids.length === 1,
      isDashed: index >= COLORS.length,
    };
  });
  const { units } = one.column;
  return { times, series, format: formatOf(units), isBinary: units === 'bytes' };
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Quotes texts that a spreadsheet would run as formulas. */
const safe = (text: string): string => quoted(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** One line for each value: hour, column, unit, choice, value. */
export function csvOf(all: readonly Series[], nameOf: (id: number) => string): string {
  const lines = all.flatMap(({ column, values }) =>
    values.map(({ datetime, id, value }) =>
      [`${datetime}Z`, safe(column.name), column.units, id === undefined ? '' : safe(nameOf(id)), value].join(
        ',',
      ),
    ),
  );
  return ['hour,column,units,choice,value', ...lines, ''].join('\r\n');
}

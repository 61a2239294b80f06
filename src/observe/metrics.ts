/**
 * Counters, gauges and histograms by name and labels, printed in the Prometheus text format. A registry is
 * made by the composition root and passed on; nothing here is global.
 */
import { assert } from '../lib/assert.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(by?: number, labels?: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface Metrics {
  /** `name` ends in `_total`. */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  /** A gauge whose value is asked for when the page is printed. */
  gaugeOf(name: string, help: string, read: () => number): void;
  /** `bounds` are upper bounds, rising; seconds where it is a time. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** The page for `GET /metrics`. */
  print(): string;
}

// limit: label values come from data (job types, workspaces): what exceeds this is counted under one name.
const SERIES_MAX = 1_000;
const OVERFLOW: Labels = { series: 'other' };
const NAME = /^[a-z][a-z0-9_]*$/;

/** Prints its own lines; `key` is the printed label set. */
interface Family {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  print(name: string): string[];
}

export function createMetrics(): Metrics {
  const families = new Map<string, Family>();
  const add = <T extends Family>(name: string, family: T): T => {
    assert(NAME.test(name) && !families.has(name), `metric ${name} is misnamed or made twice`);
    families.set(name, family);
    return family;
  };
  return {
    counter(name, help) {
      assert(name.endsWith('_total'), `counter ${name} does not end in _total`);
      const series = new Series<{ value: number }>(() => ({ value: 0 }));
      add(name, { help, type: 'counter', print: (name) => printValues(name, series) });
      return {
        add(by = 1, labels = {}) {
          assert(by >= 0, `counter ${name} cannot go down`);
          series.of(labels).value += by;
        },
      };
    },
    gauge(name, help) {
      const series = new Series<{ value: number }>(() => ({ value: 0 }));
      add(name, { help, type: 'gauge', print: (name) => printValues(name, series) });
      return {
        set(value, labels = {}) {
          series.of(labels).value = value;
        },
      };
    },
    gaugeOf(name, help, read) {
      add(name, { help, type: 'gauge', print: (name) => [`${name} ${read()}`] });
    },
    histogram(name, help, bounds) {
      assert(
        bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0)),
        `${name}: bounds rise`,
      );
      const series = new Series<Distribution>(() => ({ counts: bounds.map(() => 0), count: 0, sum: 0 }));
      add(name, { help, type: 'histogram', print: (name) => printHistogram(name, bounds, series) });
      return { observe: (value, labels = {}) => observe(series.of(labels), bounds, value) };
    },
    print() {
      const lines = [...families].flatMap(([name, family]) => [
        `# HELP ${name} ${family.help.replaceAll('\n', ' ')}`,
        `# TYPE ${name} ${family.type}`,
        ...family.print(name),
      ]);
      return `${lines.join('\n')}\n`;
    },
  };
}

interface Distribution {
  /** Not cumulative: added up when printed. */
  readonly counts: number[];
  count: number;
  sum: number;
}

class Series<T> {
  readonly entries = new Map<string, T>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  of(labels: Labels): T {
    const wanted = printLabels(labels);
    const key = this.entries.has(wanted) || this.entries.size < SERIES_MAX ? wanted : printLabels(OVERFLOW);
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = this.#make();
      this.entries.set(key, entry);
    }
    return entry;
  }
}

function observe(distribution: Distribution, bounds: readonly number[], value: number): void {
  const index = bounds.findIndex((bound) => value <= bound);
  if (index !== -1) distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
  distribution.count += 1;
  distribution.sum += value;
}

function printLabels(labels: Labels): string {
  const quote = (value: string) =>
    value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}="${quote(labels[name] ?? '')}"`)
    .join(',');
}

function printValues(name: string, series: Series<{ value: number }>): string[] {
  return [...series.entries].map(
    ([labels, { value }]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`,
  );
}

function printHistogram(name: string, bounds: readonly number[], series: Series<Distribution>): string[] {
  return [...series.entries].flatMap(([labels, { counts, count, sum }]) => {
    const comma = labels === '' ? '' : `${labels},`;
    const own = labels === '' ? '' : `{${labels}}`;
    let below = 0;
    const buckets = bounds.map((bound, index) => {
      below += counts[index] ?? 0;
      return `${name}_bucket{${comma}le="${bound}"} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket{${comma}le="+Inf"} ${count}`,
      `${name}_sum${own} ${sum}`,
      `${name}_count${own} ${count}`,
    ];
  });
}

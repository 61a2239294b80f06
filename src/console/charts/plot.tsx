/** A chart drawn by uPlot, with the colours of the theme and a legend that shows the values under the pointer. */
import { useEffect, useId, useRef, useState } from 'react';
import UPlot, { type AlignedData, type Options } from 'uplot';
import { count } from '../format/amounts.ts';
import { minuteOrInstant } from '../format/times.ts';

export interface ChartSeries {
  readonly name: string;
  /** A token of the styles, such as `--busy`. */
  readonly color: string;
  /** A value for each time; null: nothing was measured. */
  readonly values: readonly (number | null)[];
  /** The area below the line is filled. */
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

export interface ChartProps {
  /** A description for screen readers. */
  readonly label: string;
  /** In ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** A value with its unit. */
  readonly format: (value: number) => string;
  /** Values are bytes, or MiB: their axis is divided at powers of two. */
  readonly isBinary?: boolean;
  /** The length of the shown range up to now, in ms. Undefined: all times. */
  readonly rangeMs?: number | undefined;
  /** In pixels; 160 by default. */
  readonly height?: number;
  /** Charts of one group show the values of the same time under the pointer. */
  readonly group?: string;
}

const HEIGHT = 160;
const AXIS_PX = 78;
/** The height of the time axis. */
const TIMES_PX = 26;
const DAY_MS = 86_400_000;
/** From 1 B to 256 TiB. */
const POWERS_OF_TWO = Array.from({ length: 49 }, (_, exponent) => 2 ** exponent);
/** The axis of counts has whole amounts only: a label at one half would read as 1. */
const WHOLE = Array.from({ length: 10 }, (_, exponent) =>
  [1, 2, 5].map((step) => step * 10 ** exponent),
).flat();
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Colours of tokens that were computed, by the theme: to compute one makes the browser style the whole page. */
const computed = new Map<string, string>();

/** A token's colour for the canvas. It depends on the theme, so an element is asked for the computed value. */
function colorOf(element: HTMLElement, token: string): string {
  const key = `${document.documentElement.dataset.theme} ${DARK.matches} ${token}`;
  const known = computed.get(key);
  if (known !== undefined) return known;
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  computed.set(key, color);
  return color;
}

function faded(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.16)');
}

function optionsOf(element: HTMLElement, props: ChartProps, width: number, show: Show): Options {
  const { series, format, height = HEIGHT, group, rangeMs, times, isBinary = false } = props;
  const spanMs = rangeMs ?? (times.at(-1) ?? 0) - (times[0] ?? 0);
  const [soft, line] = [colorOf(element, '--soft'), colorOf(element, '--line')];
  const axis = {
    stroke: soft,
    font: '12px system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    // Room on the right: the label of the last time is centred below the last value, and may be as wide as a date.
    padding: [8, 20, 0, 0],
    cursor: {
      ...(group === undefined ? {} : { sync: { key: group } }),
      points: { size: 6 },
      drag: { x: false, y: false },
    },
    scales: {
      x: { time: true, ...(rangeMs === undefined ? {} : { range: () => upToNow(rangeMs) }) },
      y: { range: (_plot, _low, high) => [0, Math.max(high ?? 0, 1) * 1.08] },
    },
    axes: [
      {
        ...axis,
        size: TIMES_PX,
        space: 70,
        values: (_plot, seconds) => seconds.map((at) => momentOf(at * 1_000, spanMs)),
      },
      {
        ...{ ...axis, size: AXIS_PX, values: (_plot, values) => labelsOf(values, format) },
        ...(isBinary ? { incrs: POWERS_OF_TWO } : format === count ? { incrs: WHOLE } : {}),
      },
    ],
    series: [
      {},
      ...series.map(({ name, color: token, isFilled, isDashed }) => {
        const color = colorOf(element, token);
        return {
          label: name,
          stroke: color,
          width: 1.5,
          points: { show: false, size: 6, fill: color, filter: loneValues },
          ...(isFilled === true ? { fill: faded(color) } : {}),
          ...(isDashed === true ? { dash: [4, 4] } : {}),
        };
      }),
    ],
    hooks: { setCursor: [({ cursor }) => show(cursor.idx ?? undefined)] },
  };
}

/** The indexes of values without a neighbour. There is no line at them, so they are drawn as points. */
function loneValues({ data }: UPlot, at: number): number[] {
  const values = data[at] ?? [];
  const isThere = (index: number) => values[index] !== null && values[index] !== undefined;
  return Array.from(values.keys()).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
}

/** In seconds, as the library counts. */
function upToNow(rangeMs: number): [number, number] {
  const nowMs = Date.now();
  return [(nowMs - rangeMs) / 1_000, nowMs / 1_000];
}

function momentOf(atMs: number, spanMs: number): string {
  return spanMs > 2 * DAY_MS ? DATE.format(atMs) : CLOCK.format(atMs);
}

/** Labels of an axis. On a short axis several amounts may have the same text; only the first of them has a label. */
function labelsOf(values: readonly number[], format: (value: number) => string): string[] {
  const labels = values.map((value) => format(value));
  return labels.map((label, index) => (labels.indexOf(label) === index ? label : ''));
}

type Show = (index: number | undefined) => void;

function dataOf({ times, series }: ChartProps): AlignedData {
  return [times.map((ms) => ms / 1_000), ...series.map(({ values }) => [...values])] as AlignedData;
}

/** Draws again when the data, the width or the theme changes. */
function usePlot(props: ChartProps, show: Show) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const shape = JSON.stringify(props.series.map(({ name, color }) => [name, color]));
  const latest = useRef(props);
  latest.current = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other series are another chart
  useEffect(() => {
    const at = element.current;
    if (at === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      const width = Math.max(200, at.clientWidth);
      plot.current = new UPlot(optionsOf(at, latest.current, width, show), dataOf(latest.current), at);
    };
    draw();
    const sized = new ResizeObserver(() => {
      const { current } = plot;
      const width = Math.max(200, at.clientWidth);
      if (current !== undefined && current.width !== width)
        current.setSize({ width, height: current.height });
    });
    sized.observe(at);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    DARK.addEventListener('change', draw);
    return () => {
      sized.disconnect();
      themed.disconnect();
      DARK.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, props.height, props.group, props.rangeMs, show]);
  useEffect(() => plot.current?.setData(dataOf(props)), [props]);
  return element;
}

export function Plot(props: ChartProps) {
  const [index, setIndex] = useState<number>();
  const element = usePlot(props, setIndex);
  const captionId = useId();
  const { label, times, series, format } = props;
  const at = index !== undefined && index < times.length ? index : times.length - 1;
  const atMs = times[at];
  return (
    <figure className="plot" aria-labelledby={captionId}>
      <div ref={element} aria-hidden="true" />
      <figcaption id={captionId}>
        <span className="hidden">{label}: </span>
        {series.map(({ name, color, values, isDashed = false }) => {
          const value = values[at];
          return (
            <span key={name} className="plot-key">
              <span
                className={isDashed ? 'plot-color dashed' : 'plot-color'}
                aria-hidden="true"
                style={{ color: `var(${color})` }}
              />
              {name}{' '}
              <span className="number">{value === null || value === undefined ? '–' : format(value)}</span>
            </span>
          );
        })}
        {atMs !== undefined && (
          <span className="soft number end">
            {index === undefined ? 'as of ' : ''}
            {minuteOrInstant(atMs, Date.now())}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

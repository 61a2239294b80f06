/** Plots of a result as SVG, drawn without a browser by Vega from Vega-Lite descriptions. */
import { parse, type Spec as VegaSpec, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { median } from '../figures.ts';
import type { Comparison, Lines, Part } from './result.ts';

const WIDTH = 560;
const SCHEMA = 'https://vega.github.io/schema/vega-lite/v6.json';
/** From here on a linear axis shows the small ones as nothing. */
const LOGARITHMIC_FROM = 50;
const CONFIG = { background: 'white', view: { stroke: null } } as const;

/** Undefined where there is nothing to draw. */
export async function plotOf(part: Part): Promise<string | undefined> {
  const spec = specOf(part);
  if (spec === undefined) return undefined;
  // vega-lite makes what vega takes; both declare that type on their own.
  const vega = compile(spec).spec as unknown as VegaSpec;
  return await new View(parse(vega), { renderer: 'none' }).toSVG();
}

function specOf(part: Part): TopLevelSpec | undefined {
  if (part.kind === 'comparison') return barsOf(part);
  if (part.kind === 'lines' && part.points.length > 1) return linesOf(part);
  return undefined;
}

/** A bar a subject to its median, with the range of its runs. */
function barsOf({ title, unit, rows }: Comparison): TopLevelSpec | undefined {
  const values = rows
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, isPeer, samples }) => {
      const all = samples.map(({ value }) => value);
      const who = isPeer ? 'peer' : 'Millrace';
      return { name, who, median: median(all), from: Math.min(...all), to: Math.max(...all) };
    });
  if (values.length < 2) return undefined;
  const all = values.map((value) => value.median).filter((value) => value > 0);
  const isLogarithmic = Math.max(...all) / Math.min(...all) > LOGARITHMIC_FROM;
  const scale = isLogarithmic ? { type: 'log' as const, domainMin: Math.min(...all) / 3 } : { zero: true };
  const y = { field: 'name', type: 'nominal' as const, sort: null, title: null, axis: { labelLimit: 300 } };
  return {
    $schema: SCHEMA,
    title,
    width: WIDTH,
    data: { values },
    config: CONFIG,
    layer: [
      {
        mark: { type: 'bar', clip: true },
        encoding: {
          y,
          x: { field: 'median', type: 'quantitative', scale, title: unit },
          ...(isLogarithmic ? { x2: { datum: Math.min(...all) / 3 } } : {}),
          color: {
            field: 'who',
            type: 'nominal',
            title: null,
            scale: { domain: ['Millrace', 'peer'], range: ['#2a6f97', '#b8b8b8'] },
          },
        },
      },
      {
        mark: { type: 'rule', strokeWidth: 2, color: '#222222' },
        encoding: { y, x: { field: 'from', type: 'quantitative', scale }, x2: { field: 'to' } },
      },
    ],
  };
}

function linesOf({ title, x, y, isLogarithmic, points }: Lines): TopLevelSpec {
  const scale = isLogarithmic ? { type: 'log' as const } : { zero: true };
  return {
    $schema: SCHEMA,
    title,
    width: WIDTH,
    height: 280,
    data: { values: [...points] },
    config: CONFIG,
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'x', type: 'quantitative', scale, title: x },
      y: { field: 'y', type: 'quantitative', scale, title: y },
      color: { field: 'line', type: 'nominal', title: null, legend: { labelLimit: 300 } },
    },
  };
}

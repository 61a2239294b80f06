/** Flame graphs as SVG, drawn without a browser by Vega. */
import { parse, type Spec, View } from 'vega';
import type { Flames, Frame } from './flame-frames.ts';

const WIDTH = 1_200;
const ROW = 17;
const FONT_PX = 11;
/** The width of a character, about: Vega measures nothing without a canvas. */
const CHARACTER_PX = 6;
const CHARACTERS_MIN = 4;
const COLORS: Readonly<Record<Frame['code'], string>> = {
  Millrace: '#8ecae6',
  packages: '#ffd6a5',
  Node: '#dddddd',
};

export async function flameGraphOf(title: string, { seconds, frames }: Flames): Promise<string> {
  const rows = Math.max(0, ...frames.map(({ depth }) => depth + 1));
  const values = frames.map(({ name, depth, from, to, code }) => {
    const [x, x2] = [from * WIDTH, to * WIDTH];
    return { code, x, x2, y: (rows - 1 - depth) * ROW, name: cut(name, (x2 - x) / CHARACTER_PX - 1) };
  });
  const spec: Spec = {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    title: `${title}: ${seconds.toFixed(1)} s of the main thread`,
    width: WIDTH,
    height: rows * ROW,
    padding: 8,
    background: 'white',
    data: [{ name: 'frames', values }],
    scales: [{ name: 'code', type: 'ordinal', domain: Object.keys(COLORS), range: Object.values(COLORS) }],
    legends: [{ fill: 'code', orient: 'bottom', direction: 'horizontal', symbolType: 'square' }],
    marks: [
      {
        type: 'rect',
        from: { data: 'frames' },
        encode: {
          enter: {
            x: { field: 'x' },
            x2: { field: 'x2' },
            y: { field: 'y' },
            height: { value: ROW },
            fill: { scale: 'code', field: 'code' },
            stroke: { value: 'white' },
            strokeWidth: { value: 0.5 },
          },
        },
      },
      {
        type: 'text',
        from: { data: 'frames' },
        encode: {
          enter: {
            x: { field: 'x', offset: 3 },
            y: { field: 'y', offset: ROW / 2 },
            text: { field: 'name' },
            baseline: { value: 'middle' },
            fontSize: { value: FONT_PX },
          },
        },
      },
    ],
  };
  return await new View(parse(spec), { renderer: 'none' }).toSVG();
}

function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return characters < CHARACTERS_MIN ? '' : `${text.slice(0, characters - 1)}…`;
}

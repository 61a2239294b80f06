/** The page of a result in Markdown, and the index of all pages. */
import { median, ratios, written, writtenRange } from '../figures.ts';
import {
  type Aim,
  type Comparison,
  type Figures,
  isMet,
  LOAD_FACT,
  type Part,
  type Result,
  type Row,
} from './result.ts';

type Cells = readonly (string | number)[];

export function tableOf(head: Cells, rows: readonly Cells[]): string {
  const text = (cell: string | number): string =>
    (typeof cell === 'number' ? written(cell) : cell).replaceAll('|', '\\|');
  const line = (cells: Cells): string => `| ${cells.map(text).join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** `1.2 ms (coordinator 0.8, postgres 0.4)`, of one thing. */
function costOf({ samples }: Row): string {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample.cpu ?? {})))];
  if (names.length === 0) return '';
  const count = samples.reduce((sum, sample) => sum + sample.count, 0);
  const ms = (name: string): number =>
    (samples.reduce((sum, sample) => sum + (sample.cpu?.[name] ?? 0), 0) * 1_000) / count;
  const all = names.reduce((sum, name) => sum + ms(name), 0);
  const used = names.filter((name) => ms(name) > 0);
  const parts = used.map((name) => `${name} ${written(ms(name))}`);
  return used.length < 2 ? written(all) : `${written(all)} (${parts.join(', ')})`;
}

function walOf({ samples }: Row): string {
  const measured = samples.filter(({ walBytes }) => walBytes !== undefined);
  if (measured.length === 0) return '';
  const count = measured.reduce((sum, sample) => sum + sample.count, 0);
  return written(measured.reduce((sum, sample) => sum + (sample.walBytes ?? 0), 0) / count);
}

/** Processor seconds of one thing, by all who took part; NaN where nobody was measured. */
function spent({ samples }: Row): number {
  const count = samples.reduce((sum, sample) => sum + sample.count, 0);
  const seconds = samples.flatMap(({ cpu }) => (cpu === undefined ? [] : Object.values(cpu)));
  return seconds.length === 0 ? Number.NaN : seconds.reduce((sum, one) => sum + one, 0) / count;
}

/** What hardly depends on the machine's other work: the processor time of this beside that of the first. */
function besideFirst(row: Row, first: Row): string {
  const ratio = spent(row) / spent(first);
  return Number.isFinite(ratio) && ratio > 0 ? written(ratio) : '';
}

const valuesOf = (row: Row): number[] => row.samples.map(({ value }) => value);

function comparisonTable({ title, unit, each, rows }: Comparison): string {
  const [first] = rows;
  const lines = rows.map((row, at): Cells => {
    if (row.missing !== undefined) return [row.name, 'missing', '', '', '', '', row.missing];
    const beside =
      at === 0 || first === undefined ? '' : writtenRange(ratios(valuesOf(first), valuesOf(row)));
    const cost = at === 0 || first === undefined ? '' : besideFirst(row, first);
    return [row.name, writtenRange(valuesOf(row)), beside, costOf(row), cost, walOf(row), row.remark ?? ''];
  });
  const costs = [`processor ms per ${each}`, 'this / first row', `WAL bytes per ${each}`];
  const head = ['', unit, 'first row / this', ...costs, ''];
  const isUsed = head.map((_, at) => at < 2 || lines.some((line) => line[at] !== ''));
  const only = (cells: Cells): Cells => cells.filter((_, at) => isUsed[at]);
  return `## ${title}\n\n${tableOf(only(head), lines.map(only))}`;
}

function figuresTable({ title, columns, rows }: Figures): string {
  return `## ${title}\n\n${tableOf(columns, rows)}`;
}

const bare = (value: number, unit: string): string => `${written(value)}${unit === '' ? '' : ` ${unit}`}`;

function verdict(aim: Aim): string {
  if (!Number.isFinite(aim.measured)) return 'not measured';
  if (isMet(aim)) return 'met';
  const off = aim.bound === 'least' ? aim.wanted / aim.measured : aim.measured / aim.wanted;
  return `missed by ${written(off)} x`;
}

function aimCells(aim: Aim): Cells {
  const sign = aim.bound === 'least' ? 'at least' : 'at most';
  return [aim.text, `${sign} ${bare(aim.wanted, aim.unit)}`, bare(aim.measured, aim.unit), verdict(aim)];
}

export const plotName = (result: Result, at: number): string => `${result.name}-${at + 1}.svg`;

function partText(result: Result, part: Part, at: number, isDrawn: boolean): string {
  const image = isDrawn ? `![${part.title}](${plotName(result, at)})` : '';
  if (part.kind === 'lines') return `## ${part.title}\n\n${image}`;
  const table = part.kind === 'comparison' ? comparisonTable(part) : figuresTable(part);
  return image === '' ? table : `${table}\n\n${image}`;
}

/** `drawn`: which parts have a plot. */
export function pageOf(result: Result, drawn: ReadonlySet<number>): string {
  const facts = result.facts.map(([name, value]) => `- ${name}: ${value}`);
  const aims =
    result.aims.length === 0
      ? []
      : [`## Aims\n\n${tableOf(['', 'aim', 'measured', ''], result.aims.map(aimCells))}`];
  return `${[
    `# ${result.name}`,
    result.about,
    [`- command: \`${result.command}\``, `- date: ${result.date}`, ...facts].join('\n'),
    ...result.parts.map((part, at) => partText(result, part, at, drawn.has(at))),
    ...aims,
    ...result.notes,
  ].join('\n\n')}\n`;
}

const INTRODUCTION = `Written by \`npm run bench\`; docs/benchmarks.md says how to read them. A ratio compares runs of
one program with runs of another right beside them; seconds depend on the machine and on what else it did.`;

/** A line for each aim, and for each result without one. */
export function indexOf(results: readonly Result[]): string {
  const rows = results.flatMap((result): Cells[] => {
    const link = `[${result.name}](${result.name}.md)`;
    const load = result.facts.find(([name]) => name === LOAD_FACT)?.[1] ?? '';
    if (result.aims.length === 0) return [[link, firstFigure(result), '', '', '', result.date, load]];
    return result.aims.map((aim) => [link, ...aimCells(aim), result.date, load]);
  });
  const head = ['bench', 'measure', 'aim', 'measured', '', 'date', 'load before'];
  return ['# Results', INTRODUCTION, `${tableOf(head, rows)}\n`].join('\n\n');
}

function firstFigure({ parts }: Result): string {
  const part = parts.find((one) => one.kind === 'comparison');
  const row = part?.kind === 'comparison' ? part.rows[0] : undefined;
  if (part?.kind !== 'comparison' || row === undefined) return '';
  return `${row.name}: ${written(median(valuesOf(row)))} ${part.unit}`;
}

/** Tables of plain columns, as wide as the terminal at most. */
import stringWidth from 'string-width';
import { escapeControls } from './escape.ts';

export interface Column<T> {
  readonly title: string;
  readonly value: (record: T) => unknown;
  /** Shown with `-o wide` only. */
  readonly isWide?: boolean;
  /** The end of a text that is too wide is shown: paths differ there. */
  readonly isCutInFront?: boolean;
}

const CHARACTERS = new Intl.Segmenter();
const GAP = '  ';
const WIDTH_MIN = 4;

/** The lines of a table with its heading; cells that do not fit end with `…`. `columns` undefined: no limit. */
export function tableLines<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  width: number | undefined,
): string[] {
  const rows = [
    columns.map(({ title }) => title),
    ...records.map((record) => columns.map(({ value }) => cell(value(record)))),
  ];
  const widths = columns.map((_column, index) => Math.max(...rows.map((row) => lengthOf(row[index] ?? ''))));
  if (width !== undefined) shrink(widths, width);
  return rows.map((row) =>
    row
      .map((text, index) => {
        const cut = columns[index]?.isCutInFront === true ? cutInFront : cutToWidth;
        const shown = cut(text, widths[index] ?? 0);
        return index === row.length - 1 ? shown : shown + ' '.repeat((widths[index] ?? 0) - lengthOf(shown));
      })
      .join(GAP)
      .trimEnd(),
  );
}

export function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  return escapeControls(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Shortens the widest column until all columns fit, or none can be shorter. */
function shrink(widths: number[], width: number): void {
  const room = width - GAP.length * (widths.length - 1);
  let over = widths.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= WIDTH_MIN) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
}

/** The width in columns of a terminal: a Chinese character takes two, a combining accent none. */
function lengthOf(text: string): number {
  return stringWidth(text);
}

/** The text, or its beginning with `…`. */
export function cutToWidth(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  let shown = '';
  let room = width - 1;
  for (const { segment } of CHARACTERS.segment(text)) {
    room -= lengthOf(segment);
    if (room < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** The text, or its end after `…`. */
function cutInFront(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  let shown = '';
  let room = width - 1;
  for (const { segment } of [...CHARACTERS.segment(text)].reverse()) {
    room -= lengthOf(segment);
    if (room < 0) break;
    shown = `${segment}${shown}`;
  }
  return `…${shown}`;
}

/** Lines of text as they fit a stream: on a terminal in lines of whole words, each indented like its first. */
export function wrapFor(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
  text: string,
): string {
  if (!isTTY || !columns) return text;
  const lines = text.split('\n').flatMap((line) => wrapLines(line, columns, /^ */.exec(line)?.[0] ?? ''));
  return lines.join('\n');
}

/** A word, with what stands in backticks as one: a command is not broken, so that it can be copied. */
const WORD = /(\s*)((?:`[^`]*`|\S)+)/g;

/**
 * The text as lines of whole words, each `width` columns wide at most where its words are; all but the first begin with
 * `indent`.
 */
export function wrapLines(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [whole, , word = ''] of text.matchAll(WORD)) {
    const longer = `${line}${whole}`;
    if (line.trim() === '' || lengthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** Maps a character of a text to its position in the file, which quotes, escapes and block texts shift. */

/** How the text is written. */
export type Style = 'plain' | 'single' | 'double' | 'literal' | 'other';

/** Characters after a backslash that stand for one character, and how many follow the letter. */
const ESCAPE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/**
 * The offset in `source` of the character at `offset` of the value. `start` and `end` delimit the text in the source,
 * quotes and the header of a block included. A text that is folded over several lines gives its start.
 */
export function sourceOffset(
  source: string,
  range: { readonly start: number; readonly end: number },
  style: Style,
  offset: number,
): number {
  const raw = source.slice(range.start, range.end);
  if (style === 'literal') return range.start + literalOffset(raw, offset);
  if (style === 'other' || raw.includes('\n')) return range.start;
  if (style === 'plain') return range.start + offset;
  return range.start + 1 + (style === 'single' ? singleOffset(raw, offset) : doubleOffset(raw, offset));
}

/** After the opening quote; a doubled quote is one character. */
function singleOffset(raw: string, offset: number): number {
  let at = 0;
  for (let count = 0; count < offset && at < raw.length; count += 1) {
    at += raw.startsWith("''", at + 1) ? 2 : 1;
  }
  return at;
}

function doubleOffset(raw: string, offset: number): number {
  let at = 0;
  for (let count = 0; count < offset && at < raw.length; count += 1) {
    const isEscape = raw[at + 1] === '\\';
    at += isEscape ? 2 + (ESCAPE_LENGTHS.get(raw[at + 2] ?? '') ?? 0) : 1;
  }
  return at;
}

/** Below the header, each line is indented as the first one that is not blank. */
function literalOffset(raw: string, offset: number): number {
  const lines = raw.split('\n');
  // A header may say how far its text is indented; then the text begins with blanks.
  if (/\d/.test(lines[0] ?? '')) return 0;
  const indent =
    lines
      .slice(1)
      .find((line) => line.trim() !== '')
      ?.search(/\S/) ?? 0;
  let [place, left] = [(lines[0] ?? '').length + 1, offset];
  for (const line of lines.slice(1)) {
    const length = Math.max(0, line.length - indent);
    if (left <= length) return place + Math.min(indent, line.length) + left;
    left -= length + 1;
    place += line.length + 1;
  }
  return 0;
}

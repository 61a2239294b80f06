/** Finds a text in the lines of a log as they arrive: each line is searched once. */
import type { LogLines } from './log-lines.ts';

export class LogSearch {
  readonly text: string;
  readonly #matches: (line: string) => boolean;
  /** The numbers of lines with the text, counted from the first line of the log. */
  #found: number[] = [];
  /** The number of the first line that was not searched yet. */
  #next = 0;

  /** The case of letters matters if the text has capital letters. */
  constructor(text: string) {
    this.text = text;
    const isExact = text !== text.toLowerCase();
    this.#matches = isExact ? (line) => line.includes(text) : (line) => line.toLowerCase().includes(text);
  }

  /** The numbers of kept lines with the text, counted from the first line of the log. */
  find(lines: LogLines): readonly number[] {
    const { dropped, length, openLength } = lines;
    const end = dropped + length;
    // The last line may be unfinished, so it is searched again.
    const complete = end - openLength;
    while ((this.#found.at(-1) ?? -1) >= this.#next) this.#found.pop();
    for (let at = Math.max(this.#next, dropped); at < end; at += 1) {
      if (this.#matches(lines.line(at - dropped))) this.#found.push(at);
    }
    this.#next = complete;
    const first = this.#found.findIndex((at) => at >= dropped);
    this.#found = first === -1 ? [] : first === 0 ? this.#found : this.#found.slice(first);
    return this.#found;
  }
}

/** Splits a line into pieces; every second piece is a match. */
export function piecesOf(line: string, text: string): readonly string[] {
  if (text === '') return [line];
  const isExact = text !== text.toLowerCase();
  const where = isExact ? line : line.toLowerCase();
  const pieces: string[] = [];
  let from = 0;
  for (let at = where.indexOf(text); at !== -1; at = where.indexOf(text, from)) {
    pieces.push(line.slice(from, at), line.slice(at, at + text.length));
    from = at + text.length;
  }
  return [...pieces, line.slice(from)];
}

/** The output of a watch: a line for each file, and on a terminal a line of current counts below them. */
import { escapeControls, escapeLines } from '../frame/escape.ts';
import type { Counts, FileEvent } from './feed.ts';

export interface Screen {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly columns: () => number;
}

const CLEAR_LINE = '\r\u001b[2K';
const GREEN = 32;
const RED = 31;
const YELLOW = 33;
const GREY = 90;

export class WatchDisplay {
  readonly #screen: Screen;
  #counts = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Prints text on lines of its own, above the counts. */
  say(text: string): void {
    this.#show(escapeLines(text));
  }

  #show(text: string): void {
    const { write, isTerminal } = this.#screen;
    write(isTerminal ? `${CLEAR_LINE}${text}\n${this.#counts}` : `${text}\n`);
  }

  event(event: FileEvent): void {
    for (const line of this.#linesOf(event)) this.#show(line);
  }

  counts({ arrived, waiting, running, done, failed }: Counts): void {
    const { write, isTerminal, columns } = this.#screen;
    if (!isTerminal) return;
    const parts = [`${failed} failed`, `${done} done`, `${running} running`, `${waiting} waiting`];
    const text = fitting([...parts, `${arrived} arrived`], columns() - 1);
    const line = this.#painted(text, failed > 0 ? RED : GREY);
    if (line === this.#counts) return;
    this.#counts = line;
    write(`${CLEAR_LINE}${line}`);
  }

  /** Prints a line of all counts, which stays. */
  totals({ arrived, waiting, running, done, withoutProduct, failed, canceled }: Counts): void {
    this.end();
    const parts = [
      `${arrived} arrived`,
      `${done} done${withoutProduct > 0 ? ` (${withoutProduct} without product)` : ''}`,
      `${failed - canceled} failed`,
      ...(canceled > 0 ? [`${canceled} canceled`] : []),
      `${running} still running`,
      ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ];
    this.say(parts.join(', '));
  }

  /** Removes the line of counts. */
  end(): void {
    if (this.#counts !== '') this.#screen.write(CLEAR_LINE);
    this.#counts = '';
  }

  #linesOf(event: FileEvent): string[] {
    const file = escapeControls(event.file);
    if (event.what === 'done') {
      const took = event.seconds === undefined ? '' : `  ${event.seconds.toFixed(1)} s`;
      if (event.products.length === 0) {
        const said = 'the script ended well and left no file in $out itself';
        return [`${this.#painted('no product', YELLOW)}  ${file}: ${said}${took}`];
      }
      return [`${this.#painted('done', GREEN)}  ${file} -> ${productsOf(event.products)}${took}`];
    }
    const what = event.what === 'not-taken' ? 'not taken' : event.what;
    const named = this.#painted(what, event.what === 'failed' ? RED : YELLOW);
    const first = `${named}  ${file}: ${escapeControls(event.reason)}`;
    const indented = (line: string): string => `        ${escapeControls(line)}`;
    return [
      first,
      ...event.stderr.map((line) => this.#painted(indented(line), GREY)),
      ...event.advice.map(indented),
    ];
  }

  #painted(text: string, color: number): string {
    return this.#screen.hasColor ? `\u001b[${color}m${text}\u001b[0m` : text;
  }
}

/** The first parts, as many as fit a line of the terminal. */
function fitting(parts: readonly string[], width: number): string {
  const shown = parts.filter((_part, index) => parts.slice(0, index + 1).join(', ').length <= width);
  const line = shown.join(', ');
  return `${line}${END}`.length <= width ? `${line}${END}` : line;
}

const END = '   (Ctrl-C ends)';
const PRODUCTS_SHOWN = 3;

function productsOf(paths: readonly string[]): string {
  const first = paths.slice(0, PRODUCTS_SHOWN).map(escapeControls).join(', ');
  const more = paths.length - PRODUCTS_SHOWN;
  return more > 0 ? `${first} and ${more} more` : first;
}

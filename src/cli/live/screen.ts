/** The whole screen of a terminal, redrawn without scrolling. At the end, the earlier lines are shown again. */
import { cutToWidth } from '../frame/table.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** For terminals that do not tell their size. */
const [COLUMNS, ROWS] = [80, 24];

export class Screen {
  readonly #stdout: NodeJS.WriteStream;
  #isOpen = false;

  constructor(stdout: NodeJS.WriteStream) {
    this.#stdout = stdout;
  }

  get rows(): number {
    return this.#stdout.rows || ROWS;
  }

  /** Lines beyond the last row are counted instead of shown; the last row has `foot`. */
  draw(lines: readonly string[], foot: string): void {
    const columns = this.#stdout.columns || COLUMNS;
    const room = Math.max(1, this.rows - 1);
    const shown = lines.slice(0, room);
    const more = lines.length - shown.length;
    const last = more > 0 ? `${more} more lines   ${foot}` : foot;
    const fitted = [...shown, last].map((line) => `${cutToWidth(line, columns)}${CLEAR_REST_OF_LINE}`);
    const begin = this.#isOpen ? '' : ENTER;
    this.#isOpen = true;
    this.#stdout.write(`${begin}${HOME}${fitted.join('\r\n')}${CLEAR_BELOW}`);
  }

  close(): void {
    if (this.#isOpen) this.#stdout.write(LEAVE);
    this.#isOpen = false;
  }
}

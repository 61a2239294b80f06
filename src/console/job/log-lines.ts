/**
 * The lines of a log as a terminal would show them: a carriage return begins the line again, so that hours of a
 * progress bar are one line; of control sequences only those that colour or emphasize text are kept, apart from the
 * text. The last lines are kept, in bounded memory.
 */

// Control sequences of terminals: CSI, OSC up to its end, and single escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
// Colours and emphasis. Bounded, because the next lines are read with those that are still in force.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const STYLES = /(\u001b\[[\d;]{0,32}m)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const RESET = /^\u001b\[(?:0*(?:;|m))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNFINISHED = /^\u001b(?:\[[0-?]*[ -/]*)?$/;
/** limit: the part of a sequence that a cut moves to the next line. */
const SEQUENCE_CHARS_MAX = 36;
const HIGH_SURROGATE = /[\ud800-\udbff]/;
/** limit: a longer line is cut into several. */
const LINE_CHARS_MAX = 4_096;
/** limit: sequences without a reset that the next lines still follow. */
const CARRIED_MAX = 8;

export interface LogLimits {
  readonly linesMax: number;
  readonly charsMax: number;
}

export class LogLines {
  readonly #limits: LogLimits;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #first = 0;
  #chars = 0;
  #open = '';
  /** Lines with their sequences, if they have any, by number. */
  readonly #styled = new Map<number, string>();
  /** The sequences that are in force where the open line begins. */
  #carried = '';

  constructor(limits: LogLimits = { linesMax: 100_000, charsMax: 16_000_000 }) {
    this.#limits = limits;
  }

  /** The number of lines, including an unfinished last one. */
  get length(): number {
    return this.#lines.length - this.#first + this.openLength;
  }

  /** 1 while the last line is unfinished. */
  get openLength(): 0 | 1 {
    return this.#open === '' ? 0 : 1;
  }

  /** The number of dropped lines before the first kept one. */
  get dropped(): number {
    return this.#dropped;
  }

  #dropped = 0;

  /** `index`: counted from the first kept line. */
  line(index: number): string {
    return this.#lines[this.#first + index] ?? readLine(this.#open, this.#carried).text;
  }

  /** The line with the sequences that colour or emphasize its text; undefined if there are none. */
  styled(index: number): string | undefined {
    if (this.#first + index < this.#lines.length) return this.#styled.get(this.#dropped + index);
    return readLine(this.#open, this.#carried).styled;
  }

  add(bytes: Uint8Array): void {
    const pieces = this.#decoder.decode(bytes, { stream: true }).split('\n');
    for (const [index, piece] of pieces.entries()) {
      this.#open = afterReturns(this.#open + piece);
      while (this.#open.length > LINE_CHARS_MAX) {
        const cut = cutOf(this.#open);
        this.#keep(this.#open.slice(0, cut));
        this.#open = this.#open.slice(cut);
      }
      if (index < pieces.length - 1) {
        this.#keep(this.#open);
        this.#open = '';
      }
    }
  }

  #keep(line: string): void {
    const { text, styled, carried } = readLine(line, this.#carried);
    this.#carried = carried;
    if (styled !== undefined) this.#styled.set(this.#dropped + this.#lines.length - this.#first, styled);
    this.#lines.push(text);
    this.#chars += text.length + (styled?.length ?? 0);
    while (
      this.#lines.length - this.#first > this.#limits.linesMax ||
      (this.#chars > this.#limits.charsMax && this.#lines.length - this.#first > 1)
    ) {
      this.#chars -= this.#lines[this.#first]?.length ?? 0;
      this.#chars -= this.#styled.get(this.#dropped)?.length ?? 0;
      this.#styled.delete(this.#dropped);
      this.#lines[this.#first] = '';
      this.#first += 1;
      this.#dropped += 1;
    }
    // The array is compacted once half of its lines are dropped, which costs a constant time for each line.
    if (this.#first > this.#lines.length / 2) {
      this.#lines = this.#lines.slice(this.#first);
      this.#first = 0;
    }
  }
}

/** Where a line that is too long is cut: before a character or a sequence that the limit would divide. */
function cutOf(line: string): number {
  const begin = line.lastIndexOf('\u001b', LINE_CHARS_MAX - 1);
  const isNear = begin > LINE_CHARS_MAX - SEQUENCE_CHARS_MAX;
  if (isNear && UNFINISHED.test(line.slice(begin, LINE_CHARS_MAX))) return begin;
  return HIGH_SURROGATE.test(line.charAt(LINE_CHARS_MAX - 1)) ? LINE_CHARS_MAX - 1 : LINE_CHARS_MAX;
}

/** The text after the last carriage return. One at the end does not count yet: `\n` may follow it. */
function afterReturns(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  const at = line.lastIndexOf('\r', end - 1);
  return at === -1 ? line : line.slice(at + 1);
}

interface ReadLine {
  readonly text: string;
  /** The text with its sequences, after those that were in force before; undefined if there are none. */
  readonly styled: string | undefined;
  /** The sequences that are in force after it. */
  readonly carried: string;
}

function readLine(line: string, before: string): ReadLine {
  if (before === '' && !line.includes('\u001b')) {
    return { text: line.replace(CONTROLS, ''), styled: undefined, carried: '' };
  }
  // Every second part is a sequence.
  const parts = `${before}${line}`
    .split(STYLES)
    .map((part, place) => (place % 2 === 1 ? part : part.replace(SEQUENCES, '').replace(CONTROLS, '')));
  const sequences = parts.filter((_, place) => place % 2 === 1);
  const text = parts.filter((_, place) => place % 2 === 0).join('');
  const from = Math.max(
    sequences.findLastIndex((one) => RESET.test(one)),
    sequences.length - CARRIED_MAX,
    0,
  );
  const carried = sequences.slice(from).filter((one) => !/^.\[0*m$/s.test(one));
  return {
    text,
    styled: sequences.length === 0 ? undefined : parts.join(''),
    carried: carried.join(''),
  };
}

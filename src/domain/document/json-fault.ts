/**
 * Where a text that a parser refused stops being JSON, and what would be expected there. What the text says is not
 * repeated: it may hold a secret. One pass, made for a refusal only; `scanJson` has bounded how deep it nests.
 */

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** The text ends before the value does. */
  readonly isCutShort: boolean;
  /** Completes "… is expected". */
  readonly expected: string;
}

/** Undefined for a text that is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const reader = new Reader(text);
  const expected = reader.read();
  if (expected === undefined) return undefined;
  const before = text.slice(0, reader.at);
  const lineStart = before.lastIndexOf('\n') + 1;
  return {
    line: lineCount(before),
    column: reader.at - lineStart + 1,
    isCutShort: reader.at >= text.length,
    expected,
  };
}

/** The fault as the rest of a sentence about a body that is no JSON. */
export function faultSentence({ line, column, isCutShort, expected }: JsonFault): string {
  const place = `line ${line}, column ${column}`;
  return isCutShort
    ? `it ends too early, at ${place}: ${expected} is expected`
    : `at ${place}, ${expected} is expected`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A number, or the begin of one, at the end of the text. */
const NUMBER_CUT = /-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?$/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const ESCAPE_CUT = /\\(?:u[0-9a-fA-F]{0,3})?$/y;
const WORDS = ['true', 'false', 'null'];

const A_VALUE = 'a value (an object, an array, a text in double quotes, a number, true, false or null)';
const A_NAME = 'a name in double quotes';
const AN_ESCAPE = 'an escape of JSON (\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four hexadecimal digits)';

/** A character that a text may hold as it is; past the end there is none. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

/** What reads leaves `at` behind what it has read, or where it had to stop, and answers what it missed there. */
class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): string | undefined {
    const missed = this.#value();
    if (missed !== undefined) return missed;
    this.#take(SPACE);
    return this.#isAtEnd ? undefined : 'the end of the text';
  }

  #value(): string | undefined {
    this.#take(SPACE);
    const first = this.#text[this.at];
    if (first === '{') return this.#container('}', A_NAME, () => this.#member());
    if (first === '[') return this.#container(']', A_VALUE, () => this.#value());
    if (first === '"') return this.#string();
    if (first === '-' || (first !== undefined && first >= '0' && first <= '9')) return this.#number();
    return this.#word();
  }

  #container(end: string, what: string, read: () => string | undefined): string | undefined {
    this.at += 1;
    this.#take(SPACE);
    if (this.#skip(end)) return undefined;
    if (this.#isAtEnd) return `${what}, or '${end}',`;
    for (;;) {
      const missed = read();
      if (missed !== undefined) return missed;
      this.#take(SPACE);
      if (this.#skip(end)) return undefined;
      if (!this.#skip(',')) return `',' or '${end}'`;
      this.#take(SPACE);
      if (this.#text[this.at] === end) return `${what} after the comma`;
    }
  }

  #member(): string | undefined {
    this.#take(SPACE);
    if (this.#text[this.at] !== '"') return A_NAME;
    const missed = this.#string();
    if (missed !== undefined) return missed;
    this.#take(SPACE);
    return this.#skip(':') ? this.#value() : `':'`;
  }

  #string(): string | undefined {
    this.at += 1;
    for (;;) {
      while (isPlain(this.#text.charCodeAt(this.at))) this.at += 1;
      if (this.#skip('"')) return undefined;
      if (this.#isAtEnd || this.#take(ESCAPE_CUT)) return 'the rest of a text, and its double quote,';
      if (this.#take(ESCAPE)) continue;
      return this.#text[this.at] === '\\' ? AN_ESCAPE : 'an escape such as \\n (or a double quote before it)';
    }
  }

  #number(): string | undefined {
    const start = this.at;
    this.#take(NUMBER);
    const next = this.#text[this.at];
    const goesOn = this.at === start || (next !== undefined && /[\w.+-]/.test(next));
    if (!goesOn) return undefined;
    const stopped = this.at;
    this.at = start;
    if (this.#take(NUMBER_CUT)) return 'the rest of a number';
    this.at = stopped;
    return 'a number as JSON has it';
  }

  #word(): string | undefined {
    const rest = this.#text.slice(this.at, this.at + 5);
    const word = WORDS.find((one) => rest.startsWith(one));
    if (word !== undefined) this.at += word.length;
    else if (rest !== '' && WORDS.some((one) => one.startsWith(rest))) this.at += rest.length;
    return word === undefined ? A_VALUE : undefined;
  }

  get #isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  #skip(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  /** Whether the pattern fits here. */
  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const [taken] = pattern.exec(this.#text) ?? [];
    this.at += taken?.length ?? 0;
    return taken !== undefined;
  }
}

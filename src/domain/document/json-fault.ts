/**
 * Finds where a text that a parser refused stops being JSON, and what was expected there. The text itself is not
 * repeated, because it may contain a secret. One pass, for refused texts only; `scanJson` has limited how deep they
 * nest.
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
  const { line, column } = placeOf(text, reader.at);
  return {
    line,
    column,
    isCutShort: reader.at >= text.length,
    expected,
  };
}

/** The fault as the rest of a sentence about a body that is not JSON. */
export function faultSentence({ line, column, isCutShort, expected }: JsonFault): string {
  const place = `line ${line}, column ${column}`;
  return isCutShort
    ? `it ends too early, at ${place}: ${expected} is expected`
    : `at ${place}, ${expected} is expected`;
}

function placeOf(text: string, end: number): { readonly line: number; readonly column: number } {
  let [line, lineStart] = [1, 0];
  for (let at = 0; at < end; at += 1) {
    if (text.charCodeAt(at) === 0x0a) [line, lineStart] = [line + 1, at + 1];
  }
  return { line, column: end - lineStart + 1 };
}

const WORDS = ['true', 'false', 'null'];

const A_VALUE = 'a value (an object, an array, a text in double quotes, a number, true, false or null)';
const A_NAME = 'a name in double quotes';
const A_NUMBER = 'a JSON number';
const REST_OF_NUMBER = 'the rest of a number';
const REST_OF_TEXT = 'the rest of a text, and its double quote,';
const AN_ESCAPE = 'a JSON escape (\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four hexadecimal digits)';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a text may contain this character unescaped; false past the end. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== QUOTE && code !== BACKSLASH;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexadecimal(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Each method moves `at` past the text that it has read, or to the fault, and returns what is expected there. It looks
 * at one character at a time, so no step depends on the length of the text.
 */
class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): string | undefined {
    const missed = this.#value();
    if (missed !== undefined) return missed;
    this.#skipAll(isSpace);
    return this.#isAtEnd ? undefined : 'the end of the text';
  }

  #value(): string | undefined {
    this.#skipAll(isSpace);
    const first = this.#text[this.at];
    if (first === '{') return this.#container('}', A_NAME, () => this.#member());
    if (first === '[') return this.#container(']', A_VALUE, () => this.#value());
    if (first === '"') return this.#string();
    return first === '-' || isDigit(this.#code) ? this.#number() : this.#word();
  }

  #container(end: string, what: string, read: () => string | undefined): string | undefined {
    this.at += 1;
    this.#skipAll(isSpace);
    if (this.#skip(end)) return undefined;
    if (this.#isAtEnd) return `${what}, or '${end}',`;
    for (;;) {
      const missed = read();
      if (missed !== undefined) return missed;
      this.#skipAll(isSpace);
      if (this.#skip(end)) return undefined;
      if (!this.#skip(',')) return `',' or '${end}'`;
      this.#skipAll(isSpace);
      if (this.#text[this.at] === end) return `${what} after the comma`;
    }
  }

  #member(): string | undefined {
    this.#skipAll(isSpace);
    if (this.#code !== QUOTE) return A_NAME;
    const missed = this.#string();
    if (missed !== undefined) return missed;
    this.#skipAll(isSpace);
    return this.#skip(':') ? this.#value() : `':'`;
  }

  #string(): string | undefined {
    this.at += 1;
    for (;;) {
      this.#skipAll(isPlain);
      if (this.#skip('"')) return undefined;
      if (this.#isAtEnd) return REST_OF_TEXT;
      if (this.#code !== BACKSLASH) return 'an escape such as \\n (or a double quote before it)';
      const missed = this.#escape();
      if (missed !== undefined) return missed;
    }
  }

  #escape(): string | undefined {
    const start = this.at;
    this.at += 1;
    if (this.#skip('u')) {
      for (let digit = 0; digit < 4 && isHexadecimal(this.#code); digit += 1) this.at += 1;
      if (this.at === start + 6) return undefined;
    } else if (!this.#isAtEnd && '"\\/bfnrt'.includes(this.#text[this.at] as string)) {
      this.at += 1;
      return undefined;
    }
    if (this.#isAtEnd) return REST_OF_TEXT;
    this.at = start;
    return AN_ESCAPE;
  }

  #number(): string | undefined {
    this.#skip('-');
    if (!this.#skip('0') && this.#skipAll(isDigit) === 0) return this.#isAtEnd ? REST_OF_NUMBER : A_NUMBER;
    if (this.#skip('.') && this.#skipAll(isDigit) === 0) return this.#isAtEnd ? REST_OF_NUMBER : A_NUMBER;
    if (this.#skip('e') || this.#skip('E')) {
      if (!this.#skip('+')) this.#skip('-');
      if (this.#skipAll(isDigit) === 0) return this.#isAtEnd ? REST_OF_NUMBER : A_NUMBER;
    }
    const next = this.#text[this.at] ?? ' ';
    return /[\w.+-]/.test(next) ? A_NUMBER : undefined;
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

  /** NaN past the end. */
  get #code(): number {
    return this.#text.charCodeAt(this.at);
  }

  #skip(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  /** Returns the number of skipped characters. */
  #skipAll(isOne: (code: number) => boolean): number {
    const start = this.at;
    while (isOne(this.#text.charCodeAt(this.at))) this.at += 1;
    return this.at - start;
  }
}

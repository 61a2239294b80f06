/**
 * Measures how deep a JSON text nests, and how many values and parts it has, in one pass over its bytes. Nothing is
 * built, so that a hostile text is refused before it costs anything. The text need not be well-formed; the parser
 * checks that later.
 *
 * Parts are members of objects, objects and arrays. Parsing and checking one takes some fifty times as long as parsing
 * and checking another item of a list.
 */
import {
  childPath,
  JSON_DEPTH_MAX,
  JSON_VALUES_MAX,
  notExact,
  TOO_DEEP,
  TOO_MANY_VALUES,
} from './json-value.ts';

/** Why a text is not taken: the path of the value at fault, and the problem as a sentence. */
export interface ScanProblem {
  readonly path: string;
  readonly description: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const LARGE_E = 0x45;
const SMALL_E = 0x65;

const INTEGER = /^-?\d+$/;
/** All integers of up to 15 digits are exact. */
const ROUNDED_CHARACTERS_MIN = 16;
/** limit: characters. A number is finite with up to 309 digits; a longer one would take long to read exactly. */
const INTEGER_CHARACTERS_MAX = 310;

/**
 * Looks for more than JSON_DEPTH_MAX levels or JSON_VALUES_MAX values, containers included, and stops at the first;
 * then for more than `partsMax` parts. Time is linear in the bytes.
 */
export function scanJson(bytes: Uint8Array, partsMax = Number.POSITIVE_INFINITY): ScanProblem | undefined {
  let valueCount = 1;
  let partCount = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (depth === JSON_DEPTH_MAX) return { path: pathTo(bytes, at), description: TOO_DEEP };
        depth += 1;
        partCount += 1;
        if (!isClosing(bytes, at + 1)) valueCount += 1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (depth > 0) depth -= 1;
        break;
      case COMMA:
        valueCount += 1;
        break;
      case COLON:
        partCount += 1;
        break;
    }
    if (valueCount > JSON_VALUES_MAX) return { path: '', description: TOO_MANY_VALUES };
  }
  if (partCount <= partsMax) return undefined;
  const parts = `${partCount} parts (members of objects, objects and arrays)`;
  return { path: '', description: `the document has ${parts}, and at most ${partsMax} are taken here` };
}

/**
 * The first integer of a parsed text that JSON.parse has rounded. A pass of its own, for texts that have integers
 * beyond 2^53: what was rounded cannot be seen in the parsed value.
 */
export function roundedInteger(bytes: Uint8Array): ScanProblem | undefined {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at);
    if (byte !== MINUS && (byte < DIGIT_0 || byte > DIGIT_9)) continue;
    const start = at;
    while (isOfNumber(bytes[at + 1])) at += 1;
    const length = at + 1 - start;
    if (length < ROUNDED_CHARACTERS_MIN || length > INTEGER_CHARACTERS_MAX) continue;
    const digits = String.fromCharCode(...bytes.subarray(start, at + 1));
    if (isRounded(digits))
      return { path: pathTo(bytes, start), description: `the value ${notExact(digits)}` };
  }
  return undefined;
}

/** Whether a number of a well-formed text may go on with this byte. */
function isOfNumber(byte: number | undefined): boolean {
  if (byte === undefined || byte > SMALL_E) return false;
  return (byte >= DIGIT_0 && byte <= DIGIT_9) || byte === SMALL_E || byte === LARGE_E || isSignOrPoint(byte);
}

function isSignOrPoint(byte: number): boolean {
  return byte === MINUS || byte === PLUS || byte === POINT;
}

/** A number in the digits that programs write for a double is what its sender has, so it is not rounded. */
function isRounded(digits: string): boolean {
  const value = Number(digits);
  if (!INTEGER.test(digits) || Number.isSafeInteger(value) || !Number.isFinite(value)) return false;
  return String(value) !== digits && BigInt(digits) !== BigInt(value);
}

/** Whether the text is an object, judging by its first character. */
export function startsObject(bytes: Uint8Array): boolean {
  return bytes[skipSpace(bytes, 0)] === OPEN_OBJECT;
}

/** The position of the quote that ends the text which begins at `start`; the end of the bytes if there is none. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isClosing(bytes: Uint8Array, start: number): boolean {
  const next = bytes[skipSpace(bytes, start)];
  return next === CLOSE_ARRAY || next === CLOSE_OBJECT;
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}

/** An open container and the position in it: `key` are the bytes of the last name, with its quotes. */
interface OpenContainer {
  readonly isArray: boolean;
  index: number;
  key: Uint8Array | undefined;
}

/** The path of the value that begins at `end`. A second pass, for refused texts only. */
function pathTo(bytes: Uint8Array, end: number): string {
  const open: OpenContainer[] = [];
  let text: Uint8Array | undefined;
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at];
    const inner = open.at(-1);
    if (byte === QUOTE) {
      const start = at;
      at = endOfText(bytes, at);
      text = bytes.subarray(start, at + 1);
    } else if (byte === COLON && inner !== undefined) inner.key = text;
    else if (byte === COMMA && inner !== undefined) inner.index += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      open.push({ isArray: byte === OPEN_ARRAY, index: 0, key: undefined });
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open.pop();
  }
  return open.reduce((path, { isArray, index, key }) => childPath(path, isArray ? index : nameOf(key)), '');
}

function nameOf(key: Uint8Array | undefined): string {
  try {
    return String(JSON.parse(new TextDecoder().decode(key)));
  } catch {
    return '?'; // it is not a name, so the text is not JSON
  }
}

/** Values that are wrong wherever a value of a certain kind is wanted. */

export interface Wrong {
  /** For people. */
  readonly what: string;
  readonly value: unknown;
}

const NUL: Wrong = { what: 'NUL', value: 'a\u0000b' };
const LONE: Wrong = { what: 'half a surrogate pair', value: 'a\ud800b' };
const TEXT: Wrong = { what: 'a text', value: 'text' };
const NUMBER: Wrong = { what: 'a number', value: 7 };
const TRUE: Wrong = { what: 'true', value: true };
const LIST: Wrong = { what: 'a list', value: [] };
const MAP: Wrong = { what: 'an object', value: {} };
const NO_PRIMITIVE: Wrong = {
  what: 'an object that cannot be made a text',
  value: { toString: 1, valueOf: 1 },
};
const DEEP: Wrong = { what: 'deep nesting', value: nested(70) };
const PROTO: Wrong = { what: '__proto__', value: JSON.parse('{"__proto__": {"polluted": true}}') };
/** Longer than any field may be, and shorter than the smallest limit of a body. */
const LONG: Wrong = { what: 'a very long text', value: 'x'.repeat(60_000) };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const OF_TEXTS = [NUMBER, TRUE, LIST, MAP, NO_PRIMITIVE, NUL, LONE, LONG, PROTO];
const OF_FLAGS = [TEXT, NUMBER, LIST, MAP, { what: "'true'", value: 'true' }, PROTO];
const OF_NUMBERS = [
  ...[TEXT, TRUE, LIST, MAP, NO_PRIMITIVE, NUL, PROTO],
  { what: 'a number in quotes', value: '1' },
  { what: 'a negative number', value: -1 },
];
const OF_INTEGERS = [
  ...OF_NUMBERS,
  { what: 'a fraction', value: 1.5 },
  { what: 'beyond int8', value: 2 ** 63 },
  { what: 'far beyond int8', value: 1e300 },
];
const OF_LISTS = [TEXT, NUMBER, TRUE, MAP, PROTO];
const OF_MAPS = [TEXT, NUMBER, TRUE, LIST, PROTO];

/** Wrong instead of this value, going by its type. */
export function wrongFor(value: unknown): readonly Wrong[] {
  switch (typeof value) {
    case 'string':
      return OF_TEXTS;
    case 'boolean':
      return OF_FLAGS;
    case 'number':
      return Number.isInteger(value) ? OF_INTEGERS : OF_NUMBERS;
    default:
      return Array.isArray(value) ? OF_LISTS : OF_MAPS;
  }
}

/** Wrong anywhere in a document, whatever is wanted there. */
export const WRONG_ANYWHERE: readonly Wrong[] = [NUL, LONE, PROTO, DEEP];

/** Anything that a program may send by mistake or on purpose; some of it is right at some places. */
export const ANYTHING: readonly unknown[] = [
  ...[NUL, LONE, LONG, DEEP, PROTO].map(({ value }) => value),
  ...[null, true, false, 0, -0, 1, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63)],
  ...[
    '',
    ' ',
    'text',
    '0',
    'null',
    '../../etc/passwd',
    '/',
    '.',
    '..',
    'a/../b',
    '\u202e',
    '\uffff',
    '😀'.repeat(60),
  ],
  ...['(', '(a+)+$', '(?=a)', '\\', '[', '%', "'", '"; drop table job; --', '$(id)', '`id`'],
  ...[
    'P1D',
    '2026-02-30T00:00:00Z',
    'LIFO',
    'host',
    'job',
    'condition',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    [],
    {},
    [null],
    [[]],
    [{}],
    { a: null },
    { constructor: 1 },
    { toString: 1 },
    { '': '' },
    Array(2_000).fill(0),
  ],
];

/** The largest and nastiest bodies that a route can be sent: made from its schema, and from what it accepts. */
import type { TSchema } from '@sinclair/typebox';
import { JSON_VALUES_MAX } from '../../../src/domain/document/json-value.ts';
import { bodyPartsMaxOf } from '../../../src/http/body/limits.ts';
import type { Route } from '../../../src/http/route.ts';
import { names, type Place, placesOf, withValue } from '../../e2e/hostile/places.ts';

export interface HostileBody {
  readonly what: string;
  /** As sent. */
  readonly text: string;
}

/** A body of any size. */
export interface HostileShape {
  readonly what: string;
  /** The same for bodies that are grown from the same values at the same places, whatever else is in them. */
  readonly grownFrom?: string;
  /** Where it is grown, if at two places. */
  readonly places?: readonly string[];
  /** The body with `size` bytes, or a little less. */
  readonly make: (size: number) => string;
}

/** `make` gives the nth piece; as many are joined as `size` bytes hold. */
function filled(head: string, make: (index: number) => string, tail: string, size: number): string {
  const pieces: string[] = [];
  let left = size - head.length - tail.length;
  for (let index = 0; ; index += 1) {
    const piece = make(index);
    left -= Buffer.byteLength(piece) + 1;
    if (left < 0) break;
    pieces.push(piece);
  }
  return `${head}${pieces.join(',')}${tail}`;
}

/** What is nasty for any parser, whatever the route. */
export function hostileTexts(schema: TSchema): readonly HostileShape[] {
  const field = JSON.stringify(Object.keys(schema.properties ?? { a: {} })[0] ?? 'a');
  const text = (piece: string) => (size: number) =>
    `{${field}:"${piece.repeat((size - field.length - 5) / piece.length)}"}`;
  const fill = (head: string, make: (index: number) => string, tail: string) => (size: number) =>
    filled(head, make, tail, size);
  const nested = (size: number) => `{${field}:${'['.repeat(size / 2 - 20)}${']'.repeat(size / 2 - 20)}}`;
  const digits = (head: string, digit: string) => (size: number) =>
    `{${field}:${head}${digit.repeat(size - field.length - head.length - 3)}}`;
  return [
    { what: 'brackets', make: (size) => '['.repeat(size) },
    { what: 'braces', make: (size) => '{"a":'.repeat(size / 5) },
    { what: 'nested lists', make: nested },
    { what: 'a long name', make: (size) => `{"${'n'.repeat(size - 6)}":1}` },
    { what: 'a long text', make: text('x') },
    { what: 'escapes', make: text('\\u0041') },
    { what: 'halves of surrogate pairs', make: text('\\ud800') },
    { what: 'backslashes', make: text('\\\\') },
    { what: 'a text without an end', make: (size) => `{${field}:"${'\\"'.repeat(size / 2 - 20)}` },
    { what: 'digits', make: digits('', '9') },
    { what: 'a fraction', make: digits('0.', '1') },
    { what: 'blanks', make: (size) => `${' '.repeat(size - 2)}{}` },
    { what: 'unknown fields', make: fill('{', (index) => `"u${index}":0`, '}') },
    { what: 'one field again and again', make: fill('{', () => `${field}:1`, '}') },
    { what: 'NULs', make: fill(`{${field}:[`, () => '"\\u0000"', ']}') },
    { what: 'prototypes', make: fill('{', () => '"__proto__":{}', '}') },
  ];
}

const ITEMS = ['1', '"a"', '{"name":"a"}'] as const;

/** Each field that holds a list or a document, filled with small values of each kind. */
export function hostileFields(schema: TSchema): readonly HostileShape[] {
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, field]) => {
    if (!isContainer(field)) return [];
    return ITEMS.flatMap((item): HostileShape[] => [
      {
        what: `${name}: a list of ${item}`,
        make: (size) => filled(`{"${name}":[`, () => item, ']}', size),
      },
      {
        what: `${name}: a map of ${item}`,
        make: (size) => filled(`{"${name}":{`, (index) => `"k${index}":${item}`, '}}', size),
      },
    ]);
  });
}

/** An object whose fields the schema does not say, or anything at all. */
export function isDocument(schema: TSchema): boolean {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives !== undefined) return alternatives.some(isDocument);
  const isOpen = schema.type === 'object' && schema.properties === undefined;
  return isOpen || (schema.type ?? schema.enum) === undefined;
}

/** A list, an object, or anything at all. */
export function isContainer(schema: TSchema): boolean {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives !== undefined) return alternatives.some(isContainer);
  return schema.type === 'array' || schema.type === 'object' || (schema.type ?? schema.enum) === undefined;
}

/**
 * An accepted body, blown up at one place at a time: lists and maps hold their first entry as often as fits, once
 * under equal names and once under others; texts are long.
 */
export function grown(body: Readonly<Record<string, unknown>>): readonly HostileShape[] {
  return placesOf(body).flatMap((place) =>
    grownAt(body, place).map((shape) => {
      return { ...shape, grownFrom: JSON.stringify([shape.what, place.value]) };
    }),
  );
}

/** Two lists or maps at once, neither inside the other: what compares one with the other. */
export function grownTwice(body: Readonly<Record<string, unknown>>): readonly HostileShape[] {
  const places = placesOf(body).filter(({ value }) => typeof value === 'object' && value !== null);
  return places.flatMap((one, index) =>
    places.slice(index + 1).flatMap((other): HostileShape[] => {
      if (names(one.path, other.path) || names(other.path, one.path)) return [];
      const make = (size: number): string => {
        const many = (place: Place) => manyOf(place.value as object, size / 2);
        return JSON.stringify(withValue(withValue(body, one.keys, many(one)), other.keys, many(other)));
      };
      const what = `${one.path} and ${other.path}: many`;
      const grownFrom = JSON.stringify([what, one.value, other.value]);
      return [{ what, make, grownFrom, places: [one.path, other.path] }];
    }),
  );
}

/** A list or map of as many entries like its first as `size` bytes hold. */
function manyOf(value: object, size: number): unknown {
  const [first = 1] = Object.values(value);
  const count = Math.floor(size / (JSON.stringify(first).length + 8));
  if (Array.isArray(value)) return Array.from({ length: count }, (_, index) => renamed(first, index));
  const more = Array.from({ length: count }, (_, index) => [`k${index}`, first] as const);
  return { ...value, ...Object.fromEntries(more) };
}

/** What a body may hold. */
export interface HeldMost {
  readonly values: number;
  /** Members of objects, objects and arrays; undefined: as many as values. */
  readonly parts: number | undefined;
}

/** What a body of the route may hold. */
export function heldMost(route: Route<never>): HeldMost {
  return { values: JSON_VALUES_MAX, parts: bodyPartsMaxOf(route) };
}

/** A body of the very size: as many values or parts as it may hold, none of them expected. */
export function fullBodies(schema: TSchema, { values, parts }: HeldMost): readonly HostileShape[] {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  const [name = 'a'] = fields.find(([, field]) => isContainer(field)) ?? fields[0] ?? [];
  /** Items so long that no more than these fit; ten are left for what is around them. */
  const full =
    (head: string, make: (index: number, chars: number) => string, tail: string, itemsMax: number) =>
    (size: number) => {
      const chars = Math.ceil(size / (itemsMax - 10)) - 1;
      return filled(head, (index) => make(index, chars), tail, size);
    };
  const member = (index: number, chars: number) =>
    `"f${String(index).padEnd(Math.max(6, chars - 5), '_')}":1`;
  const text = (_index: number, chars: number) => `"${'a'.repeat(Math.max(1, chars - 2))}"`;
  const object = (_index: number, chars: number) => `{${' '.repeat(Math.max(0, chars - 2))}}`;
  return [
    { what: 'a full list of texts', make: full(`{"${name}":[`, text, ']}', values) },
    { what: 'a full list of numbers', make: (size) => filled(`{"${name}":[`, () => '1', ']}', size) },
    { what: 'as many fields as fit', make: full('{', member, '}', parts ?? values) },
    {
      what: 'a full text of escapes',
      make: (size) => `{"${name}":"${'\\u0041'.repeat((size - name.length - 8) / 6)}"}`,
    },
    ...(parts === undefined
      ? []
      : [
          { what: 'a full list of objects', make: full(`{"${name}":[`, object, ']}', parts) },
          { what: 'more objects', make: (size: number) => filled(`{"${name}":[`, () => '{}', ']}', size) },
          { what: 'as many members as fit', make: full(`{"${name}":{`, member, '}}', parts) },
        ]),
  ];
}

const HOLE = '@hole@';

function grownAt(body: unknown, { keys, path, value }: Place): readonly HostileShape[] {
  const around = JSON.stringify(withValue(body, keys, HOLE)).split(JSON.stringify(HOLE));
  const [head, tail] = around as [string, string];
  if (typeof value === 'string') {
    const room = (size: number) => size - head.length - tail.length - 2;
    return [{ what: `${path}: a long text`, make: (size) => `${head}"${'a'.repeat(room(size))}"${tail}` }];
  }
  if (typeof value !== 'object' || value === null) return [];
  const [first = 1] = Object.values(value);
  const item = JSON.stringify(first);
  const fill = (open: string, make: (index: number) => string, close: string) => (size: number) =>
    filled(`${head}${open}`, make, `${close}${tail}`, size);
  if (Array.isArray(value)) {
    const another = (index: number) => JSON.stringify(renamed(first, index));
    return [
      { what: `${path}: the same again and again`, make: fill('[', () => item, ']') },
      { what: `${path}: many`, make: fill('[', another, ']') },
    ];
  }
  const own = JSON.stringify(value).slice(0, -1);
  const open = own === '{' ? own : `${own},`;
  return [{ what: `${path}: many members`, make: fill(open, (index) => `"k${index}":${item}`, '}') }];
}

/** Its own for each index, of letters only: names of parameters have no digits. */
export function word(index: number): string {
  return index.toString(16).replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}

/** With another name, or another value if it has none. */
function renamed(value: unknown, index: number): unknown {
  if (typeof value === 'string') return `${value}-${word(index)}`;
  if (typeof value === 'number') return value + index;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const named = Object.entries(value).map(([key, own]) => {
    return [
      key,
      typeof own === 'string' && /name$|^input$|^path$/i.test(key) ? `${own}-${word(index)}` : own,
    ];
  });
  return Object.fromEntries(named);
}

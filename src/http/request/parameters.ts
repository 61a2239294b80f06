/**
 * Query parameters as values: each part reads its value from the query, reports its problems, and gives its
 * documentation for OpenAPI. Parts with several parameters: `paging.ts`, `ordering.ts`, `time-range.ts`.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { didYouMean, nearestOf } from '../../domain/near-names.ts';
import { IssueList, problemSentence } from '../../domain/validation.ts';
import { INTEGER_MAX } from '../schema.ts';
import { parseQuery, type QueryText } from './query.ts';

/** One parameter, as the OpenAPI document shows it. */
export interface ParameterDoc {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isRepeatable?: boolean;
  readonly isRequired?: boolean;
}

export interface ReadContext {
  readonly query: QueryText;
  readonly issues: IssueList;
  readonly nowMs: number;
}

/**
 * Something that a route reads from the query. `key` is its name in the route's `query` record, and the name of its
 * parameter if it has only one. `read` reports problems to `issues`; its result counts only if there are none.
 */
export interface QueryPart<T> {
  document(key: string): readonly ParameterDoc[];
  read(key: string, context: ReadContext): T | undefined;
}

export type QueryParts = Readonly<Record<string, QueryPart<unknown>>>;
export type QueryValues<Q extends QueryParts> = {
  readonly [K in keyof Q]: Q[K] extends QueryPart<infer T> ? T : never;
};

/**
 * Reads every part. Throws AppError INVALID_PARAMETER with all problems. Unknown parameters are refused, or ignored
 * where callers may send extra ones.
 */
export function readQuery<Q extends QueryParts>(
  parts: Q,
  raw: string,
  nowMs: number,
  unknownNames: 'refused' | 'ignored' = 'refused',
): QueryValues<Q> {
  const context = { query: parseQuery(raw), issues: new IssueList(), nowMs };
  const values: Record<string, unknown> = {};
  if (unknownNames === 'refused') refuseOthers(parts, context);
  for (const [key, part] of Object.entries(parts)) values[key] = part.read(key, context);
  if (!context.issues.ok) {
    const errors = context.issues.errors;
    throw new AppError('INVALID_PARAMETER', problemSentence(errors, 'the query'), { errors });
  }
  return values as QueryValues<Q>;
}

const namesOfParts = new WeakMap<QueryParts, ReadonlySet<string>>();

function namesOf(parts: QueryParts): ReadonlySet<string> {
  let names = namesOfParts.get(parts);
  if (names === undefined) {
    names = new Set(
      Object.entries(parts).flatMap(([key, part]) => part.document(key).map(({ name }) => name)),
    );
    namesOfParts.set(parts, names);
  }
  return names;
}

/** Names that begin with `_` are ignored: clients add them to bypass caches. */
function refuseOthers(parts: QueryParts, { query, issues }: ReadContext): void {
  const known = namesOf(parts);
  for (const name of query.names) {
    if (name === '' || name.startsWith('_') || known.has(name)) continue;
    if (issues.isFullOfErrors) issues.countErrors(1);
    else issues.error('UNKNOWN_PARAMETER', name, `is not a parameter of this call${nearestOf(name, known)}`);
  }
}

// limit: values of one repeatable parameter.
const VALUES_MAX = 1_000;

type Read<T> = (text: string) => T | { readonly name: string; readonly description: string };

/** A part with one parameter, given how to read one text. `isBlankAbsent`: `?name=` counts as not given. */
function single<T extends string | number | boolean>(
  options: { description: string; schema: TSchema; isBlankAbsent: boolean },
  read: Read<T>,
): QueryPart<T | undefined> {
  const { description, schema, isBlankAbsent } = options;
  return {
    document: (name) => [{ name, description, schema }],
    read: (name, { query, issues }) => {
      const text = query.last(name);
      if (text === undefined || (isBlankAbsent && text === '')) return undefined;
      const value = read(text);
      if (typeof value !== 'object') return value;
      issues.error(value.name, name, value.description);
      return undefined;
    },
  };
}

/** A repeatable parameter of which any value may match. Empty when not given. */
function repeatable<T extends string | number>(
  options: { description: string; schema: TSchema; isBlankAbsent: boolean },
  read: Read<T>,
): QueryPart<readonly T[]> {
  const { description, schema, isBlankAbsent } = options;
  return {
    document: (name) => [{ name, description, schema, isRepeatable: true }],
    read: (name, { query, issues }) => {
      const values = new Set<T>();
      for (const text of query.all(name)) {
        if (isBlankAbsent && text === '') continue;
        const value = read(text);
        if (typeof value !== 'object') values.add(value);
        else if (issues.isFullOfErrors) issues.countErrors(1);
        else issues.error(value.name, name, value.description);
      }
      if (values.size > VALUES_MAX)
        issues.error('TOO_MANY_VALUES', name, `at most ${VALUES_MAX} different values`);
      return [...values];
    },
  };
}

const asText: Read<string> = (text) => text;

/** A text; empty counts as not given. */
export function text(description: string): QueryPart<string | undefined> {
  return single({ description, schema: Type.String(), isBlankAbsent: true }, asText);
}

export function texts(description: string): QueryPart<readonly string[]> {
  return repeatable({ description, schema: Type.String(), isBlankAbsent: true }, asText);
}

/** Inclusive bounds of an integer parameter; by default what int8 and JavaScript hold exactly. */
export interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Reads a decimal integer with an optional sign. */
export function readInteger(text: string, bounds: IntegerBounds): ReturnType<Read<number>> {
  const { minimum = -INTEGER_MAX, maximum = INTEGER_MAX } = bounds;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) return { name: 'NOT_AN_INTEGER', description: 'must be an integer' };
  const value = Number(text);
  if (value < minimum || value > maximum) {
    return { name: 'OUT_OF_RANGE', description: `must be from ${minimum} to ${maximum}` };
  }
  return value;
}

export function integer(description: string, bounds: IntegerBounds = {}): QueryPart<number | undefined> {
  const options = { description, schema: Type.Integer({ ...bounds }), isBlankAbsent: false };
  return single(options, (text) => readInteger(text, bounds));
}

export function integers(description: string, bounds: IntegerBounds = {}): QueryPart<readonly number[]> {
  const options = { description, schema: Type.Integer({ ...bounds }), isBlankAbsent: false };
  return repeatable(options, (text) => readInteger(text, bounds));
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', '1'].map((word) => [word, true] as const),
  ...['false', 'f', '0'].map((word) => [word, false] as const),
]);

/** A boolean: true, t, 1, false, f or 0, in any case. */
export function flag(description: string): QueryPart<boolean | undefined> {
  return single<boolean>({ description, schema: Type.Boolean(), isBlankAbsent: false }, (text) => {
    const value = BOOLEANS.get(text.trim().toLowerCase());
    return value ?? { name: 'NOT_A_BOOLEAN', description: 'must be true or false' };
  });
}

function readChoice<V extends string>(values: readonly V[]): Read<V> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    return {
      name: 'NOT_ALLOWED',
      // The text is built only if the problem is listed.
      get description() {
        return `must be one of: ${values.join(', ')}${didYouMean(text, values)}`;
      },
    };
  };
}

/** One of a closed set of texts; empty counts as not given. */
export function choice<const V extends string>(
  description: string,
  values: readonly V[],
): QueryPart<V | undefined> {
  const schema = Type.Unsafe<V>({ type: 'string', enum: [...values] });
  return single({ description, schema, isBlankAbsent: true }, readChoice(values));
}

export function choices<const V extends string>(
  description: string,
  values: readonly V[],
): QueryPart<readonly V[]> {
  const schema = Type.Unsafe<V>({ type: 'string', enum: [...values] });
  return repeatable({ description, schema, isBlankAbsent: true }, readChoice(values));
}

/** A required part. A value that counts as absent, such as an empty text, is refused too. */
export function required<T>(part: QueryPart<T | undefined>): QueryPart<T> {
  return {
    document: (key) => part.document(key).map((doc) => ({ ...doc, isRequired: true })),
    read: (key, context) => {
      const { issues } = context;
      const problemCount = issues.errors.length;
      const value = part.read(key, context);
      if (value === undefined && issues.errors.length === problemCount)
        issues.error('MISSING_PARAMETER', key, 'is required');
      return value;
    },
  };
}

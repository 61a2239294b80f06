/**
 * Checks a JSON value against a schema and lists every problem with its path. Null counts as absent if the schema does
 * not allow null. Unknown fields are refused with the most similar known name, or dropped with a warning if callers may
 * send extra fields. The only file that uses ajv.
 *
 * ajv first checks the whole value, and stops at its first error. If the value is refused, a walk lists the problems:
 * it passes one node at a time to ajv. So each value is visited once, and memory holds the errors of one node only.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LABEL_KEY, LABEL_KEY_FORM, LABEL_VALUE, LABEL_VALUE_FORM } from '../../domain/labels.ts';
import { NAME_FORM, NAME_PATTERN } from '../../domain/names.ts';
import { didYouMean, nearestOf } from '../../domain/near-names.ts';
import { type Checked, IssueList, type Problem } from '../../domain/validation.ts';
import { NOT_BLANKS } from '../schema.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NOT_BLANKS, 'must not be blanks only'],
  [NAME_PATTERN, NAME_FORM],
  [LABEL_KEY, LABEL_KEY_FORM],
  [LABEL_VALUE, LABEL_VALUE_FORM],
]);

function makeAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    logger: false,
  });
  ajv.addVocabulary(['x-name', 'x-body', 'x-media-type', 'x-form', 'x-forms', 'example']);
  ajv.addFormat('date-time', DATE_TIME);
  return ajv;
}

const ajvFirst = makeAjv(false);
const ajvAll = makeAjv(true);
const acceptors = new WeakMap<TSchema, ValidateFunction>();

/** Accepts or refuses a value, and reports only its first error. */
function acceptorOf(schema: TSchema): ValidateFunction {
  let found = acceptors.get(schema);
  if (found === undefined) {
    found = ajvFirst.compile(schema);
    acceptors.set(schema, found);
  }
  return found;
}

/** The treatment of fields that are not in the schema. */
export type UnknownFields = 'refused' | 'ignored';

/**
 * Returns the value in the schema's shape, or all its problems. Never throws for a value whose nesting is bounded, as
 * that of values from `parseJson` is.
 */
export function checkBody<S extends TSchema>(
  schema: S,
  value: unknown,
  unknownFields: UnknownFields = 'refused',
): Checked<Static<S>> {
  const walk = new Walk(unknownFields);
  const shaped = shape(schema, value, walk);
  if (!acceptorOf(schema)(shaped)) listErrors(schema, shaped, walk);
  return walk.issues.finish(() => shaped as Static<S>);
}

/**
 * Lists the problems of a reply, for tests that compare the service with its OpenAPI document. Undocumented fields are
 * problems as well. `isPart`: fields may be absent, because the request has chosen some.
 */
export function replyProblems(schema: TSchema, value: unknown, isPart = false): readonly Problem[] {
  const known = isPart ? closedParts : closedReplies;
  let closed = known.get(schema);
  if (closed === undefined) {
    closed = isPart ? (withoutRequired(closedSchema(schema)) as TSchema) : closedSchema(schema);
    known.set(schema, closed);
  }
  if (acceptorOf(closed)(value)) return [];
  const walk = new Walk('refused');
  listErrors(closed, value, walk);
  return walk.issues.errors;
}

const closedReplies = new WeakMap<TSchema, TSchema>();
const closedParts = new WeakMap<TSchema, TSchema>();

/** A copy of the schema in which no object requires a field. */
function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, withoutRequired(value)] as const);
  const isObject = 'type' in schema && schema.type === 'object';
  return Object.fromEntries(isObject ? entries.filter(([key]) => key !== 'required') : entries);
}

/** A copy of the schema in which every object that lists its fields refuses others, as bodies under `/v6/` do. */
export function closedSchema(schema: TSchema): TSchema {
  return close(schema) as TSchema;
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  // The inside of a recursive form is not checked here, but with the whole document.
  if ('$ref' in schema) return {};
  if ('x-form' in schema) return close(schema['x-form']);
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const isListed = typeof copy.properties === 'object' && copy.type === 'object';
  return isListed ? { additionalProperties: false, ...copy } : copy;
}

/** The position of a walk through a value, and the problems that it has found. */
class Walk {
  readonly issues = new IssueList();
  readonly unknownFields: UnknownFields;
  /** Keys and indexes that lead to the current value. Joined to a path only when a problem is listed. */
  readonly steps: (string | number)[] = [];

  constructor(unknownFields: UnknownFields) {
    this.unknownFields = unknownFields;
  }

  /** The path of the value, or of a field of it, such as `files[2].name`. */
  path(field?: string): string {
    const steps = field === undefined ? this.steps : [...this.steps, field];
    let path = '';
    for (const step of steps) {
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? step : `.${step}`;
    }
    return path;
  }
}

/** A copy without unknown fields and without nulls that mean absence. Parts that the schema leaves open are kept. */
function shape(schema: TSchema, value: unknown, walk: Walk): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const alternative = notNull(schema);
  if (alternative !== undefined) return shape(alternative, value, walk);
  if (Array.isArray(value)) {
    const items = schema.items as TSchema | undefined;
    if (items === undefined) return value;
    return lookedAt(schema, value).map((item, index) => {
      walk.steps.push(index);
      const copy = shape(items, item, walk);
      walk.steps.pop();
      return copy;
    });
  }
  const properties = schema.properties as Record<string, TSchema> | undefined;
  if (properties === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    // The parser has reported this key. It is left out, because it would become the copy's prototype.
    if (key === '__proto__') continue;
    const item = (value as Record<string, unknown>)[key];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      const others = schema.additionalProperties as TSchema | boolean | undefined;
      if (others === undefined || others === false) reportUnknown(walk, key, properties);
      else copy[key] = item;
    } else if (item !== null || acceptsNull(property)) {
      walk.steps.push(key);
      copy[key] = shape(property, item, walk);
      walk.steps.pop();
    }
  }
  return copy;
}

/** The items to check. A list with one item too many is refused, so items beyond that one are not checked. */
function lookedAt(
  { maxItems = Number.POSITIVE_INFINITY }: TSchema,
  items: readonly unknown[],
): readonly unknown[] {
  return items.length > maxItems ? items.slice(0, maxItems + 1) : items;
}

function reportUnknown(walk: Walk, key: string, properties: Readonly<Record<string, TSchema>>): void {
  const { issues } = walk;
  if (walk.unknownFields === 'ignored') {
    const path = issues.isFullOfWarnings ? '' : walk.path(key);
    issues.warning('UNKNOWN_FIELD', path, 'is not known and is ignored');
  } else if (issues.isFullOfErrors) issues.countErrors(1);
  else {
    const instead = nearestOf(key, Object.keys(properties));
    issues.error('UNKNOWN_FIELD', walk.path(key), `is not known here${instead}`);
  }
}

/** The only alternative of `X | null` that is not null. */
function notNull(schema: TSchema): TSchema | undefined {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives === undefined) return undefined;
  const others = alternatives.filter((alternative) => alternative.type !== 'null');
  return others.length === 1 && others.length < alternatives.length ? others[0] : undefined;
}

function acceptsNull(schema: TSchema): boolean {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives !== undefined) return alternatives.some(acceptsNull);
  return (
    schema.type === 'null' ||
    (schema.type === undefined && schema.enum === undefined && schema.const === undefined)
  );
}

/** One level of a schema: the rules for a value itself, and the schemas of the values inside. */
interface Level {
  /** X if this schema is just `X | null`. */
  readonly alternative: TSchema | undefined;
  /** Reports every error of the value itself. */
  readonly validate: ValidateFunction;
  readonly items: TSchema | undefined;
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly patterns: readonly (readonly [RegExp, TSchema])[];
  readonly others: TSchema | boolean;
  /** The schema has no rules for the members of an object. */
  readonly isOpen: boolean;
}

const levels = new WeakMap<TSchema, Level>();

function levelOf(schema: TSchema): Level {
  let level = levels.get(schema);
  if (level === undefined) {
    const { items, properties, patternProperties, additionalProperties, ...itself } = schema;
    const patterns = Object.entries((patternProperties ?? {}) as Record<string, TSchema>);
    const others = (additionalProperties ?? true) as TSchema | boolean;
    level = {
      alternative: notNull(schema),
      // A union other than `X | null` is one error, whatever its alternatives report.
      validate:
        schema.anyOf === undefined && schema.oneOf === undefined
          ? ajvAll.compile(itself)
          : acceptorOf(schema),
      items: items as TSchema | undefined,
      properties: (properties ?? {}) as Record<string, TSchema>,
      patterns: patterns.map(([pattern, inner]) => [new RegExp(pattern, 'u'), inner]),
      others,
      isOpen: properties === undefined && patterns.length === 0 && others === true,
    };
    levels.set(schema, level);
  }
  return level;
}

/** Adds every error of the value and of the values inside it. */
function listErrors(schema: TSchema, value: unknown, walk: Walk): void {
  const { alternative, validate, items, isOpen } = levelOf(schema);
  if (alternative !== undefined) {
    if (value !== null) listErrors(alternative, value, walk);
    return;
  }
  if (!validate(value)) addErrors(validate.errors ?? [], value, walk);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (items === undefined) return;
    for (const [index, item] of value.entries()) listErrorsBelow(items, item, walk, index);
    return;
  }
  if (isOpen) return;
  for (const key of Object.keys(value)) listField(schema, value as Record<string, unknown>, key, walk);
}

function listErrorsBelow(schema: TSchema, value: unknown, walk: Walk, step: string | number): void {
  walk.steps.push(step);
  listErrors(schema, value, walk);
  walk.steps.pop();
}

function listField(schema: TSchema, value: Record<string, unknown>, key: string, walk: Walk): void {
  const { properties, patterns, others } = levelOf(schema);
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  const inner = own ?? patterns.find(([pattern]) => pattern.test(key))?.[1] ?? others;
  if (inner === true) return;
  if (inner !== false) listErrorsBelow(inner, value[key], walk, key);
  else if (walk.issues.isFullOfErrors) walk.issues.countErrors(1);
  else {
    const form = PATTERN_WORDS.get(patterns[0]?.[0].source ?? '');
    walk.issues.error('UNKNOWN_FIELD', walk.path(key), form ?? 'is not accepted here');
  }
}

/** Adds the errors of one value. The last error of a union is about the union itself. */
function addErrors(errors: readonly ErrorObject[], value: unknown, walk: Walk): void {
  const last = errors.at(-1);
  const isUnion = last?.keyword === 'anyOf' || last?.keyword === 'oneOf';
  for (const error of isUnion ? [last] : errors) {
    if (walk.issues.isFullOfErrors) {
      walk.issues.countErrors(1);
      continue;
    }
    const { name, description, field } = explain(error, value);
    walk.issues.error(name, walk.path(field), description);
  }
}

interface Explained {
  readonly name: string;
  readonly description: string;
  /** The field below the error's path that the error is about. */
  readonly field?: string;
}

const limitOf = (limit: number, one: string): string => `${limit} ${one}${limit === 1 ? '' : 's'}`;

function explain(error: ErrorObject, value: unknown): Explained {
  const { keyword, params } = error;
  switch (keyword) {
    case 'required':
      return { name: 'MISSING_FIELD', description: 'is required', field: params.missingProperty };
    case 'type':
      return { name: 'WRONG_TYPE', description: `must be of type ${params.type}` };
    case 'enum':
      return {
        name: 'NOT_ALLOWED',
        description: `must be one of: ${params.allowedValues.join(', ')}${didYouMean(value, params.allowedValues)}`,
      };
    case 'const':
      return { name: 'NOT_ALLOWED', description: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return { name: 'OUT_OF_RANGE', description: `must be ${params.comparison} ${params.limit}` };
    case 'maxLength':
      return { name: 'TOO_LONG', description: `must have at most ${limitOf(params.limit, 'character')}` };
    case 'minLength':
      return { name: 'TOO_SHORT', description: `must have at least ${limitOf(params.limit, 'character')}` };
    case 'pattern':
      return {
        name: 'BAD_FORMAT',
        description: PATTERN_WORDS.get(params.pattern) ?? `must match ${params.pattern}`,
      };
    case 'maxItems':
      return { name: 'TOO_MANY_ITEMS', description: `must have at most ${limitOf(params.limit, 'item')}` };
    case 'minItems':
      return { name: 'TOO_FEW_ITEMS', description: `must have at least ${limitOf(params.limit, 'item')}` };
    case 'maxProperties':
      return { name: 'TOO_MANY_FIELDS', description: `must have at most ${limitOf(params.limit, 'field')}` };
    case 'minProperties':
      return { name: 'TOO_FEW_FIELDS', description: `must have at least ${limitOf(params.limit, 'field')}` };
    case 'anyOf':
    case 'oneOf':
      return { name: 'NOT_ALLOWED', description: 'has none of the accepted forms' };
    default:
      return { name: 'BAD_FORMAT', description: error.message ?? 'is not in the accepted form' };
  }
}

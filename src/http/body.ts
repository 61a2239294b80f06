/**
 * Checks a JSON value against a schema and lists every problem at its path. Null counts as absent where
 * the schema does not ask for null; fields that the schema doesn't know are refused where it says
 * `additionalProperties: false`, and elsewhere dropped with a warning. The only file that knows ajv.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Checked, IssueList, type Problem } from '../domain/validation.ts';

// limit: a value of more nodes than this is told its first problem only; ajv would build an error a node.
const LIST_ALL_NODES_MAX = 20_000;

interface Validators {
  readonly first: ValidateFunction;
  readonly all: ValidateFunction;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

function makeAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    logger: false,
  });
  ajv.addVocabulary(['x-name', 'x-body', 'x-media-type', 'example']);
  ajv.addFormat('date-time', DATE_TIME);
  return ajv;
}

const ajvFirst = makeAjv(false);
const ajvAll = makeAjv(true);
const validators = new WeakMap<TSchema, Validators>();

function validatorsOf(schema: TSchema): Validators {
  let found = validators.get(schema);
  if (found === undefined) {
    found = { first: ajvFirst.compile(schema), all: ajvAll.compile(schema) };
    validators.set(schema, found);
  }
  return found;
}

/**
 * The value in the schema's shape, or every reason why not. Never throws, whatever the value is, as long
 * as its nesting is bounded (`parseJson` sees to that).
 */
export function checkBody<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  const issues = new IssueList();
  const walk = { issues, nodeCount: 0 };
  const shaped = shape(schema, value, '', walk);
  const { first, all } = validatorsOf(schema);
  if (first(shaped)) return issues.finish(() => shaped as Static<S>);
  const validate = walk.nodeCount > LIST_ALL_NODES_MAX ? first : all;
  validate(shaped);
  for (const { name, path, description } of toProblems(validate.errors ?? [], shaped)) {
    issues.error(name, path, description);
  }
  return { ok: false, errors: issues.errors, warnings: issues.warnings };
}

/**
 * What a reply has wrong, for tests that hold the service to its own document. A field that the document does not
 * have is wrong as well, so that nothing is told that nobody can read about.
 */
export function replyProblems(schema: TSchema, value: unknown): readonly Problem[] {
  let closed = closedReplies.get(schema);
  if (closed === undefined) {
    closed = close(schema) as TSchema;
    closedReplies.set(schema, closed);
  }
  const validate = validatorsOf(closed).all;
  return validate(value) ? [] : toProblems(validate.errors ?? [], value);
}

const closedReplies = new WeakMap<TSchema, TSchema>();

/** The schema with every object whose fields it lists closed to others. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const isListed = typeof copy.properties === 'object' && copy.type === 'object';
  return isListed ? { additionalProperties: false, ...copy } : copy;
}

type Walk = { readonly issues: IssueList; nodeCount: number };

/** A copy without nulls that mean absence and without unknown fields; what the schema leaves open is kept. */
function shape(schema: TSchema, value: unknown, path: string, walk: Walk): unknown {
  walk.nodeCount += 1;
  if (typeof value !== 'object' || value === null) return value;
  const alternative = notNull(schema);
  if (alternative !== undefined) return shape(alternative, value, path, walk);
  if (Array.isArray(value)) {
    const items = schema.items as TSchema | undefined;
    if (items === undefined) return value;
    return value.map((item, index) => shape(items, item, `${path}[${index}]`, walk));
  }
  const properties = schema.properties as Record<string, TSchema> | undefined;
  if (properties === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      if (schema.additionalProperties === undefined)
        walk.issues.warning('UNKNOWN_FIELD', at, 'is not known and is ignored');
      else copy[key] = item;
    } else if (item !== null || acceptsNull(property)) {
      copy[key] = shape(property, item, at, walk);
    }
  }
  return copy;
}

/** The one alternative of `X | null` that is not null. */
function notNull(schema: TSchema): TSchema | undefined {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives === undefined) return undefined;
  const others = alternatives.filter((alternative) => alternative.type !== 'null');
  return others.length === 1 ? others[0] : undefined;
}

function acceptsNull(schema: TSchema): boolean {
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives !== undefined) return alternatives.some(acceptsNull);
  return (
    schema.type === 'null' ||
    (schema.type === undefined && schema.enum === undefined && schema.const === undefined)
  );
}

function toProblems(errors: readonly ErrorObject[], value: unknown): Problem[] {
  const telling = errors.filter((error) => !isNoise(error, errors));
  return telling.map((error) => {
    const { name, description, field } = explain(error);
    return { name, description, path: toPath(error.instancePath, value, field) };
  });
}

/** Of `X | null`, only what X says is of use; of other unions, only that none of the forms fits. */
function isNoise(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const isBelow = (inner: ErrorObject, outer: ErrorObject) =>
    inner.schemaPath.startsWith(`${outer.schemaPath}/`);
  const isNull = (inner: ErrorObject) => inner.keyword === 'type' && inner.params.type === 'null';
  const isOptionalNull = (outer: ErrorObject) =>
    errors.some((inner) => isBelow(inner, outer) && isNull(inner));
  if (error.keyword === 'anyOf') return isOptionalNull(error);
  const union = errors.find((outer) => outer.keyword === 'anyOf' && isBelow(error, outer));
  return union !== undefined && (isNull(error) || !isOptionalNull(union));
}

interface Explained {
  readonly name: string;
  readonly description: string;
  /** The field below the error's own place that it is about. */
  readonly field?: string;
}

function explain(error: ErrorObject): Explained {
  const { keyword, params } = error;
  switch (keyword) {
    case 'required':
      return { name: 'MISSING_FIELD', description: 'is required', field: params.missingProperty };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        name: 'UNKNOWN_FIELD',
        description: 'is not accepted here',
        field: params.additionalProperty ?? params.unevaluatedProperty,
      };
    case 'type':
      return { name: 'WRONG_TYPE', description: `must be of type ${params.type}` };
    case 'enum':
      return { name: 'NOT_ALLOWED', description: `must be one of: ${params.allowedValues.join(', ')}` };
    case 'const':
      return { name: 'NOT_ALLOWED', description: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return { name: 'OUT_OF_RANGE', description: `must be ${params.comparison} ${params.limit}` };
    case 'maxLength':
      return { name: 'TOO_LONG', description: `must have at most ${params.limit} characters` };
    case 'minLength':
      return { name: 'TOO_SHORT', description: `must have at least ${params.limit} characters` };
    case 'maxItems':
      return { name: 'TOO_MANY_ITEMS', description: `must have at most ${params.limit} items` };
    case 'minItems':
      return { name: 'TOO_FEW_ITEMS', description: `must have at least ${params.limit} items` };
    case 'minProperties':
      return { name: 'TOO_FEW_FIELDS', description: `must have at least ${params.limit} fields` };
    case 'anyOf':
    case 'oneOf':
      return { name: 'NOT_ALLOWED', description: 'has none of the accepted forms' };
    default:
      return { name: 'BAD_FORMAT', description: error.message ?? 'is not in the accepted form' };
  }
}

/** A JSON pointer as people write paths: `files[2].name`. Digits are indexes only below arrays. */
function toPath(pointer: string, root: unknown, field: string | undefined): string {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (field !== undefined) keys.push(field);
  let path = '';
  let value = root;
  for (const key of keys) {
    if (Array.isArray(value)) path += `[${key}]`;
    else path += path === '' ? key : `.${key}`;
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return path;
}

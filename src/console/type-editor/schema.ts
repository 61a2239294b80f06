/** Finds what the JSON schemas of the service's OpenAPI document allow at a place of a document. */
import type { Step } from './places.ts';

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

/** The schemas that others refer to, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

const REF = '#/components/schemas/';
/** limit: alternatives that are followed at the same time. */
const ALTERNATIVES_MAX = 64;

/** All schemas for the value at a place, in the order of the root schema; references are resolved. */
export function schemasAt(schemas: Schemas, root: Schema, steps: readonly Step[]): readonly Schema[] {
  let current = alternatives(schemas, root);
  for (const step of steps) {
    current = current
      .flatMap((schema) => alternatives(schemas, childOf(schema, step)))
      .slice(0, ALTERNATIVES_MAX);
  }
  return current;
}

function childOf(schema: Schema, step: Step): Schema | undefined {
  if (typeof step === 'number') return schema.items;
  const own = schema.properties;
  if (own !== undefined && Object.hasOwn(own, step)) return own[step];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function alternatives(schemas: Schemas, schema: Schema | undefined, depth = 0): readonly Schema[] {
  if (schema === undefined || depth > 8) return [];
  if (schema.$ref !== undefined) {
    return alternatives(schemas, schemas[schema.$ref.replace(REF, '')], depth + 1);
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (parts.length === 0) return [schema];
  return parts.flatMap((part) => alternatives(schemas, part, depth + 1));
}

export interface Suggestion {
  readonly text: string;
  readonly detail: string;
  readonly info: string | undefined;
}

/** The names that an object may still get, required ones first. */
export function namesFor(found: readonly Schema[], taken: readonly string[]): readonly Suggestion[] {
  const names = new Map<string, Suggestion & { readonly isRequired: boolean }>();
  for (const { properties = {}, required = [] } of found) {
    for (const [name, schema] of Object.entries(properties)) {
      if (names.has(name) || taken.includes(name)) continue;
      const isRequired = required.includes(name);
      const detail = `${schema.type ?? ''}${isRequired ? ' required' : ''}`.trim();
      names.set(name, { text: name, detail, info: schema.description, isRequired });
    }
  }
  return [...names.values()].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** The possible values of enumerations, constants and booleans, as JSON. */
export function valuesFor(found: readonly Schema[]): readonly Suggestion[] {
  const values = new Map<string, Suggestion>();
  for (const schema of found) {
    const all = [
      ...(schema.enum ?? []),
      ...(schema.const === undefined ? [] : [schema.const]),
      ...(schema.type === 'boolean' ? [true, false] : []),
    ];
    for (const value of all) {
      const text = JSON.stringify(value);
      if (!values.has(text)) values.set(text, { text, detail: '', info: schema.description });
    }
  }
  return [...values.values()];
}

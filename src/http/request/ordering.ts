/**
 * The `order` parameter: repeatable; `-` reverses, `__` reaches into nested records; the names come from the list's own
 * allowlist. The id is always the last key, so that pages are stable.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { didYouMean } from '../../domain/near-names.ts';
import type { QueryPart } from './parameters.ts';

export interface OrderTerm<F extends string> {
  readonly field: F;
  readonly isDescending: boolean;
}

/** The version of the record itself, by which lists are not sorted. */
const VERSION = 'object_version';

/** Names of a record's fields that have a single value; fields of nested records are joined by `__`. */
export type ScalarField<Item> = {
  [Name in keyof Item & string]: Item[Name] extends infer Value
    ? [Value & {}] extends [never]
      ? Name
      : [Value & {}] extends [readonly unknown[]]
        ? never
        : [Value & {}] extends [object]
          ? string extends keyof Value
            ? never
            : `${Name}__${ScalarField<Value & {}>}`
          : Name
    : never;
}[Exclude<keyof Item & string, typeof VERSION>];

/**
 * The names of all fields of a record that have a single value; fields of nested records are joined by `__`. Lists,
 * maps and documents have no order.
 */
export function scalarFields<Item extends TSchema>(record: Item): readonly ScalarField<Static<Item>>[];
export function scalarFields(record: TSchema): readonly string[] {
  const fields = Object.entries((record.properties ?? {}) as Record<string, TSchema>);
  return fields.flatMap(([name, field]) => {
    if (name === VERSION) return [];
    const schema = withoutNull(field);
    if (schema.properties !== undefined) return scalarFields(schema).map((inner) => `${name}__${inner}`);
    return schema.type === 'object' || schema.type === 'array' ? [] : [name];
  });
}

function withoutNull(schema: TSchema): TSchema {
  const others = ((schema.anyOf ?? []) as TSchema[]).filter((one) => one.type !== 'null');
  return others.length === 1 && others[0] !== undefined ? others[0] : schema;
}

/**
 * The order of a list. `fields` are the names that a client may give (`id` among them); `fallback` is the order when it
 * gives none. The result ends in `id`, in the direction of the key before it, so that an index on (key, id) serves both
 * directions.
 */
export function orderBy<const F extends string>(
  fields: readonly (F | 'id')[],
  fallback: readonly NoInfer<F | 'id' | `-${F | 'id'}`>[],
): QueryPart<readonly OrderTerm<F | 'id'>[]> {
  type Field = F | 'id';
  const known: ReadonlySet<string> = new Set<string>(['id', ...fields]);
  const names = [...known];
  return {
    document: (name) => [
      {
        name,
        description: `Field to sort by; \`-\` before it reverses. Default: ${fallback.join(', ')}.`,
        schema: Type.Unsafe<string>({ type: 'string', enum: names.flatMap((field) => [field, `-${field}`]) }),
        isRepeatable: true,
      },
    ],
    read: (name, { query, issues }) => {
      const given = query.all(name).filter((text) => text !== '');
      const terms = new Map<string, OrderTerm<Field>>();
      for (const text of given.length === 0 ? fallback : given) {
        const isDescending = text.startsWith('-');
        const field = isDescending ? text.slice(1) : text;
        if (!known.has(field) && issues.isFullOfErrors) issues.countErrors(1);
        else if (!known.has(field)) {
          // Shortened, because the text goes back to the client.
          const shown = field.length > 50 ? `${field.slice(0, 50)}…` : field;
          // The suggestion comes before the allowed names, which may be too many to list.
          const near = didYouMean(field, names);
          const allowed = `${near === '' ? '; a' : ' A'}llowed: ${names.join(', ')}`;
          issues.error('NOT_ALLOWED', name, `cannot sort by '${shown}'${near}${allowed}`);
        } else if (!terms.has(field)) terms.set(field, { field: field as Field, isDescending });
      }
      const isDescending = [...terms.values()].at(-1)?.isDescending ?? false;
      if (!terms.has('id')) terms.set('id', { field: 'id', isDescending });
      return [...terms.values()];
    },
  };
}

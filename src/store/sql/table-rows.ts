/**
 * What hand-written SQL derives from the entities: types of rows, lists of columns to select, and sets of rows to
 * write. All of it is computed when the program is loaded; MikroORM is not called afterwards.
 */
import {
  ArrayType,
  BigIntType,
  BooleanType,
  DecimalType,
  DoubleType,
  IntegerType,
  JsonType,
  SmallIntType,
  StringType,
  TextType,
  type Type,
  UuidType,
} from '@mikro-orm/core';
import { assert } from '../../lib/assert.ts';
import { InstantType } from './columns.ts';
import { type Column, type ColumnKind, type JsonText, RowSet } from './rows.ts';

/** An entity as `defineEntity` makes it. */
interface Entity {
  readonly tableName: string;
  readonly properties: object;
  readonly meta: { readonly properties: object };
}

type Value<Property> = Property extends { '~type'?: { value: infer V }; '~options': infer Options }
  ? Options extends { nullable: true }
    ? V | null
    : V
  : never;

/** A row of the entity's table, as the pool reads it. */
export type Row<E extends Entity> = {
  readonly [Name in keyof E['properties']]: Value<E['properties'][Name]>;
};

/** Part of a row: the properties that a statement selects. */
export type RowOf<C> = C extends Columns<infer Selected> ? Selected : never;

/** A row of an outer join: every property may be null. */
export type Joined<R> = { readonly [Name in keyof R]: R[Name] | null };

/** Columns to select, each under the name of its property. */
export class Columns<Selected> {
  declare readonly '~row': Selected;
  readonly sql: string;

  constructor(sql: string) {
    this.sql = sql;
  }
}

/** `<alias>.a_column as "aColumn", …` */
export function columnsOf<E extends Entity, Name extends keyof E['properties'] & string>(
  entity: E,
  alias: string,
  names: readonly Name[],
): Columns<Pick<Row<E>, Name>> {
  const columns = names.map((name) => {
    const column = columnName(name);
    return column === name ? `${alias}.${column}` : `${alias}.${column} as "${name}"`;
  });
  assert(
    names.every((name) => name in entity.meta.properties),
    'the entity has each of the columns',
  );
  return new Columns(columns.join(', '));
}

/** Functions that read the values of columns from the source of a row. Undefined becomes null. */
export type Readers<E extends Entity, R> = {
  readonly [Name in keyof E['properties']]?: (
    row: R,
  ) => Row<E>[Name] | Written<Row<E>[Name]> | null | undefined;
};

/** JSON may already be serialized. */
type Written<V> = V extends object ? JsonText : never;

/** Sets of rows with the columns of the entity; `more` are further values that the statement needs. */
export function rowsOf<E extends Entity>(entity: E) {
  return {
    from<R>(readers: Readers<E, R>, more: readonly Column<R>[] = []): RowSet<R> {
      const properties = entity.meta.properties as Readonly<Record<string, Property>>;
      const columns = Object.entries<(row: R) => unknown>(readers as Record<string, (row: R) => unknown>).map(
        ([name, read]): Column<R> => {
          const property = properties[name];
          assert(property !== undefined, `${entity.tableName} has ${name}`);
          return [columnName(name), kindOf(property), read];
        },
      );
      return new RowSet([...columns, ...more]);
    },
  };
}

/** As MikroORM names columns. */
function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Property {
  readonly type: Type<unknown> | (new () => Type<unknown>);
  readonly columnType?: string;
}

const KINDS: ReadonlyMap<unknown, ColumnKind> = new Map<unknown, ColumnKind>([
  [BigIntType, 'id'],
  [IntegerType, 'int'],
  [SmallIntType, 'int'],
  [DecimalType, 'number'],
  [DoubleType, 'number'],
  [StringType, 'text'],
  [TextType, 'text'],
  [UuidType, 'text'],
  [BooleanType, 'bool'],
  [JsonType, 'json'],
  [InstantType, 'ms'],
]);

function kindOf({ type, columnType }: Property): ColumnKind {
  const made = typeof type === 'function' ? type : type.constructor;
  if (made === ArrayType) return columnType === 'bigint[]' ? 'ids' : 'texts';
  const kind = KINDS.get(made);
  assert(kind !== undefined, `columns of ${made.name} are written in sets of rows`);
  return kind;
}

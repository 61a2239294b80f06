/** Columns of tables that MikroORM has no short name for, with the types in which this program knows their values. */
import { p, Type } from '@mikro-orm/core';

/** An instant: `timestamptz` in the database, milliseconds since 1970 here. */
export class InstantType extends Type<number | null, Date | number | null> {
  override convertToDatabaseValue(ms: number | null): Date | null {
    return ms === null ? null : new Date(ms);
  }

  /** The pool reads instants as milliseconds; MikroORM's copies of what it has written are dates. */
  override convertToJSValue(value: Date | number | null): number | null {
    return value === null ? null : Number(value);
  }

  override getColumnType(): string {
    return 'timestamptz';
  }

  override compareAsType(): string {
    return 'date';
  }
}

/** A JSON document whose content is checked where it comes in. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const instant = () => p.type(InstantType).$type<number>();
export const bigint = () => p.bigint('number');
export const identity = () => bigint().primary().generated('by default as identity');
export const bigints = () =>
  p
    .array((item) => Number(item))
    .columnType('bigint[]')
    .$type<readonly number[]>();
export const texts = () => p.array().columnType('text[]').$type<readonly string[]>();

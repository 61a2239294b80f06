/** Column types for which MikroORM has no short name, with the types of their values in this program. */
import { p, Type } from '@mikro-orm/core';

/** A time: `timestamptz` in the database, milliseconds since 1970 here. */
export class InstantType extends Type<number | null, Date | number | null> {
  override convertToDatabaseValue(ms: number | null): Date | null {
    return ms === null ? null : new Date(ms);
  }

  /** The pool reads times as milliseconds; MikroORM's copies of written values are dates. */
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

/** A JSON document whose content is checked on input. */
export type JsonObject = Readonly<Record<string, unknown>>;

declare const instantMark: unique symbol;

/** Milliseconds since 1970, with a type of its own, because lists write instants as text. */
export type Instant = number & { readonly [instantMark]?: true };
export type IsInstant<Value> = typeof instantMark extends keyof NonNullable<Value> ? true : false;

export const instant = () => p.type(InstantType).$type<Instant>();
export const bigint = () => p.bigint('number');
export const identity = () => bigint().primary().generated('by default as identity');
export const bigints = () =>
  p
    .array((item) => Number(item))
    .columnType('bigint[]')
    .$type<readonly number[]>();
export const texts = () => p.array().columnType('text[]').$type<readonly string[]>();

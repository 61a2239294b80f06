/** The columns of all tables as types, from their entities. */
import type { EntitySchemaWithMeta } from '@mikro-orm/core';
import type { ENTITIES } from '../tables.ts';
import type { Row } from './table-rows.ts';

/** `lastModified` -> `last_modified`, as MikroORM names columns. */
type Underscored<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Underscored<Rest>}`
  : '';

type Entity = (typeof ENTITIES)[number];
type NameOf<E> = E extends EntitySchemaWithMeta<string, infer Name extends string> ? Name : never;

/** By table, by column: the type of its values as the pool reads them. */
export type Tables = {
  readonly [E in Entity as NameOf<E>]: {
    readonly [Name in keyof Row<E> & string as Underscored<Name>]: Row<E>[Name];
  };
};

/** Parameters in paths. A text that cannot name a record is an unknown record: 404, like any other. */
import { type TSchema, Type } from '@sinclair/typebox';
import { INTEGER_MAX } from './schema.ts';

export interface PathPart<T> {
  readonly schema: TSchema;
  /** Undefined when no record can have this text: the answer is 404. */
  read(text: string): T | undefined;
}

export type PathParts = Readonly<Record<string, PathPart<unknown>>>;
export type PathValues<P extends PathParts> = {
  readonly [K in keyof P]: P[K] extends PathPart<infer T> ? T : never;
};

/** The id of a record. */
export const pathId: PathPart<number> = {
  schema: Type.Integer({ minimum: 1, maximum: INTEGER_MAX }),
  read: (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= INTEGER_MAX ? value : undefined;
  },
};

/** The name (or version) of a record. */
export const pathText: PathPart<string> = {
  schema: Type.String({ minLength: 1 }),
  read: (text) => text,
};

/** Parameters in paths. A text that no record can have is answered like an unknown record: 404. */
import { type TSchema, Type } from '@sinclair/typebox';
import { shortened } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/near-names.ts';
import type { NearPath } from '../near-paths.ts';
import { INTEGER_MAX } from '../schema.ts';

export interface PathPart<T> {
  readonly schema: TSchema;
  /** It is the last segment, and matches the rest of the path, slashes included. */
  readonly takesRest?: boolean;
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

/** One of a closed set of words. */
export function pathChoice<const V extends string>(values: readonly V[]): PathPart<V> {
  return {
    schema: Type.Unsafe<V>({ type: 'string', enum: [...values] }),
    read: (text) => values.find((value) => value === text),
  };
}

/** The name (or version) of a record. */
export const pathText: PathPart<string> = {
  schema: Type.String({ minLength: 1 }),
  read: (text) => text,
};

/** The path of a file: the rest of the request's path, decoded. */
export const pathRest: PathPart<string> = {
  schema: Type.String({
    minLength: 1,
    description: 'The path of a file; its slashes may be sent as they are.',
  }),
  takesRest: true,
  read: (text) => text,
};

/** The values of a path's parameters. Throws AppError NOT_FOUND, with a suggested path. */
export function readPath(
  parts: PathParts,
  values: ReadonlyMap<string, string>,
  request: { readonly path: string; readonly nearPath: NearPath | undefined },
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(parts)) {
    const text = values.get(name) ?? '';
    params[name] = part.read(text);
    if (params[name] === undefined) throw notInPath(name, text, part, request.nearPath?.(request.path));
  }
  return params;
}

/** The error for a path that matches a route, but whose parameter matches no record. */
function notInPath(
  name: string,
  text: string,
  { schema }: PathPart<unknown>,
  near: string | undefined,
): AppError {
  const { enum: values } = schema as { readonly enum?: readonly string[] };
  const what = `there is no ${name} '${shortened(text)}'`;
  if (values !== undefined) {
    const says = `must be one of: ${values.join(', ')}${didYouMean(text, values)}`;
    return new AppError('NOT_FOUND', `${what}: ${says}`);
  }
  return new AppError('NOT_FOUND', near === undefined ? what : `${what}; did you mean '${near}'?`);
}

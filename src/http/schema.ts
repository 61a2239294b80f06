/**
 * The schemas that routes share, on top of TypeBox: validation, TypeScript types and the OpenAPI document all come from
 * them. They describe form only; `domain/` checks what a document *means*.
 */
import {
  type Static,
  type TArray,
  type TInteger,
  type TNull,
  type TObject,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';
import { NAME_CHARS_MAX, NAME_PATTERN } from '../domain/names.ts';
import { PROBLEMS_MAX } from '../domain/validation.ts';
import type { ByteStream } from './exchange.ts';

/** limit: integers that survive JSON, JavaScript and int8 alike. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

/** The pattern of texts that are empty or more than blanks. */
export const NOT_BLANKS = '^$|\\S';

/** Gives a schema its name in the OpenAPI document (`components/schemas`). */
export function named<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, 'x-name': name };
}

/** An id of a record. */
export function id(description?: string): TInteger {
  return Type.Integer({ minimum: 1, maximum: INTEGER_MAX, ...text(description) });
}

/** An integer within safe bounds. */
export function integer(bounds: { minimum?: number; maximum?: number; description?: string } = {}): TInteger {
  return Type.Integer({ minimum: -INTEGER_MAX, maximum: INTEGER_MAX, ...bounds });
}

/** One of a closed set of texts. An `enum`, not a union, so that a refusal names the allowed values once. */
export function oneOf<const V extends string>(values: readonly V[], description?: string): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...text(description) });
}

/** An instant in UTC as the service writes it. For request bodies use a String and let `domain` read it. */
export function instant(description?: string): TString {
  return Type.String({ format: 'date-time', ...text(description) });
}

/** The value or null: for replies, and for request fields where null differs from absence. */
export function orNull<S extends TSchema>(schema: S): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/**
 * Any JSON object, unchanged: for documents that `domain/` validates. `form` describes it in the OpenAPI document and
 * for tests of answers; it does not check bodies.
 */
export function document(description?: string, form?: TSchema): TUnsafe<Record<string, unknown>> {
  const shown = form === undefined ? {} : { 'x-form': form };
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...text(description), ...shown });
}

const TITLE_CHARS_MAX = 50;

/** The title of a record. It must not consist of blanks only. */
export const TITLE = Type.String({ minLength: 1, maxLength: TITLE_CHARS_MAX, pattern: NOT_BLANKS });

/** An optional title: an empty text counts as absent. */
export const OPTIONAL_TITLE = Type.Optional(
  Type.String({ maxLength: TITLE_CHARS_MAX, pattern: NOT_BLANKS, description: 'Default: an empty text.' }),
);

/** For bodies that create a record: its name, which is never changed. */
export const NEW_NAME = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    pattern: NAME_PATTERN,
    description: 'Default: derived from the title, with a suffix when that name is taken.',
  }),
);

/** Whether the schema is that of a page. */
export function isPage({ properties }: TSchema): boolean {
  return properties !== undefined && 'results' in properties && 'next' in properties;
}

/** A page of a list, named after its records. */
export function pageOf<S extends TSchema>(
  item: S,
): TObject<{
  count: TInteger;
  next: TUnion<[TString, TNull]>;
  previous: TUnion<[TString, TNull]>;
  results: TArray<S>;
}> {
  const page = Type.Object({
    count: integer({ minimum: 0, description: 'Matches in all pages.' }),
    next: orNull(Type.String({ description: 'URL of the next page.' })),
    previous: orNull(Type.String({ description: 'URL of the page before.' })),
    results: Type.Array(item),
  });
  return item['x-name'] === undefined ? page : named(`${item['x-name']}Page`, page);
}

/** Declares a reply without a body (204, 202). */
export const NO_BODY = Type.Unsafe<undefined>({ 'x-body': 'none' });

/** A reply that is a text with a media type other than JSON. */
export function textReply(mediaType: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', 'x-body': 'text', 'x-media-type': mediaType });
}

/**
 * A reply that is a stream of bytes, such as a file's content. Its handler may name another media type. `forms`: what
 * is streamed, by the media types that there are.
 */
export function streamReply(
  mediaType = 'application/octet-stream',
  forms: Readonly<Record<string, TSchema>> = {},
): TUnsafe<StreamBody> {
  const shown = Object.keys(forms).length === 0 ? {} : { 'x-forms': forms };
  const form = { type: 'string', ...(mediaType.startsWith('text/') ? {} : { format: 'binary' }) };
  return Type.Unsafe<StreamBody>({ ...form, 'x-body': 'stream', 'x-media-type': mediaType, ...shown });
}

export interface StreamBody {
  readonly stream: ByteStream;
  /** Exact number of bytes, when known. */
  readonly length?: number;
  /** When it fires, the connection is closed if the client has not read everything that was sent. */
  readonly cut?: AbortSignal;
}

/** The kind and media type of the body that a reply schema declares. */
export function bodyKind(schema: TSchema): { kind: 'json' | 'none' | 'text' | 'stream'; mediaType: string } {
  const kind = schema['x-body'] as 'none' | 'text' | 'stream' | undefined;
  return { kind: kind ?? 'json', mediaType: (schema['x-media-type'] as string) ?? 'application/json' };
}

const PROBLEMS = `Every problem; of more than ${PROBLEMS_MAX} the first, and last how many more there are.`;

export const ProblemSchema = named(
  'Problem',
  Type.Object({
    name: Type.String({ description: 'Stable name of what is wrong.' }),
    description: Type.String(),
    path: Type.String({ description: 'Where, such as `configuration.files_to_ingest[2].filename_regex`.' }),
    count: Type.Optional(
      integer({
        minimum: 1,
        description: 'Only with `TOO_MANY_PROBLEMS`: how many problems are not listed.',
      }),
    ),
  }),
);

/** The body of every refusal. */
export const ErrorSchema = named(
  'Error',
  Type.Object({
    detail: Type.String({ description: 'A sentence for a person.' }),
    code: Type.String({ description: 'A stable code for a program.' }),
    errors: Type.Array(ProblemSchema, { description: PROBLEMS }),
  }),
);

/** The answer of every `…/validation/` endpoint. */
export const ValidationSchema = named(
  'ValidationResult',
  Type.Object({
    is_valid: Type.Boolean({
      description: 'True: the same fields would be accepted by the create or edit call.',
    }),
    errors: Type.Array(ProblemSchema, { description: PROBLEMS }),
    warnings: Type.Array(ProblemSchema, { description: PROBLEMS }),
  }),
);
export type ValidationResult = Static<typeof ValidationSchema>;

function text(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

/**
 * Building blocks for the schemas of documents. They accept what `Fields` in the domain accepts: null counts as absent.
 */
import { type SchemaOptions, type TOptional, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { named, orNull } from '../../http/schema.ts';

/** The longest text of a document's field that has no limit of its own. */
const TEXT_CHARS_MAX = 10_000;
const INT4_MAX = 2_147_483_647;

/** A field that may be absent or null. */
export function may(schema: TSchema): TOptional<TSchema> {
  const { description } = schema;
  const either: TSchema = orNull(schema);
  return Type.Optional(description === undefined ? either : { ...either, description });
}

export function text(description: string, options: SchemaOptions = {}): TSchema {
  return Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description, ...options });
}

export function whole(description: string, options: SchemaOptions = {}): TSchema {
  return Type.Integer({ maximum: INT4_MAX, description, ...options });
}

export function yesOrNo(description: string): TSchema {
  return may(Type.Boolean({ description }));
}

export function listOf(item: TSchema, description: string, options: SchemaOptions = {}): TSchema {
  return Type.Array(item, { maxItems: 10_000, description, ...options });
}

/** Entries under names that the sender chooses. */
export function byName(entry: TSchema, description: string): TSchema {
  return Type.Record(Type.String(), entry, { maxProperties: 10_000, description });
}

/** An object that refuses unknown fields. */
export function closed(properties: TProperties, options: SchemaOptions = {}): TSchema {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A document, or a part of one, with a name in the OpenAPI document. */
export function form(
  name: string,
  title: string,
  properties: TProperties,
  more: SchemaOptions = {},
): TSchema {
  return named(name, closed(properties, { title, ...more }));
}

/** A reference to a part of a document that has a name in the OpenAPI document. */
export function part(name: string): TSchema {
  return Type.Unsafe({ $ref: `#/components/schemas/${name}` });
}

export const VERSION = may(
  Type.Unsafe({ type: 'string', enum: ['6', '7'], description: 'The version of the form; without effect.' }),
);

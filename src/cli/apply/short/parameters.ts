/** The parameters of jobs and recipes in the short form: `in: {TEXT: file}`, `out: {WORDS: integer, ZIP: '*.zip'}`. */
import type { JsonObject } from '../../../domain/document/json-value.ts';
import { JSON_TYPES, type JsonType } from '../../../domain/interface/interface.ts';
import { didYouMean } from '../../../domain/near-names.ts';
import { type FileFindings, flagOf, refuseOthers, report, requiredOf, textOf, wordOf } from '../section.ts';
import { type Entry, type Located, memberOf, type Position } from '../source.ts';

interface Placed {
  readonly name: string;
  readonly at: Position;
  readonly node: Located;
  readonly required: boolean;
}
export interface FileInput extends Placed {
  readonly kind: 'file';
  readonly multiple: boolean;
  readonly partial: boolean;
  readonly mediaTypes: readonly string[];
}
export interface JsonInput extends Placed {
  readonly kind: 'json';
  readonly type: JsonType;
}
export type Input = FileInput | JsonInput;

export interface FileOutput extends Placed {
  readonly kind: 'file';
  readonly pattern: string;
  readonly multiple: boolean;
  readonly mediaType: string | undefined;
}
export interface JsonOutput extends Placed {
  readonly kind: 'json';
  readonly type: JsonType;
  readonly key: string | undefined;
}
export type Output = FileOutput | JsonOutput;

/** Words that cannot be names of nodes or inputs, because they have a meaning in recipes. */
export const RESERVED: readonly string[] = ['in', 'job', 'recipe', 'when', 'if'];

const INPUT_TYPES = ['file', 'files', ...JSON_TYPES] as const;
const INPUT_FIELDS = ['type', 'required', 'media_types', 'partial'];
const OUTPUT_FIELDS = ['pattern', 'type', 'key', 'required', 'multiple', 'media_type'];

/** An input: `file`, `files` or the type of a JSON value, optional with `?` at the end; or a map of all its fields. */
export function readInput(where: FileFindings, { key, keyAt, value }: Entry): Input | undefined {
  const what = `the input '${key}'`;
  if (RESERVED.includes(key)) report(where, keyAt, `'${key}' is a reserved word and cannot name an input`);
  const placed = { name: key, at: keyAt, node: value };
  if (value.kind === 'map') return readFullInput(where, placed, value);
  if (value.kind !== 'scalar' || typeof value.value !== 'string') {
    return report(where, value.at, `${what} must be one of ${INPUT_TYPES.join(', ')}`);
  }
  const isOptional = value.value.endsWith('?');
  const type = isOptional ? value.value.slice(0, -1) : value.value;
  if (!(INPUT_TYPES as readonly string[]).includes(type)) {
    const near = didYouMean(type, INPUT_TYPES);
    return report(
      where,
      value.at,
      `${what} must be one of ${INPUT_TYPES.join(', ')}, not '${type.slice(0, 50)}'${near}`,
    );
  }
  return inputOf({ ...placed, required: !isOptional }, type as (typeof INPUT_TYPES)[number]);
}

function inputOf(placed: Placed, type: (typeof INPUT_TYPES)[number]): Input {
  if (type !== 'file' && type !== 'files') return { ...placed, kind: 'json', type };
  return { ...placed, kind: 'file', multiple: type === 'files', partial: false, mediaTypes: [] };
}

function readFullInput(
  where: FileFindings,
  placed: Omit<Placed, 'required'>,
  node: Located & { kind: 'map' },
): Input | undefined {
  const what = `the input '${placed.name}'`;
  refuseOthers(where, node, INPUT_FIELDS, what);
  const typeNode = requiredOf(where, node, 'type', { what, at: placed.at });
  const type = typeNode === undefined ? undefined : wordOf(where, typeNode, `'type'`, INPUT_TYPES);
  const required = readFlag(where, node, 'required') ?? true;
  if (type === undefined) return undefined;
  const input = inputOf({ ...placed, required }, type);
  if (input.kind === 'json') {
    for (const key of ['media_types', 'partial']) {
      const entry = memberOf(node, key);
      if (entry !== undefined)
        report(where, entry.keyAt, `'${key}' is only for files, and '${placed.name}' is a JSON value`);
    }
    return input;
  }
  const media = memberOf(node, 'media_types');
  const mediaTypes = media === undefined ? [] : readTexts(where, media.value, `'media_types'`);
  return { ...input, partial: readFlag(where, node, 'partial') ?? false, mediaTypes };
}

/** A text, or a list of texts. */
export function readTexts(where: FileFindings, node: Located, what: string): readonly string[] {
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item) => textOf(where, item, what)?.value ?? []);
}

export function readFlag(
  where: FileFindings,
  node: Located & { kind: 'map' },
  key: string,
): boolean | undefined {
  const entry = memberOf(node, key);
  return entry === undefined ? undefined : flagOf(where, entry.value, `'${key}'`);
}

/** An output: the type of a JSON value, or else the pattern of a file; or a map of all its fields. */
export function readOutput(where: FileFindings, { key, keyAt, value }: Entry): Output | undefined {
  const placed = { name: key, at: keyAt, node: value };
  if (value.kind === 'map') return readFullOutput(where, placed, value);
  const text = textOf(where, value, `the output '${key}'`);
  if (text === undefined) return undefined;
  const type = JSON_TYPES.find((one) => one === text.value);
  if (type !== undefined) return { ...placed, kind: 'json', type, key: undefined, required: true };
  const file = { multiple: false, mediaType: undefined, required: true };
  return { ...placed, kind: 'file', pattern: text.value, ...file };
}

function readFullOutput(
  where: FileFindings,
  placed: Omit<Placed, 'required'>,
  node: Located & { kind: 'map' },
): Output | undefined {
  const what = `the output '${placed.name}'`;
  refuseOthers(where, node, OUTPUT_FIELDS, what);
  const [pattern, type] = [memberOf(node, 'pattern'), memberOf(node, 'type')];
  const required = readFlag(where, node, 'required') ?? true;
  if (pattern !== undefined && type !== undefined) {
    return report(where, type.keyAt, `${what} has 'pattern' and 'type': an output is a file or a JSON value`);
  }
  if (pattern === undefined && type === undefined) {
    return report(where, placed.at, `${what} needs 'pattern' for a file, or 'type' for a JSON value`);
  }
  const others = pattern === undefined ? ['multiple', 'media_type'] : ['key'];
  for (const other of others) {
    const entry = memberOf(node, other);
    const kind = pattern === undefined ? 'files' : 'JSON values';
    if (entry !== undefined)
      report(where, entry.keyAt, `'${other}' is for ${kind}, and '${placed.name}' is none`);
  }
  if (pattern !== undefined) {
    const text = textOf(where, pattern.value, `'pattern'`);
    const media = memberOf(node, 'media_type');
    const mediaType = media === undefined ? undefined : textOf(where, media.value, `'media_type'`)?.value;
    if (text === undefined) return undefined;
    const multiple = readFlag(where, node, 'multiple') ?? false;
    return { ...placed, kind: 'file', pattern: text.value, multiple, mediaType, required };
  }
  const known = wordOf(where, (type as Entry).value, `'type'`, JSON_TYPES);
  const key = memberOf(node, 'key');
  const keyText = key === undefined ? undefined : textOf(where, key.value, `'key'`)?.value;
  return known === undefined ? undefined : { ...placed, kind: 'json', type: known, key: keyText, required };
}

/** The inputs as the interface of a recipe has them. */
export function interfaceDocument(inputs: readonly Input[]): {
  readonly files?: readonly JsonObject[];
  readonly json?: readonly JsonObject[];
} {
  const files = inputs.flatMap((input) => {
    if (input.kind !== 'file') return [];
    const { name, required, multiple, mediaTypes } = input;
    return [
      {
        name,
        ...(mediaTypes.length === 0 ? {} : { media_types: mediaTypes }),
        ...(required ? {} : { required }),
        ...(multiple ? { multiple } : {}),
      },
    ];
  });
  const json = inputs.flatMap((input) => {
    if (input.kind !== 'json') return [];
    return [{ name: input.name, type: input.type, ...(input.required ? {} : { required: false }) }];
  });
  return { ...(files.length === 0 ? {} : { files }), ...(json.length === 0 ? {} : { json }) };
}

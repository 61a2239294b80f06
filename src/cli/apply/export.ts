/** Writes the records of a server as files; applying these to the same server changes nothing. */

import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../../domain/document/json-value.ts';
import { yamlText } from '../frame/documents/yaml-text.ts';
import { keptByServer } from './compare.ts';
import { type Desired, KIND_WORDS, KINDS, type Kind, SET_LABEL } from './documents.ts';
import type { Records, Reference, ServerRecord } from './server.ts';

/** limit: characters of one document, so that files stay far below the limit for reading. */
const DOCUMENT_CHARS_MAX = 1_000_000;

/** The documents of one set; '' for records without a set. */
export interface ExportedSet {
  readonly set: string;
  /** Each is one YAML document. */
  readonly documents: readonly string[];
  readonly count: number;
}

/** `label`: only records that have it. */
export async function exportRecords(
  server: Records,
  label: string | undefined,
): Promise<readonly ExportedSet[]> {
  const sets = new Map<string, { kind: Kind; body: JsonObject }[]>();
  for (const kind of KINDS) {
    const references = await server.list(kind, label);
    const found = await server.findAll(references);
    for (const record of found) {
      if (record === undefined || record.isSystem) continue;
      const set = record.labels[SET_LABEL] ?? '';
      const some = sets.get(set) ?? [];
      sets.set(set, some);
      some.push({ kind, body: await exportedBody(kind, record, server) });
    }
  }
  return [...sets].map(([set, records]) => {
    return { set, documents: documentsOf(set, records), count: records.length };
  });
}

async function exportedBody(kind: Kind, record: ServerRecord, server: Records): Promise<JsonObject> {
  const kept = keptByServer(kind, record);
  const { [SET_LABEL]: _set, ...labels } = record.labels;
  const own = kind === 'job_type' ? kept : { name: record.name, ...kept };
  const { is_active: isActive, is_paused: isPaused } = record.fields;
  const body = {
    ...own,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(isActive === false ? { is_active: false } : {}),
    ...(isPaused === true ? { is_paused: true } : {}),
  } as JsonObject;
  const short = withoutDefaults(body);
  return kind === 'recipe_type' ? withNewestRevisions(short, server) : short;
}

const DEFAULTS: Readonly<Record<string, Json>> = {
  description: '',
  base_url: null,
  icon_code: null,
  is_published: false,
  max_scheduled: null,
  max_tries: 3,
};

function withoutDefaults(body: JsonObject): JsonObject {
  const entries = Object.entries(body).filter(([key, value]) => {
    return !Object.hasOwn(DEFAULTS, key) || !jsonEquals(DEFAULTS[key], value);
  });
  return Object.fromEntries(entries);
}

/** Removes the numbers of newest revisions: the file means the newest, also on another server. */
async function withNewestRevisions(body: JsonObject, server: Records): Promise<JsonObject> {
  const definition = body.definition as JsonObject;
  const nodes: [string, Json][] = [];
  for (const [name, node] of Object.entries(definition.nodes as JsonObject)) {
    const { node_type: type, ...rest } = node as { node_type: JsonObject } & JsonObject;
    nodes.push([name, { ...rest, node_type: await unpinned(type, server) }]);
  }
  return { ...body, definition: { ...definition, nodes: Object.fromEntries(nodes) } };
}

async function unpinned(type: JsonObject, server: Records): Promise<JsonObject> {
  const { job_type_revision: jobRevision, recipe_type_revision: recipeRevision, ...rest } = type;
  if (type.node_type === 'condition') return type;
  const reference: Reference =
    type.node_type === 'job'
      ? { kind: 'job_type', name: String(type.job_type_name), version: String(type.job_type_version) }
      : { kind: 'recipe_type', name: String(type.recipe_type_name) };
  const newest = (await server.find(reference))?.fields.revision_num;
  return newest === (jobRevision ?? recipeRevision) ? rest : type;
}

function documentsOf(
  set: string,
  records: readonly { readonly kind: Kind; readonly body: JsonObject }[],
): readonly string[] {
  const documents: string[] = [];
  let [sections, length] = [new Map<Kind, JsonObject[]>(), 0];
  const flush = (): void => {
    if (sections.size > 0) documents.push(yamlDocument(set, sections));
    [sections, length] = [new Map(), 0];
  };
  for (const { kind, body } of records) {
    const chars = JSON.stringify(body).length;
    if (length > 0 && length + chars > DOCUMENT_CHARS_MAX) flush();
    sections.set(kind, [...(sections.get(kind) ?? []), body]);
    length += chars;
  }
  flush();
  return documents;
}

function yamlDocument(set: string, sections: ReadonlyMap<Kind, readonly JsonObject[]>): string {
  const lists = KINDS.flatMap((kind) => {
    const bodies = sections.get(kind);
    return bodies === undefined ? [] : [[KIND_WORDS[kind].section, bodies] as const];
  });
  return yamlText({ ...(set === '' ? {} : { set }), ...Object.fromEntries(lists) }, PLAIN);
}

/** Without anchors and folded lines: every value is written out at its place, and texts are not changed. */
const PLAIN = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2', schema: 'core' } as const;

/** Files in the full form, as `--expand` prints them. */
export function expandedText(records: readonly Desired[]): string {
  const sets = new Map<string, Desired[]>();
  for (const record of records) {
    const set = record.set ?? '';
    sets.set(set, [...(sets.get(set) ?? []), record]);
  }
  const documents = [...sets].map(([set, some]) => {
    const sections = new Map<Kind, JsonObject[]>();
    for (const { kind, body } of some) {
      if (isJsonObject(body)) sections.set(kind, [...(sections.get(kind) ?? []), body]);
    }
    return yamlDocument(set, sections);
  });
  return documents.join('---\n');
}

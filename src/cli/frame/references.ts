/** Finds records by the names that people type: names, or `id:7` and plain numbers for ids. */
import type { Client } from '../../client/client.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { NotFoundError, UsageError } from './exit-codes.ts';

const ID = /^(?:id:)?(\d{1,15})$/;

/** An id of records that have no names. */
export function idOf(what: string, text: string): number {
  const id = ID.exec(text)?.[1];
  if (id === undefined) throw new UsageError(`${what} '${text}': expected an id, such as 7 or id:7`);
  return Number(id);
}

type Named = AsyncIterable<{ readonly id: number; readonly name: string }>;
type NamedKind = 'workspace' | 'strike' | 'scan';

/** limit: names that are compared for a suggestion. */
const NAMES_MAX = 500;

function namedOf(client: Client, kind: NamedKind, query: { name?: string[] }): Named {
  if (kind === 'workspace') return client.list('/v6/workspaces/', { query });
  return kind === 'strike' ? client.list('/v6/strikes/', { query }) : client.list('/v6/scans/', { query });
}

/** A name is tried first. Names have a letter, so a plain number is an id. */
export async function findId(client: Client, kind: NamedKind, text: string): Promise<number> {
  const id = ID.exec(text)?.[1];
  if (id !== undefined) return Number(id);
  for await (const record of namedOf(client, kind, { name: [text] })) return record.id;
  const names: string[] = [];
  for await (const { name } of namedOf(client, kind, {})) {
    names.push(name);
    if (names.length >= NAMES_MAX) break;
  }
  throw new NotFoundError(`there is no ${kind} '${text}'${nearestOf(text, names)}`);
}

/** Nodes are named by their hosts. */
export async function findNodeId(client: Client, text: string): Promise<number> {
  const names: string[] = [];
  for await (const { id, hostname } of client.list('/v6/nodes/')) {
    if (hostname === text) return id;
    names.push(hostname);
  }
  const id = ID.exec(text)?.[1];
  if (id !== undefined) return Number(id);
  throw new NotFoundError(`there is no node '${text}'${nearestOf(text, names)}`);
}

/** The id of a recipe type. */
export async function findRecipeTypeId(client: Client, text: string): Promise<number> {
  const id = ID.exec(text)?.[1];
  if (id !== undefined) return Number(id);
  const names: string[] = [];
  for await (const type of client.list('/v6/recipe-types/')) {
    if (type.name === text) return type.id;
    if (names.length < NAMES_MAX) names.push(type.name);
  }
  throw new NotFoundError(`there is no recipe type '${text}'${nearestOf(text, names)}`);
}

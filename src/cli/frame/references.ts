/** Finds records by what people type: names, or `id:7` and plain numbers for ids. */
import type { Client } from '../../client/client.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { NotFoundError, UsageError } from './exit-codes.ts';

const ID = /^(?:id:)?(\d{1,15})$/;
/** Means an id even if a record is called like a number. */
const EXPLICIT = /^id:\d/;

/** An id of records that have no names. `expected`: what else the text may be. */
export function idOf(what: string, text: string, expected = 'an id'): number {
  const id = ID.exec(text)?.[1];
  if (id === undefined) throw new UsageError(`${what} '${text}': expected ${expected}, such as 7 or id:7`);
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

/** A name is tried first: records of earlier versions may be called like numbers. */
export async function findId(client: Client, kind: NamedKind, text: string): Promise<number> {
  const id = ID.exec(text)?.[1];
  if (!EXPLICIT.test(text))
    for await (const record of namedOf(client, kind, { name: [text] })) return record.id;
  if (id !== undefined) return Number(id);
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

/** The id of a recipe type. A name is tried first. */
export async function findRecipeTypeId(client: Client, text: string): Promise<number> {
  const id = ID.exec(text)?.[1];
  if (id !== undefined && EXPLICIT.test(text)) return Number(id);
  const types = await recipeTypesOf(client);
  const named = types.get(text);
  if (named !== undefined) return named;
  if (id !== undefined) return Number(id);
  throw unknownRecipeType(text, types);
}

/** Throws a NotFoundError for the first name that no recipe type has. */
export async function requireRecipeTypes(client: Client, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const types = await recipeTypesOf(client);
  const unknown = names.find((name) => !types.has(name));
  if (unknown !== undefined) throw unknownRecipeType(unknown, types);
}

/** Ids by their names. */
async function recipeTypesOf(client: Client): Promise<ReadonlyMap<string, number>> {
  const types = new Map<string, number>();
  for await (const { id, name } of client.list('/v6/recipe-types/')) types.set(name, id);
  return types;
}

function unknownRecipeType(text: string, types: ReadonlyMap<string, number>): NotFoundError {
  const near = nearestOf(text, [...types.keys()].slice(0, NAMES_MAX));
  return new NotFoundError(`there is no recipe type '${text}'${near}`);
}

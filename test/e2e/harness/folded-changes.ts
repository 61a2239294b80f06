/** The stream of changes folded up into objects with their versions and statuses, and the same from the lists. */

export interface ShownChange {
  readonly kind: string;
  readonly id: number;
  readonly object_version: number;
  readonly what: string;
  readonly to: string | null;
}

export interface ChangesPage {
  readonly changes: readonly ShownChange[];
  readonly cursor: string;
  readonly is_at_end: boolean;
}

/** By kind and id, as `job/7`: version and status, as `3 RUNNING`. */
export type States = ReadonlyMap<string, string>;

/** Changes from the first on, in their order. */
export class FoldedChanges {
  readonly #states = new Map<string, string>();
  /** Changes that did not follow the one before of their object. */
  readonly problems: string[] = [];

  add(changes: readonly ShownChange[]): void {
    for (const { kind, id, object_version: version, what, to } of changes) {
      const key = `${kind}/${id}`;
      const last = Number(this.#states.get(key)?.split(' ')[0] ?? 0);
      if (version !== last + 1) this.problems.push(`${key}: told ${what}, version ${version} after ${last}`);
      if (what === 'removed') this.#states.delete(key);
      else this.#states.set(key, `${version} ${to}`);
    }
  }

  get states(): States {
    return this.#states;
  }
}

type Listed = Readonly<Record<string, unknown>> & { readonly id: number; readonly object_version: number };

/**
 * Lists by kind, with the status of a record. Types are not here: the service makes some at its start, before the
 * stream begins.
 */
const LISTS: Readonly<Record<string, readonly [path: string, status: (one: Listed) => unknown]>> = {
  job: ['/v6/jobs/', (one) => one.status],
  ingest: ['/v6/ingests/', (one) => one.status],
  file: ['/v6/files/', () => null],
  recipe: ['/v6/recipes/', (one) => (one.is_completed === true ? 'COMPLETED' : 'OPEN')],
  batch: ['/v6/batches/', (one) => (one.is_creation_done === true ? 'CREATED' : 'CREATING')],
  strike: ['/v6/strikes/', (one) => (one.is_paused === true ? 'PAUSED' : 'ACTIVE')],
  purge: ['/v6/purges/', (one) => one.status],
  workspace: ['/v6/workspaces/', (one) => (one.is_active === true ? 'ACTIVE' : 'INACTIVE')],
};

/** The path of the stream after a cursor, with the kinds that have lists. */
export function changesAfter(cursor: string, limit: number): string {
  const kinds = Object.keys(LISTS).map((kind) => `&kind=${kind}`);
  return `/v6/changes/?after=${cursor}&limit=${limit}${kinds.join('')}`;
}

export async function listedStates(list: (path: string) => Promise<readonly Listed[]>): Promise<States> {
  const states = new Map<string, string>();
  for (const [kind, [path, status]] of Object.entries(LISTS)) {
    for (const one of await list(path))
      states.set(`${kind}/${one.id}`, `${one.object_version} ${status(one)}`);
  }
  return states;
}

/** What is in one and not in the other, or otherwise. */
export function differencesOf(told: States, listed: States): readonly string[] {
  return [...new Set([...told.keys(), ...listed.keys()])]
    .filter((key) => told.get(key) !== listed.get(key))
    .map((key) => `${key}: told ${told.get(key) ?? 'nothing'}, listed ${listed.get(key) ?? 'nothing'}`);
}

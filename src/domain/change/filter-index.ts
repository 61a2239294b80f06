/**
 * Finds the readers that may want a change. Each reader is indexed by the values of its most selective filter, so that
 * the cost of a change depends on the readers that may want it, not on all readers.
 */
import {
  type ChangeFilter,
  type ChangeKind,
  type ChangeLink,
  KIND_OF_LINK,
  type ObjectChange,
} from './object-change.ts';

/** Begins with the filter that usually matches the fewest changes. */
const BY_SELECTIVITY: readonly ChangeLink[] = [
  ...(['job_id', 'recipe_id', 'batch_id', 'strike_id', 'scan_id', 'node_id'] as const),
  ...(['recipe_type_id', 'job_type_id'] as const),
];

const LINK_OF_KIND: ReadonlyMap<ChangeKind, ChangeLink> = new Map(
  BY_SELECTIVITY.flatMap((link) => {
    const kind = KIND_OF_LINK[link];
    return kind === undefined ? [] : [[kind, link]];
  }),
);

const ALL = 'all';

/** A change that matches the filter has at least one of these keys. A change with one of them need not match. */
function keysOfFilter({ links, id, status, kind }: ChangeFilter): readonly string[] {
  const under = (name: string, values: readonly (string | number)[]) =>
    values.map((value) => `${name} ${value}`);
  for (const link of BY_SELECTIVITY) {
    const values = links[link];
    if (values !== undefined) return under(link, values);
  }
  if (id.length > 0) return under('id', id);
  if (status.length > 0) return under('status', status);
  return kind.length > 0 ? under('kind', kind) : [ALL];
}

function keysOfChange({ kind, id, to, links }: ObjectChange): readonly string[] {
  const keys = [ALL, `kind ${kind}`, `id ${id}`];
  if (to !== null) keys.push(`status ${to}`);
  for (const link in links) keys.push(`${link} ${links[link as ChangeLink]}`);
  const own = LINK_OF_KIND.get(kind);
  if (own !== undefined) keys.push(`${own} ${id}`);
  return keys;
}

export class FilterIndex<Reader> {
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #keys = new Map<Reader, readonly string[]>();

  /** Adds a reader, or replaces its filter. */
  set(reader: Reader, filter: ChangeFilter): void {
    this.delete(reader);
    const keys = keysOfFilter(filter);
    this.#keys.set(reader, keys);
    for (const key of keys) {
      const known = this.#readers.get(key);
      if (known === undefined) this.#readers.set(key, new Set([reader]));
      else known.add(reader);
    }
  }

  delete(reader: Reader): void {
    for (const key of this.#keys.get(reader) ?? []) {
      const known = this.#readers.get(key);
      known?.delete(reader);
      if (known?.size === 0) this.#readers.delete(key);
    }
    this.#keys.delete(reader);
  }

  /** Readers that may want the change, each once. */
  candidates(change: ObjectChange): ReadonlySet<Reader> {
    const found = new Set<Reader>();
    for (const key of keysOfChange(change))
      for (const reader of this.#readers.get(key) ?? []) found.add(reader);
    return found;
  }
}

/** A change with its JSON texts, which are written once, for the first reader that needs them. */
import { type ChangePlace, cursorText } from '../../domain/change/cursor.ts';
import { changesOf, type ObjectChange } from '../../domain/change/object-change.ts';
import type { ChangeRow } from '../../store/change/read.ts';
import type { ChangeRecord } from './schema.ts';

/** A change, and where it is in the stream. */
export interface FoundChange {
  readonly change: ObjectChange;
  readonly atMs: number;
  readonly place: ChangePlace;
}

/** The changes of a row from a place on. */
export function changesIn({ tick, id, atMs, kind, items }: ChangeRow, from: ChangePlace): FoundChange[] {
  const first = tick === from.tick && id === from.row ? from.item : 0;
  return changesOf(kind, items)
    .slice(first)
    .map((change, at) => ({ change, atMs, place: { tick, row: id, item: first + at } }));
}

export class RenderedChange {
  /** The place after this change. */
  readonly cursor: string;
  readonly #found: FoundChange;
  readonly #error: string | undefined;
  #json: string | undefined;
  #event: string | undefined;

  constructor(epoch: string, found: FoundChange, errors: ReadonlyMap<number, string>) {
    const { place, change } = found;
    this.#found = found;
    this.#error = errors.get(change.links.error_id ?? 0);
    this.cursor = cursorText({ epoch, ...place, item: place.item + 1 });
  }

  get record(): ChangeRecord {
    const { change, atMs } = this.#found;
    const { error_id: _, ...links } = change.links;
    return {
      cursor: this.cursor,
      at: new Date(atMs).toISOString(),
      ...{ kind: change.kind, id: change.id, object_version: change.version, what: change.what },
      ...{ from: change.from, to: change.to, ...links },
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.record);
    return this.#json;
  }

  /** As a server-sent event. */
  get event(): string {
    this.#event ??= `id: ${this.cursor}\ndata: ${this.json}\n\n`;
    return this.#event;
  }
}

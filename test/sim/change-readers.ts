/** Readers of the stream of changes: page after page from any coordinator, from the first change on. */
import { readPage } from '../../src/api/changes/reading.ts';
import type { ChangeQuery } from '../../src/api/changes/schema.ts';
import type { ChangePlace } from '../../src/domain/change/cursor.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import { differencesOf, FoldedChanges } from '../e2e/harness/folded-changes.ts';
import type { Seeded } from './seeded.ts';
import type { SimTime } from './sim-time.ts';
import { EPOCH } from './store/change-rows.ts';
import type { MemoryStore } from './store/memory-store.ts';

const READERS = 2;
const PAUSE_MS = 3_000;

const EVERYTHING: ChangeQuery = {
  ...{ kind: [], what: [], id: [], status: [], job_type_name: [], recipe_type_name: [] },
  ...{ recipe_id: [], batch_id: [], job_id: [], strike_id: [], scan_id: [], node_id: [] },
};

export interface ReadWorld {
  readonly time: SimTime;
  readonly store: MemoryStore;
  /** Coordinators that answer calls. */
  readonly serving: readonly { readonly positions: { readonly sql: Sql } }[];
  readonly troubles: { readonly law?: string; readonly event: string; readonly text: string }[];
}

class ChangeReader {
  readonly folded = new FoldedChanges();
  count = 0;
  readonly #world: ReadWorld;
  readonly #random: Seeded;
  #place: ChangePlace = { tick: 1, row: 0, item: 0 };

  constructor(world: ReadWorld, random: Seeded) {
    this.#world = world;
    this.#random = random;
  }

  /** Reads a page, and again after a while. A page whose answer is lost is read again, from another perhaps. */
  readOn(): void {
    const { time } = this.#world;
    time.after(this.#random.next() * PAUSE_MS, () => {
      // Whoever is killed or stopped meanwhile does not answer in time.
      let isOver = false;
      const next = (): void => {
        if (isOver) return;
        isOver = true;
        this.readOn();
      };
      time.after(PAUSE_MS, next);
      this.#read(() => isOver).then(next, next);
    });
  }

  async #read(isLate: () => boolean): Promise<void> {
    const coordinator = this.#random.pick(this.#world.serving);
    if (coordinator === undefined) return;
    const limit = this.#random.pick([3, 50, 1_000]) ?? 3;
    const { sql } = coordinator.positions;
    const page = await readPage(sql, { epoch: EPOCH, place: this.#place }, EVERYTHING, limit);
    if (isLate()) return;
    this.#place = page.next;
    this.count += page.changes.length;
    this.folded.add(page.changes.map(({ record }) => record));
    const [text] = this.folded.problems;
    if (text !== undefined) this.#world.troubles.push({ law: ONCE, event: 'a reader of changes', text });
  }
}

const ONCE = 'each change comes once, those of an object in the order of its versions';

export class ChangeReaders {
  readonly #world: ReadWorld;
  readonly #readers: readonly ChangeReader[];

  constructor(world: ReadWorld, random: Seeded) {
    this.#world = world;
    this.#readers = Array.from({ length: READERS }, () => new ChangeReader(world, random.fork()));
  }

  begin(): void {
    for (const reader of this.#readers) reader.readOn();
  }

  get count(): number {
    return this.#readers.reduce((sum, { count }) => sum + count, 0);
  }

  /** What a reader lacks: folded up, the stream is the rows. Undefined when it is. */
  get open(): string | undefined {
    const { tables, stream } = this.#world.store;
    const states = stream.states(tables);
    for (const { folded } of this.#readers) {
      const [difference] = differencesOf(folded.states, states);
      if (difference !== undefined) return `a reader of changes has ${difference}`;
    }
    return undefined;
  }
}

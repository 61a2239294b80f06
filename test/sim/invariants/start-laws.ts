/** What must hold of starts: a coordinator waits for its database, for nothing else, and serves soon after. */
import { DATABASE } from '../coordinator/database.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

const LOOK_EVERY_MS = 500;
/** How long a start may take while it reaches the database: statements may be slow, or fail. */
const START_MS_MAX = 40_000;

export class StartLaws {
  /** The longest that a start took. */
  longestMs = 0;
  readonly #world: World;
  readonly #fail: Fail;
  readonly #startingMs = new Map<string, number>();
  #lookedMs = 0;

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
  }

  /** After each step of the world. */
  look(): void {
    const { time, coordinators, cables } = this.#world;
    if (time.nowMs < this.#lookedMs + LOOK_EVERY_MS) return;
    const passedMs = time.nowMs - this.#lookedMs;
    this.#lookedMs = time.nowMs;
    for (const { id, slot, isServing, process } of coordinators.values()) {
      if (isServing || process.isStopped || cables.isCut(slot, DATABASE) || cables.isDeaf(slot)) {
        this.#startingMs.delete(id);
        continue;
      }
      const ms = (this.#startingMs.get(id) ?? 0) + passedMs;
      this.#startingMs.set(id, ms);
      this.longestMs = Math.max(this.longestMs, ms);
      if (ms > START_MS_MAX) this.#fail('a start waits for nothing but its database', `${id}: ${ms} ms`);
    }
  }
}

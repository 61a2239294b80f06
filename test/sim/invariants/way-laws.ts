/** What must hold of links between coordinators: nothing is taken twice, and in calm everything arrives. */
import type { Envelope } from '../../../src/kernel/mod.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

/** How long ways that were broken may take to be found again. */
const FOUND_MS = 20_000;
/** How long a message may be under way in calm. */
const UNDER_WAY_MS = 5_000;

interface Passed {
  readonly from: string;
  readonly to: string;
  sentCount: number;
  takenCount: number;
  /** When it was sent, if that was in calm. */
  calmMs: number | undefined;
}

export class WayLaws {
  /** Messages that had to arrive, and did. */
  checked = 0;
  readonly #world: World;
  readonly #fail: Fail;
  readonly #passed = new Map<string, Passed>();
  #calmMs: number | undefined;

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
    const { ways } = world;
    if (ways === undefined) return;
    ways.onSent = (from, to, envelope) => this.#sent(from, to, envelope);
    ways.onTaken = (by, envelope) => this.#taken(by, envelope);
  }

  #sent(from: string, to: string, envelope: Envelope): void {
    const { time, isCalm } = this.#world;
    if (isCalm) this.#calmMs ??= time.nowMs;
    const isSettled = this.#calmMs !== undefined && time.nowMs >= this.#calmMs + FOUND_MS;
    const name = nameOf(to, envelope);
    const before = this.#passed.get(name) ?? { from, to, sentCount: 0, takenCount: 0, calmMs: undefined };
    before.sentCount += 1;
    before.calmMs = isSettled ? time.nowMs : undefined;
    this.#passed.set(name, before);
  }

  #taken(by: string, envelope: Envelope): void {
    const passed = this.#passed.get(nameOf(by, envelope));
    if (passed === undefined) {
      this.#fail('a message was sent before it is taken', nameOf(by, envelope));
      return;
    }
    passed.takenCount += 1;
    if (passed.takenCount > passed.sentCount)
      this.#fail('no message is taken twice', `${passed.from} to ${by}: ${JSON.stringify(envelope)}`);
  }

  /** Once the world is at rest: what was sent in calm between two that still live has arrived. */
  checkRest(): void {
    const { coordinators, time } = this.#world;
    const alive = new Set([...coordinators.values()].map(({ id }) => id));
    for (const [name, { from, to, sentCount, takenCount, calmMs }] of this.#passed) {
      if (calmMs === undefined || time.nowMs < calmMs + UNDER_WAY_MS) continue;
      if (!alive.has(from) || !alive.has(to)) continue;
      this.checked += 1;
      if (takenCount < sentCount) this.#fail('in calm every message arrives', `${from} to ${to}: ${name}`);
    }
  }
}

function nameOf(to: string, { from, id }: Envelope): string {
  return `${from} ${to} ${id}`;
}

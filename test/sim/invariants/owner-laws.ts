/**
 * What must hold of shards, however the database's clock is stepped: each has at most one owner at a time, only its
 * owner saves for it, and it gets an owner again soon after it has lost one.
 */
import { SHARD_COUNT, type Turn } from '../../../src/kernel/mod.ts';
import type { SimCoordinator } from '../coordinator/coordinator.ts';
import { DATABASE } from '../coordinator/database.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

const LOOK_EVERY_MS = 500;
/** How long a shard may be without an owner while some coordinator could take it. */
const OWNERLESS_MS_MAX = 45_000;

interface Grant {
  readonly epoch: number;
  readonly owner: string;
}

export class OwnerLaws {
  /** The longest that a shard waited for an owner, with somebody there to take it. */
  longestMs = 0;
  readonly #world: World;
  readonly #fail: Fail;
  readonly #grants: (Grant | undefined)[] = new Array(SHARD_COUNT).fill(undefined);
  readonly #ownerlessMs: number[] = new Array(SHARD_COUNT).fill(0);
  #lookedMs = 0;

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
    world.onTaken = (self, epochs) => this.#taken(self, epochs);
    world.onSaved = (self, turns) => this.#saved(self, turns);
  }

  /**
   * An owner that was set forward past its leases learns of it at its next renewal, or when they end by its own clock.
   */
  #taken(self: string, epochs: ReadonlyMap<number, number>): void {
    const { time, serverClock, cluster, coordinators } = this.#world;
    const isSurprise = time.nowMs - serverClock.forwardAtMs < cluster.ttlMs;
    const others = [...coordinators.values()].filter((one) => one.id !== self && believesToRun(one));
    for (const [shard, epoch] of epochs) {
      const before = this.#grants[shard];
      if (before !== undefined && epoch <= before.epoch)
        this.#fail(
          'each owner of a shard has its own epoch',
          `shard ${shard}: ${epoch} after ${before.epoch}`,
        );
      this.#grants[shard] = { epoch, owner: self };
      // Each owner counts, however soon it dies: its lease has to end before another may take the shard.
      this.#ownerlessMs[shard] = 0;
      const other = others.find(({ system }) => system.heldShards().includes(shard));
      if (other !== undefined && !isSurprise)
        this.#fail('a shard has one owner at a time', `shard ${shard}: ${self} and ${other.id}`);
    }
  }

  #saved(self: string, turns: readonly Pick<Turn<unknown>, 'shard' | 'epoch'>[]): void {
    for (const { shard } of turns) {
      const owner = this.#grants[shard]?.owner;
      if (owner !== self)
        this.#fail('only its owner saves for a shard', `shard ${shard}: ${self} for ${owner}`);
    }
  }

  /** After each step of the world. */
  look(): void {
    const { time, cluster, coordinators } = this.#world;
    if (time.nowMs < this.#lookedMs + LOOK_EVERY_MS) return;
    const passedMs = time.nowMs - this.#lookedMs;
    this.#lookedMs = time.nowMs;
    const alive = new Set([...coordinators.values()].map(({ id }) => id));
    const isSomebodyFit = this.#isSomebodyFit();
    for (let shard = 0; shard < SHARD_COUNT; shard++) {
      const owner = cluster.ownerOf(shard);
      const isOwned = owner !== undefined && alive.has(owner);
      const ms = isOwned || !isSomebodyFit ? 0 : (this.#ownerlessMs[shard] as number) + passedMs;
      this.#ownerlessMs[shard] = ms;
      this.longestMs = Math.max(this.longestMs, ms);
      if (ms > OWNERLESS_MS_MAX)
        this.#fail(
          'a shard gets an owner again soon',
          `shard ${shard}: none for ${ms} ms, its row has ${owner}`,
        );
    }
  }

  /** It has started, runs and hears the database. */
  #isSomebodyFit(): boolean {
    const { serving, cables } = this.#world;
    return serving.some(({ slot }) => !cables.isCut(slot, DATABASE));
  }
}

function believesToRun({ process, system }: SimCoordinator): boolean {
  return !process.isDead && system.stats().isRunning;
}

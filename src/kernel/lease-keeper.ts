/**
 * Holds this coordinator's share of the shards: renews, takes what is free, gives up what is too much, and
 * stops by its own clock when it could not renew. One lease operation at a time.
 *
 * Memory may be wrong about leases for a while; the epoch check in every commit is what keeps rows safe.
 */
import { SHARD_COUNT } from './address.ts';
import type { ShardLease } from './activation.ts';
import type { KernelLimits } from './limits.ts';
import type { Addresses, Clock, CoordinatorInfo, KernelLog, LeasePort, LeaseView, Rng } from './ports.ts';
import type { TimerHandle, Timers } from './timers.ts';

export interface LeaseHooks {
  gained(holds: readonly ShardLease[]): void;
  /** The shard is not ours any more. */
  lost(hold: ShardLease): void;
  /** Asked again and again about a shard that is to be given up. */
  isDrained(hold: ShardLease): boolean;
  /** Who owns what may have changed, and we may run (again). */
  renewed(): void;
  /** These coordinators are gone without a word: what they were asked is answered by nobody. */
  lapsed(coordinators: ReadonlySet<string>): void;
  /** Shards were given up: others want to know. */
  released(): void;
}

export interface LeaseKeeperParts {
  readonly self: string;
  readonly leases: LeasePort;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rng: Rng;
  readonly limits: KernelLimits;
  readonly log: KernelLog;
  readonly hooks: LeaseHooks;
}

/** Someone who looks for an owner may make us look again so soon, not sooner. */
const REFRESH_MS = 100;
const DRAIN_LOOK_MS = 20;
/** After the moment at which a lease lapses, so that it has. */
const LAPSED_MS = 20;

export class LeaseKeeper {
  readonly #parts: LeaseKeeperParts;
  readonly #holds: (ShardLease | undefined)[] = new Array(SHARD_COUNT).fill(undefined);
  #coordinators: readonly CoordinatorInfo[] = [];
  #owners: ReadonlyMap<number, string> = new Map();
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #lastRoundMs = Number.NEGATIVE_INFINITY;
  #next: TimerHandle | undefined;
  #round: Promise<void> | undefined;
  #releaseByMs = 0;
  #isLeaving = false;
  #isClosed = false;

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts;
  }

  /** Our lease on a shard, whatever its status. */
  holdOf(shard: number): ShardLease | undefined {
    return this.#holds[shard];
  }

  /** Who holds a shard as far as we know; ourselves included. */
  ownerOf(shard: number): string | undefined {
    return this.#owners.get(shard);
  }

  get coordinators(): readonly CoordinatorInfo[] {
    return this.#coordinators;
  }

  get holds(): readonly ShardLease[] {
    return this.#holds.filter((hold) => hold !== undefined);
  }

  get heldShards(): readonly number[] {
    return this.holds.filter((hold) => hold.status === 'held').map((hold) => hold.shard);
  }

  /** False once our leases may have lapsed. */
  isValid(): boolean {
    return this.#parts.clock.monotonicMs() < this.#validUntilMs;
  }

  /** Resolves after the first round: with our share of the shards, when they were free. */
  async start(addresses: Addresses): Promise<void> {
    await this.#parts.leases.register(this.#parts.self, addresses);
    await this.#run();
  }

  /** Looks soon: an addressee was not where we thought. */
  refresh(): void {
    if (this.#round !== undefined || this.#isClosed) return;
    const sinceMs = this.#parts.clock.monotonicMs() - this.#lastRoundMs;
    this.#planRound(Math.max(0, REFRESH_MS - sinceMs));
  }

  /** The store has refused a lease of ours. */
  fenced(hold: ShardLease): void {
    this.#lose(hold);
    this.refresh();
  }

  /** Gives up all shards, each when its cells have finished or their time is over, then the seat. */
  async leave(): Promise<void> {
    const { clock, limits, leases, self, log } = this.#parts;
    this.#isLeaving = true;
    const endMs = clock.monotonicMs() + 2 * limits.drainMs;
    while (this.holds.length > 0 && clock.monotonicMs() < endMs) {
      await this.#run();
      if (this.holds.length > 0)
        await new Promise<void>((done) => this.#parts.timers.set(DRAIN_LOOK_MS, done));
    }
    this.close();
    await leases
      .leave(self)
      .catch((error: unknown) => log.warn('seat not given up, it will lapse', { error }));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#next !== undefined) this.#parts.timers.cancel(this.#next);
  }

  #planRound(afterMs: number): void {
    const { timers } = this.#parts;
    if (this.#next !== undefined) timers.cancel(this.#next);
    this.#next = timers.set(afterMs, () => {
      this.#run();
    });
  }

  /** Never rejects: a round that fails is tried again soon. */
  #run(): Promise<void> {
    this.#round ??= this.#renew().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #renew(): Promise<void> {
    const { self, leases, clock, limits, hooks, log } = this.#parts;
    const startMs = clock.monotonicMs();
    this.#lastRoundMs = startMs;
    let nextMs = limits.heartbeatMs;
    try {
      const view = await leases.heartbeat(self, { isLeaving: this.#isLeaving });
      if (this.#isClosed) return;
      this.#validUntilMs = startMs + leases.ttlMs - limits.leaseMarginMs;
      this.#coordinators = view.coordinators;
      this.#owners = view.owners;
      this.#compare(view);
      await this.#balance(view);
      if (view.lapsed.length > 0) hooks.lapsed(new Set(view.lapsed));
      if (this.holds.some((hold) => hold.status === 'releasing')) nextMs = DRAIN_LOOK_MS;
      else if (view.nextLapseMs !== null) nextMs = soonEnough(view.nextLapseMs, nextMs);
      hooks.renewed();
    } catch (error) {
      log.warn('leases not renewed', { error });
      nextMs = Math.min(nextMs, limits.heartbeatMs / 4);
    }
    if (!this.#isClosed) this.#planRound(nextMs);
  }

  /** What the rows say goes: also for a release or a taking whose answer was lost. */
  #compare(view: LeaseView): void {
    for (const hold of this.holds) {
      if (view.held.get(hold.shard) !== hold.epoch) this.#lose(hold);
    }
    if (!this.#isLeaving) this.#gain(view.held);
  }

  async #balance(view: LeaseView): Promise<void> {
    const { self, leases, hooks } = this.#parts;
    const seats = Math.max(1, view.coordinators.length);
    const share = this.#isLeaving ? 0 : Math.ceil(SHARD_COUNT / seats);
    const held = this.holds.filter((hold) => hold.status === 'held');
    if (held.length > share) this.#beginRelease(held.slice(share));
    if (held.length < share) {
      const free = this.#shuffled(view.owners);
      if (free.length > 0) this.#gain(await leases.acquire(self, free.slice(0, share - held.length)));
    }
    await this.#release(this.#drained(hooks));
  }

  #beginRelease(surplus: readonly ShardLease[]): void {
    for (const hold of surplus) hold.status = 'releasing';
    this.#releaseByMs = this.#parts.clock.monotonicMs() + this.#parts.limits.drainMs;
  }

  #drained(hooks: LeaseHooks): ShardLease[] {
    const isLate = this.#parts.clock.monotonicMs() >= this.#releaseByMs;
    return this.holds.filter((hold) => hold.status === 'releasing' && (hooks.isDrained(hold) || isLate));
  }

  async #release(drained: readonly ShardLease[]): Promise<void> {
    if (drained.length === 0) return;
    for (const hold of drained) this.#lose(hold);
    const shards = drained.map((hold) => hold.shard);
    await this.#parts.leases.release(this.#parts.self, shards);
    this.#parts.log.info('shards given up', { shards });
    this.#parts.hooks.released();
  }

  #gain(epochs: ReadonlyMap<number, number>): void {
    const gained: ShardLease[] = [];
    for (const [shard, epoch] of epochs) {
      if (this.#holds[shard] !== undefined) continue;
      const hold: ShardLease = { shard, epoch, status: 'held' };
      this.#holds[shard] = hold;
      gained.push(hold);
    }
    if (gained.length === 0) return;
    this.#parts.log.info('shards taken', { shards: gained.map((hold) => hold.shard) });
    this.#parts.hooks.gained(gained);
  }

  #lose(hold: ShardLease): void {
    if (this.#holds[hold.shard] === hold) this.#holds[hold.shard] = undefined;
    this.#parts.hooks.lost(hold);
  }

  /** Free shards in an order of our own, so that coordinators that look together don't reach for the same. */
  #shuffled(owners: ReadonlyMap<number, string>): number[] {
    const free: number[] = [];
    for (let shard = 0; shard < SHARD_COUNT; shard++) if (!owners.has(shard)) free.push(shard);
    for (let at = free.length - 1; at > 0; at--) {
      const other = Math.floor(this.#parts.rng() * (at + 1));
      [free[at], free[other]] = [free[other] as number, free[at] as number];
    }
    return free;
  }
}

/** One that is silent renews nothing: its shards are free right then, not at our next turn. */
function soonEnough(lapseMs: number, nextMs: number): number {
  return Math.min(nextMs, Math.max(REFRESH_MS, Math.ceil(lapseMs) + LAPSED_MS));
}

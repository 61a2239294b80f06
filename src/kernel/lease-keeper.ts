/**
 * Holds this coordinator's share of the shards. It renews leases, takes free shards, releases those beyond its share,
 * and stops by its own clock when it could not renew. One lease operation runs at a time.
 *
 * Its view of the leases may be wrong for a while; the epoch check in every commit protects the rows.
 */

import type { ShardLease } from './activation/activation.ts';
import { SHARD_COUNT } from './actor/address.ts';
import type { Addresses, CoordinatorInfo, LeasePort, LeaseView } from './actor/ports.ts';
import type { Runtime } from './runtime.ts';
import type { TimerHandle } from './timers.ts';

export interface LeaseHooks {
  gained(leases: readonly ShardLease[]): void;
  /** The shard is no longer ours. */
  lost(lease: ShardLease): void;
  /** Called repeatedly for a shard that is to be released. */
  isDrained(lease: ShardLease): boolean;
  /** Owners may have changed, and we may run (again). */
  renewed(): void;
  /** These coordinators died without leaving: asks that were sent to them will not be answered. */
  lapsed(coordinators: ReadonlySet<string>): void;
  /** Shards were released: other coordinators should be told. */
  released(): void;
}

/** A search for an owner may trigger another look at the leases, but not sooner than this. */
const REFRESH_MS = 100;
const DRAIN_LOOK_MS = 20;
/** Added to the expiry of a lease, so that it has certainly expired. */
const LAPSED_MS = 20;

export class LeaseKeeper {
  readonly #runtime: Runtime;
  readonly #port: LeasePort;
  readonly #hooks: LeaseHooks;
  readonly #leases: (ShardLease | undefined)[] = new Array(SHARD_COUNT).fill(undefined);
  #coordinators: readonly CoordinatorInfo[] = [];
  #owners: ReadonlyMap<number, string> = new Map();
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #lastRoundMs = Number.NEGATIVE_INFINITY;
  #next: TimerHandle | undefined;
  #round: Promise<void> | undefined;
  #releaseByMs = 0;
  #isLeaving = false;
  #isClosed = false;

  constructor(runtime: Runtime, port: LeasePort, hooks: LeaseHooks) {
    this.#runtime = runtime;
    this.#port = port;
    this.#hooks = hooks;
  }

  /** Our lease on a shard, whatever its status. */
  leaseOf(shard: number): ShardLease | undefined {
    return this.#leases[shard];
  }

  /** The holder of a shard as far as we know, including ourselves. */
  ownerOf(shard: number): string | undefined {
    return this.#owners.get(shard);
  }

  get coordinators(): readonly CoordinatorInfo[] {
    return this.#coordinators;
  }

  get leases(): readonly ShardLease[] {
    return this.#leases.filter((lease) => lease !== undefined);
  }

  get heldShards(): readonly number[] {
    return this.leases.filter((lease) => lease.status === 'held').map((lease) => lease.shard);
  }

  /** False once our leases may have expired. */
  isValid(): boolean {
    return this.#runtime.clock.monotonicMs() < this.#validUntilMs;
  }

  /** Resolves after the first round: with our share of the shards, if they were free. */
  async start(addresses: Addresses): Promise<void> {
    await this.#port.register(this.#runtime.self, addresses);
    await this.#run();
  }

  /** Reads the leases soon, because an addressee was not where we expected it. */
  refresh(): void {
    if (this.#round !== undefined || this.#isClosed) return;
    const sinceMs = this.#runtime.clock.monotonicMs() - this.#lastRoundMs;
    this.#scheduleRound(Math.max(0, REFRESH_MS - sinceMs));
  }

  /** The store has refused a lease of ours. */
  fenced(lease: ShardLease): void {
    this.#lose(lease);
    this.refresh();
  }

  /** Releases all shards, each when its activations have finished or their time is over, and then the seat. */
  async leave(): Promise<void> {
    const { clock, timers, limits, self, log } = this.#runtime;
    this.#isLeaving = true;
    const endMs = clock.monotonicMs() + 2 * limits.drainMs;
    while (this.leases.length > 0 && clock.monotonicMs() < endMs) {
      await this.#run();
      if (this.leases.length > 0) await new Promise<void>((done) => timers.set(DRAIN_LOOK_MS, done));
    }
    this.close();
    await this.#port.leave(self).catch((error: unknown) => log.warn('seat_not_released', { error }));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#next !== undefined) this.#runtime.timers.cancel(this.#next);
  }

  #scheduleRound(afterMs: number): void {
    const { timers } = this.#runtime;
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
    const { self, clock, limits, log } = this.#runtime;
    const startMs = clock.monotonicMs();
    this.#lastRoundMs = startMs;
    let nextMs = limits.heartbeatMs;
    try {
      const view = await this.#port.heartbeat(self, { isLeaving: this.#isLeaving });
      if (this.#isClosed) return;
      this.#validUntilMs = startMs + this.#port.ttlMs - limits.leaseMarginMs;
      this.#coordinators = view.coordinators;
      this.#owners = view.owners;
      this.#compare(view);
      await this.#balance(view);
      if (view.lapsed.length > 0) this.#hooks.lapsed(new Set(view.lapsed));
      if (this.leases.some((lease) => lease.status === 'releasing')) nextMs = DRAIN_LOOK_MS;
      else if (view.nextLapseMs !== null) nextMs = soonEnough(view.nextLapseMs, nextMs);
      this.#hooks.renewed();
    } catch (error) {
      log.warn('leases_not_renewed', { error });
      nextMs = Math.min(nextMs, limits.heartbeatMs / 4);
    }
    if (!this.#isClosed) this.#scheduleRound(nextMs);
  }

  /** The rows decide, also about a release or an acquisition whose answer was lost. */
  #compare(view: LeaseView): void {
    for (const lease of this.leases) {
      if (view.held.get(lease.shard) !== lease.epoch) this.#lose(lease);
    }
    if (!this.#isLeaving) this.#gain(view.held);
  }

  async #balance(view: LeaseView): Promise<void> {
    const seats = Math.max(1, view.coordinators.length);
    const share = this.#isLeaving ? 0 : Math.ceil(SHARD_COUNT / seats);
    const held = this.leases.filter((lease) => lease.status === 'held');
    const nowMs = this.#runtime.clock.monotonicMs();
    if (held.length > share) this.#releaseByMs = nowMs + this.#runtime.limits.drainMs;
    for (const lease of held.slice(share)) lease.status = 'releasing';
    if (held.length < share) {
      const free = this.#shuffled(view.owners);
      if (free.length > 0)
        this.#gain(await this.#port.acquire(this.#runtime.self, free.slice(0, share - held.length)));
    }
    const isLate = this.#runtime.clock.monotonicMs() >= this.#releaseByMs;
    const isDone = (lease: ShardLease) => this.#hooks.isDrained(lease) || isLate;
    await this.#release(this.leases.filter((lease) => lease.status === 'releasing' && isDone(lease)));
  }

  async #release(drained: readonly ShardLease[]): Promise<void> {
    if (drained.length === 0) return;
    for (const lease of drained) this.#lose(lease);
    const shards = drained.map((lease) => lease.shard);
    await this.#port.release(this.#runtime.self, shards);
    this.#runtime.log.info('shards_released', { shards });
    this.#hooks.released();
  }

  #gain(epochs: ReadonlyMap<number, number>): void {
    const gained: ShardLease[] = [];
    for (const [shard, epoch] of epochs) {
      if (this.#leases[shard] !== undefined) continue;
      const lease: ShardLease = { shard, epoch, status: 'held' };
      this.#leases[shard] = lease;
      gained.push(lease);
    }
    if (gained.length === 0) return;
    this.#runtime.log.info('shards_acquired', { shards: gained.map((lease) => lease.shard) });
    this.#hooks.gained(gained);
  }

  #lose(lease: ShardLease): void {
    if (this.#leases[lease.shard] === lease) this.#leases[lease.shard] = undefined;
    this.#hooks.lost(lease);
  }

  /** Free shards in random order, so that coordinators that look at the same time don't reach for the same shards. */
  #shuffled(owners: ReadonlyMap<number, string>): number[] {
    const free: number[] = [];
    for (let shard = 0; shard < SHARD_COUNT; shard++) if (!owners.has(shard)) free.push(shard);
    for (let at = free.length - 1; at > 0; at--) {
      const other = Math.floor(this.#runtime.rng() * (at + 1));
      [free[at], free[other]] = [free[other] as number, free[at] as number];
    }
    return free;
  }
}

/**
 * A silent coordinator renews nothing: its shards are free when its leases expire, not only at our next regular round.
 */
function soonEnough(lapseMs: number, nextMs: number): number {
  return Math.min(nextMs, Math.max(REFRESH_MS, Math.ceil(lapseMs) + LAPSED_MS));
}

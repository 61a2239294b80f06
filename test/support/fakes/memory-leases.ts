/** Leases in memory, tested by the same suite as those of PostgreSQL (`test/conformance/leases.ts`). */
import { AppError } from '../../../src/domain/errors.ts';
import type { Addresses, CoordinatorInfo, LeasePort, LeaseView } from '../../../src/kernel/mod.ts';
import { SHARD_COUNT } from '../../../src/kernel/mod.ts';

interface Row {
  owner: string | undefined;
  epoch: number;
  expiresMs: number;
}

/** The rows of one cluster, and its database's clock. Each coordinator gets its own `port`. */
export class MemoryCluster {
  /** How long a renewal is valid. */
  readonly ttlMs: number;
  readonly #nowMs: () => number;
  readonly #rows: Row[] = Array.from({ length: SHARD_COUNT }, () => ({
    owner: undefined,
    epoch: 0,
    expiresMs: Number.NEGATIVE_INFINITY,
  }));
  readonly #seats = new Map<string, CoordinatorInfo & { expiresMs: number }>();
  /** Coordinators that cannot reach the database at present. */
  readonly cut = new Set<string>();

  constructor(nowMs: () => number, ttlMs = 6_000) {
    this.#nowMs = nowMs;
    this.ttlMs = ttlMs;
  }

  epochOf(shard: number): number {
    return this.#rows[shard]?.epoch ?? 0;
  }

  ownerOf(shard: number): string | undefined {
    const row = this.#rows[shard];
    return row !== undefined && row.expiresMs > this.#nowMs() ? row.owner : undefined;
  }

  /** Whether its last heartbeat is recent enough. */
  hasSeat(coordinator: string): boolean {
    return (this.#seats.get(coordinator)?.expiresMs ?? 0) > this.#nowMs();
  }

  port(): LeasePort {
    let addresses: Addresses | undefined;
    const check = (self: string) => {
      if (this.cut.has(self)) throw new Error('the database cannot be reached');
    };
    return {
      ttlMs: this.ttlMs,
      register: async (self, given) => {
        check(self);
        if (this.hasSeat(self)) {
          throw new AppError('CONFLICT', `a coordinator ${self} is running already`);
        }
        addresses = given;
        this.#seat(self, given);
      },
      heartbeat: async (self, { isLeaving }) => {
        check(self);
        if (isLeaving) this.#seats.delete(self);
        else if (addresses !== undefined) this.#seat(self, addresses);
        return this.#renew(self);
      },
      acquire: async (self, shards) => {
        check(self);
        return this.#acquire(self, shards);
      },
      release: async (self, shards) => {
        check(self);
        for (const shard of shards) this.#free(self, this.#rows[shard]);
      },
      leave: async (self) => {
        check(self);
        for (const row of this.#rows) this.#free(self, row);
        this.#seats.delete(self);
      },
    };
  }

  #seat(self: string, addresses: Addresses): void {
    this.#seats.set(self, { id: self, ...addresses, expiresMs: this.#nowMs() + this.ttlMs });
  }

  #renew(self: string): LeaseView {
    const nowMs = this.#nowMs();
    this.cutImpossible(self, nowMs + this.ttlMs);
    const held = new Map<number, number>();
    const owners = new Map<number, string>();
    for (const [shard, row] of this.#rows.entries()) {
      if (row.owner === self) {
        row.expiresMs = nowMs + this.ttlMs;
        held.set(shard, row.epoch);
      }
      if (row.owner !== undefined && row.expiresMs > nowMs) owners.set(shard, row.owner);
    }
    const coordinators = [...this.#seats.values()]
      .filter((seat) => seat.expiresMs > nowMs)
      .map(({ expiresMs: _, ...info }) => info)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const lapsed = [...this.#seats.values()].filter((seat) => seat.expiresMs <= nowMs).map(({ id }) => id);
    const others = this.#rows.filter((row) => row.owner !== undefined && row.owner !== self);
    const leftMs = others.map((row) => row.expiresMs - nowMs).filter((ms) => ms > 0);
    const nextLapseMs = leftMs.length === 0 ? null : Math.min(...leftMs);
    return { held, owners, coordinators, lapsed, nextLapseMs };
  }

  /** An expiry later than any renewal can have set was written before the clock stepped back. */
  protected cutImpossible(self: string, latestMs: number): void {
    for (const row of this.#rows) if (row.owner !== self) row.expiresMs = Math.min(row.expiresMs, latestMs);
    for (const seat of this.#seats.values()) seat.expiresMs = Math.min(seat.expiresMs, latestMs);
  }

  #acquire(self: string, shards: readonly number[]): Map<number, number> {
    const got = new Map<number, number>();
    for (const shard of shards) {
      const row = this.#rows[shard];
      if (row === undefined || (row.owner !== undefined && row.expiresMs > this.#nowMs())) continue;
      row.owner = self;
      row.epoch++;
      row.expiresMs = this.#nowMs() + this.ttlMs;
      got.set(shard, row.epoch);
    }
    return got;
  }

  #free(self: string, row: Row | undefined): void {
    if (row?.owner !== self) return;
    row.owner = undefined;
    row.expiresMs = Number.NEGATIVE_INFINITY;
  }
}

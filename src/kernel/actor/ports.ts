/**
 * The runtime's environment: time, randomness, storage, leases, transport. Adapters implement it structurally; tests
 * bring their own.
 */
import type { Secret } from '../../lib/secret.ts';
import type { Envelope } from './envelope.ts';

/** Time, and the only ways to wait. */
export interface Clock {
  /** Milliseconds since 1970, UTC. Not monotonic. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start. Monotonic. */
  monotonicMs(): number;
  /** Runs `run` once after `afterMs`. Returns a function that cancels it. */
  timer(afterMs: number, run: () => void): () => void;
  /** Runs `run` once, after pending input and output had a chance to run. */
  soon(run: () => void): void;
}

/** Returns random numbers, uniform in [0, 1). */
export type Rng = () => number;

/** The part of a logger that the kernel uses. `event` is a constant name in snake_case. */
export interface KernelLog {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The changes of one activation's turn, in the order of its effects, with the lease under which they were made. */
export interface Turn<Change> {
  readonly shard: number;
  readonly epoch: number;
  readonly changes: readonly Change[];
}

export interface ApplyPort<Change, Result = unknown> {
  /**
   * Saves a group of turns in ONE transaction. It first checks each turn's shard and epoch, and keeps `acquire` from
   * raising these epochs until it ends. Returns one result for each change of each turn. Throws TurnRefused or Fenced
   * if nothing was saved. Any other error means that the outcome is unknown: the turns run again from freshly loaded
   * state, so a change must have a guard against being applied twice.
   */
  apply(turns: readonly Turn<Change>[]): Promise<readonly (readonly Result[])[]>;
  /**
   * Marks of transactions that may still be committed; with `marks`, those of them for which that is still so. Called
   * after an unknown outcome, before rows are read again. Absent where a transaction always ends with its answer.
   */
  underWay?(marks?: readonly string[]): Promise<readonly string[]>;
}

export interface IdPort {
  /** Reserves `n` identifiers of a kind, which nobody else ever gets. */
  reserve(idKind: string, n: number): Promise<readonly number[]>;
}

export interface Addresses {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly version: string;
  /** The key that other coordinators send when they call `grpcAddress`; absent for a version that is not called. */
  readonly busKey?: Secret;
}

export interface CoordinatorInfo extends Addresses {
  readonly id: string;
}

/** The result of a heartbeat. */
export interface LeaseView {
  /** Shards of the caller with their epochs, all renewed just now. */
  readonly held: ReadonlyMap<number, number>;
  /** Live coordinators that are not leaving, in the order of their ids. */
  readonly coordinators: readonly CoordinatorInfo[];
  /** Unexpired leases: shard and id of its coordinator. */
  readonly owners: ReadonlyMap<number, string>;
  /** Coordinators whose seat expired: they sent no heartbeat in time, and did not leave either. */
  readonly lapsed: readonly string[];
  /**
   * Milliseconds until the first lease of another coordinator expires, unless it is renewed; null when others hold
   * none.
   */
  readonly nextLapseMs: number | null;
}

/**
 * Leases in the cluster's database, on its clock. An id belongs to one process for its lifetime and is never used
 * again.
 */
export interface LeasePort {
  /** How long a renewal is valid, in milliseconds. */
  readonly ttlMs: number;
  register(self: string, addresses: Addresses): Promise<void>;
  /**
   * Renews the caller's row and its leases. With `isLeaving` the caller keeps its leases but no longer counts as a
   * coordinator.
   */
  heartbeat(self: string, options: { readonly isLeaving: boolean }): Promise<LeaseView>;
  /**
   * Takes those of `shards` that nobody holds and that no `apply` is saving under, each at a higher epoch. Returns the
   * shards that it got with their epochs.
   */
  acquire(self: string, shards: readonly number[]): Promise<ReadonlyMap<number, number>>;
  release(self: string, shards: readonly number[]): Promise<void>;
  /** Releases everything, including the caller's row. */
  leave(self: string): Promise<void>;
}

/** Delivers at most once, and in order between two coordinators while both are up. */
export interface Transport {
  start(self: string, onEnvelope: (envelope: Envelope) => void): Promise<void>;
  /** `refused`: not sent, and never will be (not connected, too much waiting, too large). Never blocks or throws. */
  send(to: string, envelope: Envelope): 'sent' | 'refused';
  stop(): Promise<void>;
}

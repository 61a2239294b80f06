/** What the runtime needs of the world. Adapters fit by structure; tests bring their own. */
import type { Secret } from '../../lib/secret.ts';
import type { Envelope } from './envelope.ts';

/** Time, and the only ways to wait. */
export interface Clock {
  /** Milliseconds since 1970, UTC; may jump. */
  nowMs(): number;
  /** Milliseconds since some start; never goes back. */
  monotonicMs(): number;
  /** Runs `run` once after `afterMs`; returns what cancels it. */
  timer(afterMs: number, run: () => void): () => void;
  /** Runs `run` once others had their chance: input and output first. */
  soon(run: () => void): void;
}

/** Uniform in [0, 1). */
export type Rng = () => number;

/** The part of a logger that the kernel uses. `event` is a constant phrase. */
export interface KernelLog {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The changes of one activation's turn, in the order of its effects, with the lease they were decided under. */
export interface Turn<Change> {
  readonly shard: number;
  readonly epoch: number;
  readonly changes: readonly Change[];
}

export interface ApplyPort<Change> {
  /**
   * Saves a group of turns in ONE transaction that checks each turn's shard and epoch. Answers one result for
   * each change of each turn. Throws TurnRefused or Fenced (nothing was saved), anything else when the
   * outcome is unknown: those turns are decided again from reloaded state, so a change must be guarded
   * against its repeat.
   */
  apply(turns: readonly Turn<Change>[]): Promise<readonly (readonly unknown[])[]>;
  /**
   * Transactions that may still be saved, as marks; with `marks`, those of them that still may. Asked after an unknown
   * outcome, before rows are read again. Absent where a transaction ends with its answer.
   */
  underWay?(marks?: readonly string[]): Promise<readonly string[]>;
}

export interface IdPort {
  /** `n` identifiers of a kind that nobody else ever gets. */
  reserve(idKind: string, n: number): Promise<readonly number[]>;
}

export interface Addresses {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly version: string;
  /** What other coordinators show when they call `grpcAddress`; absent where that version is not called. */
  readonly busKey?: Secret;
}

export interface CoordinatorInfo extends Addresses {
  readonly id: string;
}

/** What a heartbeat learns. */
export interface LeaseView {
  /** Shards of the caller -> epoch, all renewed just now. */
  readonly held: ReadonlyMap<number, number>;
  /** Live coordinators that don't leave, in the order of their ids. */
  readonly coordinators: readonly CoordinatorInfo[];
  /** Unexpired leases: shard -> id of its coordinator. */
  readonly owners: ReadonlyMap<number, string>;
  /** Coordinators whose seat lapsed: they were not heard of in time, and did not leave either. */
  readonly lapsed: readonly string[];
  /** Milliseconds until the first lease of another lapses, unless it is renewed; null when others hold none. */
  readonly nextLapseMs: number | null;
}

/**
 * Leases in the cluster's database, on its clock. An id belongs to one process for its life: never use one
 * twice.
 */
export interface LeasePort {
  /** How long a renewal lasts, milliseconds. */
  readonly ttlMs: number;
  register(self: string, addresses: Addresses): Promise<void>;
  /**
   * Renews the caller's row and its leases. One that leaves keeps its leases but counts as a coordinator no
   * more.
   */
  heartbeat(self: string, options: { readonly isLeaving: boolean }): Promise<LeaseView>;
  /**
   * Takes those of `shards` that nobody holds, each at a higher epoch. Answers shard -> epoch of those it
   * got.
   */
  acquire(self: string, shards: readonly number[]): Promise<ReadonlyMap<number, number>>;
  release(self: string, shards: readonly number[]): Promise<void>;
  /** Gives up everything, the row included. */
  leave(self: string): Promise<void>;
}

/** At most once, in order between two coordinators while both are up. */
export interface Transport {
  start(self: string, onEnvelope: (envelope: Envelope) => void): Promise<void>;
  /**
   * `refused`: not sent, and never will be (not connected, too much waiting, too large). Never blocks or
   * throws.
   */
  send(to: string, envelope: Envelope): 'sent' | 'refused';
  stop(): Promise<void>;
}

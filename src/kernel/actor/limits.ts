/** Limits of the runtime, with their defaults. An actor's own limits are in its definition. */
export const KERNEL_LIMITS = Object.freeze({
  /** Turns in one commit. */
  groupMax: 500,
  /** How long a group waits for more turns while another group is being committed. */
  groupWaitMs: 2,
  /** Concurrent commits; `setLanes` changes the number at run time. */
  lanes: 2,
  /** Keys in one load. */
  loadMax: 500,
  /** Concurrent loads of one kind. */
  loadsMax: 2,
  /** Live activations of one kind. */
  liveMax: 100_000,
  /** Unanswered asks of this process. */
  asksMax: 50_000,
  /** Mail that waits until its shard has an owner. */
  parkedMax: 10_000,
  /** How long a tell waits for an owner; a failover takes about the lifetime of a lease. */
  parkedMs: 10_000,
  /** Calls that one activation may have pending. */
  callsMax: 1_000,
  /** The loop yields to the event loop after this time, or after so many messages. */
  sliceMs: 10,
  sliceMessages: 20_000,
  /** Refusals of the same messages after which their asks get CONFLICT. */
  refusalsMax: 3,
  heartbeatMs: 2_000,
  /**
   * Subtracted from the lifetime of a lease, for the time between its renewal in the database and our learning of it.
   */
  leaseMarginMs: 500,
  /** How long a shard that is given up may take to finish. */
  drainMs: 5_000,
  unavailableBackoffMs: 100,
  unavailableBackoffMaxMs: 5_000,
  /** Initial size of an identifier pool's block; doubles when a turn finds the pool empty. */
  idBlock: 256,
  idBlockMax: 65_536,
});

export type KernelLimits = { readonly [Name in keyof typeof KERNEL_LIMITS]: number };

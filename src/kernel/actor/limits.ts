/** Limits of the runtime. An actor's own limits are in its definition. */
export interface KernelLimits {
  /** Turns in one commit. */
  readonly groupMax: number;
  /** How long a group waits for more turns while another group is being committed. */
  readonly groupWaitMs: number;
  /** Concurrent commits; `setLanes` changes the number at run time. */
  readonly lanes: number;
  /** Keys in one load. */
  readonly loadMax: number;
  /** Concurrent loads of one kind. */
  readonly loadsMax: number;
  /** Live activations of one kind. */
  readonly liveMax: number;
  /** Unanswered asks of this process. */
  readonly asksMax: number;
  /** Mail that waits until its shard has an owner. */
  readonly parkedMax: number;
  /** How long a tell waits for an owner; a failover takes about the lifetime of a lease. */
  readonly parkedMs: number;
  /** Calls that one activation may have pending. */
  readonly callsMax: number;
  /** The loop yields to the event loop after this time, or after so many messages. */
  readonly sliceMs: number;
  readonly sliceMessages: number;
  /** Refusals of the same messages after which their asks get CONFLICT. */
  readonly refusalsMax: number;
  readonly heartbeatMs: number;
  /**
   * Subtracted from the lifetime of a lease, for the time between its renewal in the database and our learning of it.
   */
  readonly leaseMarginMs: number;
  /** How long a shard that is given up may take to finish. */
  readonly drainMs: number;
  readonly unavailableBackoffMs: number;
  readonly unavailableBackoffMaxMs: number;
  /** Initial size of an identifier pool's block; doubles when a turn finds the pool empty. */
  readonly idBlock: number;
  readonly idBlockMax: number;
}

export const KERNEL_LIMITS: KernelLimits = {
  groupMax: 500,
  groupWaitMs: 2,
  lanes: 2,
  loadMax: 500,
  loadsMax: 2,
  liveMax: 100_000,
  asksMax: 50_000,
  parkedMax: 10_000,
  parkedMs: 10_000,
  callsMax: 1_000,
  sliceMs: 10,
  sliceMessages: 20_000,
  refusalsMax: 3,
  heartbeatMs: 2_000,
  leaseMarginMs: 500,
  drainMs: 5_000,
  unavailableBackoffMs: 100,
  unavailableBackoffMaxMs: 5_000,
  idBlock: 256,
  idBlockMax: 65_536,
};

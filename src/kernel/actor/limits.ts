/** Bounds of the runtime. An actor's own bounds are in its definition. */
export interface KernelLimits {
  /** Turns in one commit. */
  readonly groupMax: number;
  /** How long a group waits for company while another is being committed. */
  readonly groupWaitMs: number;
  /** Commits at once; `setLanes` changes it while running. */
  readonly lanes: number;
  /** Keys in one load. */
  readonly loadMax: number;
  /** Loads of one kind at once. */
  readonly loadsMax: number;
  /** Live activations of one kind. */
  readonly liveMax: number;
  /** Unanswered asks of this process. */
  readonly asksMax: number;
  /** Mail that waits for its shard to find an owner. */
  readonly parkedMax: number;
  /** How long such a tell waits; a failover takes about the lifetime of a lease. */
  readonly parkedMs: number;
  /** Calls that one activation may have under way. */
  readonly callsMax: number;
  /** The event loop gets its turn after so long, or so many messages. */
  readonly sliceMs: number;
  readonly sliceMessages: number;
  /** Refusals of the same messages before their asks get CONFLICT. */
  readonly refusalsMax: number;
  readonly heartbeatMs: number;
  /** Taken off the lifetime of a lease, for the time between its renewal and our knowing. */
  readonly leaseMarginMs: number;
  /** What a shard that is given up may take to finish. */
  readonly drainMs: number;
  readonly unavailableBackoffMs: number;
  readonly unavailableBackoffMaxMs: number;
  /** First size of an identifier pool's block; doubles when a turn runs dry. */
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

/** Bounds of the bus, the same for every transport, so that what fits one fits the other. */
export const BUS_LIMITS = {
  /** NATS takes payloads of 1 MiB unless told otherwise; a little is left for its own headers, and for a batch's. */
  envelopeBytesMax: 1_048_576 - 1_024,
  /** NATS: so much is left of what a server takes that was told to take less. */
  headerBytesMax: 1_024,
  /** NATS: of several envelopes in one message. Small enough that whoever reads it is not busy for long. */
  batchBytesMax: 65_536,
  /** NATS: coordinators of which is remembered that they read batches. */
  readersMax: 1_000,
  /** In-process: envelopes on their way to one coordinator. */
  waitingMax: 100_000,
  /** NATS: bytes handed to the client that the server has not confirmed yet. */
  unconfirmedBytesMax: 32 * 1_048_576,
} as const;

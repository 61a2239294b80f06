/** Bounds of what goes between coordinators, the same for every transport, so that what fits one fits the other. */
export const BUS_LIMITS = {
  /** NATS takes payloads of 1 MiB unless told otherwise; a little is left for its own headers, and for a batch's. */
  envelopeBytesMax: 1_048_576 - 1_024,
  /** NATS: so much is left of what a server takes that was told to take less. */
  headerBytesMax: 1_024,
  /** The bytes of several envelopes in one message. Small enough that whoever reads it is not busy for long. */
  batchBytesMax: 65_536,
  /** Coordinators of which something is remembered. */
  peersMax: 1_000,
  /** In-process: envelopes on their way to one coordinator. */
  waitingMax: 100_000,
  /** NATS: bytes handed to the client that the server has not confirmed yet. */
  unconfirmedBytesMax: 32 * 1_048_576,
  /** Bytes to one coordinator, and to all, that were not received yet as far as is known. */
  unreceivedBytesMax: 16 * 1_048_576,
  unreceivedBytesMaxOfAll: 64 * 1_048_576,
  /** By so much a number is believed to have grown from one message to the next. */
  numberLeapMax: 2 ** 40,
  /** After so long nobody waits for a message any more. */
  keptMs: 15_000,
  /** NATS is silent towards a coordinator that has not confirmed a message after so long. */
  silentMs: 1_000,
  /** Whether NATS delivers again is asked so often. */
  probeMs: 1_000,
  /** What was received is confirmed at most so much later. */
  receiptMs: 50,
  /** From one look at what is due to the next. */
  tickMs: 250,
  /** Between two attempts to open a stream. */
  reopenMs: { first: 250, max: 5_000 },
} as const;

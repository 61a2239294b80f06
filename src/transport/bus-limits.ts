/** Limits of messages between coordinators, the same for every transport, so that what fits one fits the other. */
export const BUS_LIMITS = {
  /** NATS accepts payloads of 1 MiB by default; the rest is for its headers and those of a batch. */
  envelopeBytesMax: 1_048_576 - 1_024,
  /** NATS: left for headers when a server is configured to accept less. */
  headerBytesMax: 1_024,
  /** Most bytes of several envelopes in one message. Small enough that its reader is not busy for long. */
  batchBytesMax: 65_536,
  /** Most coordinators whose state is kept. */
  peersMax: 1_000,
  /** In-process: most envelopes on their way to one coordinator. */
  waitingMax: 100_000,
  /** NATS: most bytes given to the client that the server has not confirmed yet. */
  unconfirmedBytesMax: 32 * 1_048_576,
  /** Most unconfirmed bytes to one coordinator, and to all. */
  unreceivedBytesMax: 16 * 1_048_576,
  unreceivedBytesMaxOfAll: 64 * 1_048_576,
  /** The largest plausible growth of a number from one message to the next. */
  numberLeapMax: 2 ** 40,
  /** Messages are dropped after this time: their senders no longer wait. */
  keptMs: 15_000,
  /** If a coordinator has not confirmed a message for this long, NATS is assumed not to deliver to it. */
  silentMs: 1_000,
  /** How often to probe whether NATS delivers again. */
  probeMs: 1_000,
  /** The longest delay of a receipt. */
  receiptMs: 50,
  /** How often a link checks for old messages, silence and probes. */
  tickMs: 250,
  /** The pause between two attempts to open a stream. */
  reopenMs: { first: 250, max: 5_000 },
} as const;

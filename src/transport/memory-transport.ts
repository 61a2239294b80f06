/**
 * The bus inside one process: for `millrace up` and for tests. Envelopes are encoded and decoded anyway, so that
 * anything that would not survive the network does not survive here either.
 */
import type { Envelope, Transport } from '../kernel/mod.ts';
import { decodeDelivery, encodeEnvelope } from '../wire/codecs/bus.ts';
import { BUS_LIMITS } from './bus-limits.ts';

interface Seat {
  readonly deliver: (envelope: Envelope) => void;
  readonly waiting: Uint8Array[];
}

/** Coordinators of one process reach each other through the same network. `defer` runs a delivery later. */
export class MemoryNetwork {
  readonly #seats = new Map<string, Seat>();
  readonly #defer: (deliver: () => void) => void;

  constructor(defer: (deliver: () => void) => void = queueMicrotask) {
    this.#defer = defer;
  }

  join(self: string, deliver: (envelope: Envelope) => void): void {
    this.#seats.set(self, { deliver, waiting: [] });
  }

  leave(self: string): void {
    this.#seats.delete(self);
  }

  /** False when too much waits. Bytes for an absent coordinator are lost, as on any network. */
  post(to: string, bytes: Uint8Array): boolean {
    const seat = this.#seats.get(to);
    if (seat === undefined) return true;
    // limit: envelopes on their way to one coordinator.
    if (seat.waiting.length >= BUS_LIMITS.waitingMax) return false;
    if (seat.waiting.push(bytes) === 1) this.#defer(() => this.#deliver(to, seat));
    return true;
  }

  #deliver(to: string, seat: Seat): void {
    for (const bytes of seat.waiting.splice(0)) {
      if (this.#seats.get(to) !== seat) continue;
      for (const envelope of decodeDelivery(bytes).envelopes) seat.deliver(envelope);
    }
  }
}

export function memoryTransport(network: MemoryNetwork): Transport {
  let joined: string | undefined;
  return {
    async start(self, onEnvelope) {
      network.join(self, onEnvelope);
      joined = self;
    },
    send(to, envelope) {
      if (joined === undefined) return 'refused';
      let bytes: Uint8Array;
      try {
        bytes = encodeEnvelope(envelope);
      } catch {
        return 'refused'; // not JSON; the sender counts it
      }
      if (bytes.length > BUS_LIMITS.envelopeBytesMax) return 'refused';
      return network.post(to, bytes) ? 'sent' : 'refused';
    },
    async stop() {
      if (joined !== undefined) network.leave(joined);
      joined = undefined;
    },
  };
}

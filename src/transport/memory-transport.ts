/**
 * The bus inside one process: for `millrace up` and for tests. Envelopes are encoded and decoded, so that values that a
 * network would not transmit are not transmitted here either.
 */
import type { Envelope, Transport } from '../kernel/mod.ts';
import { decodeDelivery, encodeEnvelope } from '../wire/codecs/bus.ts';
import { BUS_LIMITS } from './bus-limits.ts';

/** A coordinator that has joined the network. */
interface Member {
  readonly deliver: (envelope: Envelope) => void;
  readonly waiting: Uint8Array[];
}

/** Coordinators of one process reach each other through the same network. `defer` runs a delivery later. */
export class MemoryNetwork {
  readonly #members = new Map<string, Member>();
  readonly #defer: (deliver: () => void) => void;

  constructor(defer: (deliver: () => void) => void = queueMicrotask) {
    this.#defer = defer;
  }

  join(self: string, deliver: (envelope: Envelope) => void): void {
    this.#members.set(self, { deliver, waiting: [] });
  }

  leave(self: string): void {
    this.#members.delete(self);
  }

  /** False if too many envelopes wait. Bytes for an absent coordinator are lost, as on any network. */
  post(to: string, bytes: Uint8Array): boolean {
    const member = this.#members.get(to);
    if (member === undefined) return true;
    // limit: envelopes on their way to one coordinator.
    if (member.waiting.length >= BUS_LIMITS.waitingMax) return false;
    if (member.waiting.push(bytes) === 1) this.#defer(() => this.#deliver(to, member));
    return true;
  }

  #deliver(to: string, member: Member): void {
    for (const bytes of member.waiting.splice(0)) {
      if (this.#members.get(to) !== member) continue;
      for (const envelope of decodeDelivery(bytes).envelopes) member.deliver(envelope);
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

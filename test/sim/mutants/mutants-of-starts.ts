/** Seeded bugs in starts without the database or NATS, and in the links between coordinators. */
import { create, toBinary } from '@bufbuild/protobuf';
import { StartUp } from '../../../src/coordinator/start-up.ts';
import type { LeasePort, Transport } from '../../../src/kernel/mod.ts';
import { decodeDelivery } from '../../../src/wire/codecs/bus.ts';
import { EnvelopeSchema } from '../../../src/wire/generated/bus/v1/messages_pb.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import type { SimProcess } from '../sim-process.ts';
import type { Mutant } from './seams.ts';

/** Gives up at the first failed statement. */
class Hasty extends StartUp {
  override until<T>(_what: string, attempt: () => Promise<T>): Promise<T> {
    return attempt();
  }
}

/** A seat whose taking was not heard of is taken for that of another. */
function registeringOnce(startUp: StartUp, leases: LeasePort): LeasePort {
  return {
    ...leases,
    register: (self, addresses) => startUp.until('the database', () => leases.register(self, addresses)),
  };
}

/** The start ends once NATS is there. */
function waitingForBus(transport: Transport, isBusUp: () => boolean, process: SimProcess): Transport {
  return {
    start: async (self, deliver) => {
      await transport.start(self, deliver);
      while (!isBusUp()) await process.later(100, () => undefined);
    },
    send: (to, envelope) => transport.send(to, envelope),
    stop: () => transport.stop(),
  };
}

/** What was had is remembered by the way on which it came. Of a field that is there twice the last one counts. */
const countedByWay: Seams['direct'] = (direct) => ({
  open: (peer, events) => direct.open(peer, events),
  serve: (receive) =>
    direct.serve(
      receive &&
        ((bytes, answer) => {
          const sender = `${decodeDelivery(bytes).from}-directly`;
          const renamed = toBinary(EnvelopeSchema, create(EnvelopeSchema, { sender }));
          receive(Buffer.concat([bytes, renamed]), answer);
        }),
    ),
});

/** What is written on streams goes nowhere. */
const mute: Seams['direct'] = (direct) => ({
  serve: (receive) => direct.serve(receive),
  open: () => ({ write: () => true, close: () => undefined }),
});

export const STARTS: readonly Mutant[] = [
  {
    bug: 'a start does not wait: it gives up at the first failed statement',
    seams: { startUp: (options) => new Hasty(options) },
    from: 5,
  },
  {
    bug: 'a start takes a seat of its own for that of another',
    seams: { registering: registeringOnce },
    from: 12,
  },
  { bug: 'a start waits for NATS', seams: { linked: waitingForBus }, from: 3 },
  { bug: 'a repeat over the other way is taken twice', seams: { direct: countedByWay }, from: 2 },
  { bug: 'nothing goes directly while NATS is silent', seams: { direct: mute }, from: 3 },
];

/** The connections between simulated coordinators, and the links over them, pass the conformance suites. */
import { setImmediate as others } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Secret } from '../../../src/lib/secret.ts';
import { directConformance } from '../../conformance/direct.ts';
import { transportConformance } from '../../conformance/transport.ts';
import { Cables } from '../cables.ts';
import { Seeded } from '../seeded.ts';
import { SimProcess } from '../sim-process.ts';
import { SimTime } from '../sim-time.ts';
import { Ways } from './ways.ts';

const STEP_MS = 20;

/** Coordinators of a world whose time continues by itself until the test is over. */
function bedOf(t: Test, isNatsThere: boolean) {
  const time = new SimTime();
  const random = new Seeded(1);
  const ways = new Ways(new Cables(time, random.fork()), random.fork(), {});
  if (isNatsThere) ways.nats.begin();
  else ways.nats.kill();
  const state = { isOver: false, count: 0 };
  t.teardown(() => {
    state.isOver = true;
  });
  const goOn = async (): Promise<void> => {
    while (!state.isOver) {
      await time.run(STEP_MS, () => undefined);
      await others();
    }
  };
  void goOn();
  const known = new Map<string, { readonly address: string; readonly key: string }>();
  return {
    ways,
    next() {
      state.count += 1;
      const address = `slot-${state.count}`;
      return { process: new SimProcess(time, address), peer: { address, key: `key of ${address}` } };
    },
    known,
  };
}

for (const isNatsThere of [true, false]) {
  transportConformance(t, `simulated links ${isNatsThere ? 'with' : 'without'} NATS`, async (t) => {
    const { ways, known, next } = bedOf(t, isNatsThere);
    return () => {
      const { process, peer } = next();
      const transport = ways.transport({
        ...{ process, ...peer },
        coordinators: () =>
          [...known].map(([id, { address, key }]) => ({
            ...{ id, httpAddress: address, grpcAddress: address, version: '0', busKey: new Secret(key) },
          })),
      });
      return {
        start: (self, deliver) => {
          known.set(self, peer);
          return transport.start(self, deliver);
        },
        send: (to, envelope) => transport.send(to, envelope),
        stop: () => transport.stop(),
      };
    };
  });
}

directConformance(t, 'simulated streams', async (t) => {
  const { ways, next } = bedOf(t, false);
  return async () => {
    const { process, peer } = next();
    return { peer, direct: ways.direct(process, peer) };
  };
});

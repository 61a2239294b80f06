/** What every LeasePort does: the fake of the simulations and the rows of PostgreSQL run through the same. */
import type { Test } from 'tap';
import type { LeasePort } from '../../src/kernel/mod.ts';

export interface LeaseBed {
  /** A port for another coordinator of the same cluster. */
  port(): LeasePort;
  /** Lets so much of the cluster's time pass. */
  pass(ms: number): Promise<void>;
}

const AT = { httpAddress: 'http://h:1', grpcAddress: 'g:2', version: '1.2.3' };
const KEEP = { isLeaving: false };

const CASES: Readonly<Record<string, (t: Test, bed: LeaseBed) => Promise<void>>> = {
  'free shards are taken at a first epoch, and once only': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    t.same([...(await a.acquire('a', [0, 5, 63]))].sort(), [
      [0, 1],
      [5, 1],
      [63, 1],
    ]);
    t.same([...(await b.acquire('b', [5, 6]))], [[6, 1]]);
  },

  'a heartbeat renews, and shows who is there and who holds what': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await b.register('b', AT);
    await a.register('a', AT);
    await a.acquire('a', [1]);
    await b.acquire('b', [2]);
    const view = await a.heartbeat('a', KEEP);
    t.same([...view.held], [[1, 1]]);
    t.same(view.coordinators, [
      { id: 'a', ...AT },
      { id: 'b', ...AT },
    ]);
    t.same([...view.owners].sort(), [
      [1, 'a'],
      [2, 'b'],
    ]);
  },

  'a lease that is not renewed lapses, and is taken at a higher epoch': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await a.acquire('a', [1, 2]);
    await bed.pass(a.ttlMs * 0.6);
    await b.heartbeat('b', KEEP);
    t.same([...(await b.acquire('b', [1]))], [], 'not yet');
    await bed.pass(a.ttlMs * 0.6);
    t.same([...(await b.acquire('b', [1]))], [[1, 2]]);
    const view = await b.heartbeat('b', KEEP);
    t.same(
      view.coordinators.map(({ id }) => id),
      ['b'],
    );
    t.same([...view.owners], [[1, 'b']]);
  },

  'a seat that lapsed is reported until it is renewed; one that was left is not': async (t, bed) => {
    const [a, b, c] = [bed.port(), bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await c.register('c', AT);
    t.same((await b.heartbeat('b', KEEP)).lapsed, []);
    await c.leave('c');
    await bed.pass(a.ttlMs * 1.2);
    t.same((await b.heartbeat('b', KEEP)).lapsed, ['a']);
    await a.heartbeat('a', KEEP);
    t.same((await b.heartbeat('b', KEEP)).lapsed, []);
  },

  'a heartbeat tells when the first lease of another will lapse': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await b.acquire('b', [2]);
    t.equal((await b.heartbeat('b', KEEP)).nextLapseMs, null, 'its own are none of another');
    await a.acquire('a', [1]);
    await bed.pass(a.ttlMs * 0.5);
    const { nextLapseMs } = await b.heartbeat('b', KEEP);
    t.ok(nextLapseMs !== null && nextLapseMs > 0 && nextLapseMs <= a.ttlMs * 0.5, `in ${nextLapseMs} ms`);
    await bed.pass(a.ttlMs * 0.6);
    t.equal((await b.heartbeat('b', KEEP)).nextLapseMs, null);
  },

  'after the clock stepped back, the leases of one that died lapse in their time; one that lives keeps its own':
    async (t, bed) => {
      const [a, b, c] = [bed.port(), bed.port(), bed.port()];
      await a.register('a', AT);
      await b.register('b', AT);
      await c.register('c', AT);
      await a.acquire('a', [1, 2]);
      await b.acquire('b', [3]);
      await bed.pass(-90_000);
      await c.heartbeat('c', KEEP);
      t.same([...(await c.acquire('c', [1, 2, 3]))], [], 'they may be alive');
      await b.heartbeat('b', KEEP);
      await bed.pass(a.ttlMs * 0.8);
      await b.heartbeat('b', KEEP);
      await bed.pass(a.ttlMs * 0.3);
      const view = await c.heartbeat('c', KEEP);
      t.same(
        view.coordinators.map(({ id }) => id),
        ['b', 'c'],
      );
      t.same(view.lapsed, ['a']);
      t.same([...(await c.acquire('c', [1, 2, 3]))].sort(), [
        [1, 2],
        [2, 2],
      ]);
    },

  'one that comes back late keeps what nobody took, at the same epoch': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await a.acquire('a', [1, 2]);
    await bed.pass(a.ttlMs * 1.2);
    await b.heartbeat('b', KEEP);
    await b.acquire('b', [1]);
    const view = await a.heartbeat('a', KEEP);
    t.same([...view.held], [[2, 1]]);
    t.same(
      view.coordinators.map(({ id }) => id),
      ['a', 'b'],
    );
    t.equal(view.owners.get(1), 'b');
  },

  'heartbeats keep leases for as long as they come': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await a.acquire('a', [1]);
    for (let n = 0; n < 4; n++) {
      await bed.pass(a.ttlMs * 0.5);
      await a.heartbeat('a', KEEP);
    }
    t.same([...(await b.acquire('b', [1]))], []);
  },

  'a released shard is free at once; one of another cannot be released': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await a.acquire('a', [1, 2]);
    await b.release('b', [2]);
    await a.release('a', [1]);
    t.same([...(await b.acquire('b', [1, 2]))], [[1, 2]]);
    t.same([...(await a.acquire('a', [1]))], []);
  },

  'one that leaves counts no more, yet keeps its leases while it says so': async (t, bed) => {
    const [a, b] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await b.register('b', AT);
    await a.acquire('a', [1]);
    const leaving = await a.heartbeat('a', { isLeaving: true });
    t.same([...leaving.held], [[1, 1]]);
    t.same(
      leaving.coordinators.map(({ id }) => id),
      ['b'],
    );
    t.same([...(await b.acquire('b', [1]))], []);

    await a.leave('a');
    t.same([...(await b.acquire('b', [1]))], [[1, 2]]);
  },

  'an id in use is refused; one whose seat has lapsed is not': async (t, bed) => {
    const [a, again] = [bed.port(), bed.port()];
    await a.register('a', AT);
    await t.rejects(again.register('a', AT), { code: 'CONFLICT' });
    await bed.pass(a.ttlMs * 1.2);
    await again.register('a', AT);
    t.same(
      (await again.heartbeat('a', KEEP)).coordinators.map(({ id }) => id),
      ['a'],
    );
  },

  'of many that reach for the same shards each shard goes to one': async (t, bed) => {
    const ids = ['a', 'b', 'c', 'd'];
    const ports = ids.map((id) => ({ id, port: bed.port() }));
    for (const { id, port } of ports) await port.register(id, AT);
    const all = [...Array(64).keys()];
    const got = await Promise.all(ports.map(({ id, port }) => port.acquire(id, all)));
    const taken = got.flatMap((epochs) => [...epochs.keys()]);
    t.equal(new Set(taken).size, taken.length);
  },
};

/** `make` gives a fresh cluster whose time has not passed. */
export function leaseConformance(t: Test, name: string, make: (t: Test) => Promise<LeaseBed>): void {
  for (const [what, body] of Object.entries(CASES)) {
    t.test(`${name}: ${what}`, async (t) => body(t, await make(t)));
  }
}

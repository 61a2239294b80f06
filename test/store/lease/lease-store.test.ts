/** Leases in PostgreSQL: the conformance suite, and what only rows and locks can show. */
import t, { type Test } from 'tap';
import type { LeasePort } from '../../../src/kernel/mod.ts';
import { leaseStore, lockLeases } from '../../../src/store/lease/lease-store.ts';
import { openPool, type Sql, sqlOf } from '../../../src/store/sql/sql.ts';
import { leaseConformance } from '../../conformance/leases.ts';
import { migratedDatabase } from '../../support/db.ts';

const AT = { httpAddress: 'http://h:1', grpcAddress: 'g:2', version: '1.2.3' };
const TTL_MS = 6_000;

async function database(t: Test): Promise<Sql> {
  const url = await migratedDatabase(t);
  const pool = openPool({ url, connectionsMax: 6, statementTimeoutMs: 10_000, applicationName: 'test' });
  t.teardown(() => pool.end());
  return sqlOf(pool);
}

/** Time passes by moving what is written: no test waits, and none depends on the machine's speed. */
async function pass(sql: Sql, ms: number): Promise<void> {
  await sql.execute(`update coordinator set expires = expires - $1 * interval '1 millisecond'`, [ms]);
  await sql.execute(`update shard_lease set expires = expires - $1 * interval '1 millisecond'`, [ms]);
}

leaseConformance(t, 'lease store', async (t) => {
  const sql = await database(t);
  return { port: () => leaseStore({ sql, ttlMs: TTL_MS }), pass: (ms) => pass(sql, ms) };
});

async function holder(t: Test): Promise<{ sql: Sql; a: LeasePort; b: LeasePort }> {
  const sql = await database(t);
  const [a, b] = [leaseStore({ sql, ttlMs: TTL_MS }), leaseStore({ sql, ttlMs: TTL_MS })];
  await a.register('a', AT);
  await b.register('b', AT);
  await a.acquire('a', [1, 2, 3]);
  return { sql, a, b };
}

t.test('lease store: a transaction reads the epochs that it may rely on', async (t) => {
  const { sql, a, b } = await holder(t);
  await a.release('a', [3]);
  await b.acquire('b', [3]);
  const epochs = await sql.transaction((tx) => lockLeases(tx, new Set([1, 3, 4])));
  t.same([...epochs].sort(), [
    [1, 1],
    [3, 2],
    [4, 0],
  ]);
});

t.test('lease store: a commit under way permits renewals, and delays takeovers until it ends', async (t) => {
  const { sql, a, b } = await holder(t);
  await sql.transaction(async (tx) => {
    await lockLeases(tx, new Set([1]));
    const view = await a.heartbeat('a', { isLeaving: false });
    t.equal(view.held.size, 3, 'the renewal did not wait');

    await pass(sql, 60_000);
    t.same([...(await b.acquire('b', [1, 2]))], [[2, 2]], 'the one that is being relied on is skipped');
  });
  t.same([...(await b.acquire('b', [1]))], [[1, 2]]);
});

t.test('lease store: a single coordinator takes over at once, at a higher epoch', async (t) => {
  const { sql, b } = await holder(t);
  t.same([...(await b.acquire('b', [1, 2]))], [], 'others wait for the lapse');
  const alone = leaseStore({ sql, ttlMs: TTL_MS, isAlone: true });
  await alone.register('c', AT);
  t.same([...(await alone.acquire('c', [1, 2]))].sort(), [
    [1, 2],
    [2, 2],
  ]);
  const view = await alone.heartbeat('c', { isLeaving: false });
  t.same(
    view.coordinators.map(({ id }) => id),
    ['c'],
    'nobody is sent to those who are gone',
  );
});

t.test('lease store: two commits hold the same lease side by side', async (t) => {
  const { sql } = await holder(t);
  await sql.transaction(async (first) => {
    await lockLeases(first, new Set([1]));
    // Inside another transaction `transaction` would join it: this one is of another connection.
    t.same([...(await sql.transaction((second) => lockLeases(second, new Set([1]))))], [[1, 1]]);
  });
});

t.test('lease store: a database that does not answer is a failure within the time limit', async (t) => {
  const dead: Sql = { execute: () => new Promise(() => {}), transaction: () => new Promise(() => {}) };
  const store = leaseStore({ sql: dead, ttlMs: TTL_MS, deadlineMs: 20 });
  await t.rejects(store.register('a', AT), { code: 'STORE_UNAVAILABLE' });
});

t.test('lease store: coordinators that ended long ago are removed', async (t) => {
  const { sql, b } = await holder(t);
  await pass(sql, 2 * 3_600_000);
  await b.register('b', AT);
  t.same(await sql.execute('select id from coordinator'), [{ id: 'b' }]);
});

/** What a commit whose connection broke may still do: the store tells of it until it is over. */
import t from 'tap';
import { assert } from '../../../src/lib/assert.ts';
import { openPool } from '../../../src/store/sql/sql.ts';
import { storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { underWay } = world.port;
assert(underWay !== undefined, 'the store knows what is under way');

const pools = ['millrace', 'somebody else'].map((applicationName) =>
  openPool({ url: world.url, connectionsMax: 2, statementTimeoutMs: 5_000, applicationName }),
);
t.teardown(() => Promise.all(pools.map((pool) => pool.end())));

t.test('commit: a transaction that has written is reported as under way until it ends', async (t) => {
  const [own, foreign] = await Promise.all(pools.map((pool) => pool.connect()));
  if (own === undefined || foreign === undefined) throw new Error('no connections');
  t.teardown(() => [own, foreign].map((client) => client.release()));
  const write = `update workspace set title = title where name = `;
  t.same(await underWay(), []);

  await own.query('begin');
  await own.query('select id from workspace');
  t.same(await underWay(), [], 'one that has only read changes nothing');
  await own.query(`${write} 'in'`);
  await foreign.query('begin');
  await foreign.query(`${write} 'out'`);
  const marks = await underWay();
  t.equal(marks.length, 1, 'of other programs nothing is waited for');
  t.same(await underWay(marks), marks);
  t.same(await underWay(['1']), []);

  await own.query('commit');
  t.same(await underWay(marks), []);
  await foreign.query('rollback');
});

/** The shard of an actor. */
import t from 'tap';
import { shardOf } from '../../src/kernel/mod.ts';

t.test('address: shards are stable, spread, and computable in SQL for decimal keys', async (t) => {
  t.equal(shardOf('recipe', '130'), 130 % 64);
  t.equal(shardOf('job', '9007199254740993'), Number(9007199254740993n % 64n));
  t.equal(shardOf('scheduler', 'main'), shardOf('scheduler', 'main'));
  t.same(
    [shardOf('scheduler', 'main'), shardOf('node', 'host-1'), shardOf('x', '')],
    [56, 17, 31],
    'the database has stored them',
  );
  const used = new Set(Array.from({ length: 1_000 }, (_, n) => shardOf('node', `host-${n}`)));
  t.equal(used.size, 64);
});

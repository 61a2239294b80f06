/** A tick and a read open only the partitions that can have what they look for, however many are kept. */
import t from 'tap';
import { changeStream, readChanges } from '../../../src/store/change/read.ts';
import { tickAdder } from '../../../src/store/change/ticks.ts';
import type { Sql, Statement } from '../../../src/store/sql/sql.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';

const START = { tick: 1, row: 0, item: 0 };
/** A transaction id that no database of a test reaches. */
const HIGHER = `${2 ** 40}`;
const change = (world: StoreWorld) =>
  world.rows(`update node set pause_reason = clock_timestamp()::text, object_version = object_version + 1`);

/** Remembers how many partitions the plan of the last statement with this name has. */
function counting(sql: Sql, name: string) {
  const count = { partitions: 0 };
  const counted: Sql = {
    ...sql,
    async execute<T extends object>(statement: Statement | string, params?: readonly unknown[]) {
      if (typeof statement !== 'string' && statement.name === name) {
        const plan = await sql.execute<object>(`explain (format json) ${statement.text}`, params);
        const names = JSON.stringify(plan).match(/"Relation Name": ?"object_change_[^"]*"/g);
        count.partitions = new Set(names).size;
      }
      return sql.execute<T>(statement, params);
    },
  };
  return { count, counted };
}

/** Old partitions, of single transactions, besides those in use. */
async function manyPartitions(world: StoreWorld): Promise<void> {
  const [{ name } = { name: '' }] = await world.rows<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'object_change'::regclass order by inhrelid limit 1 offset 1`,
  );
  await world.rows(`drop table ${name}`);
  await world.rows('truncate object_change');
  for (let id = 1; id <= 40; id++) {
    await world.rows(
      `create table object_change_old${id} partition of object_change for values from ('${id}') to ('${id + 1}')`,
    );
  }
}

t.test('changes: the partitions of a tick and of a read do not grow with those kept', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await tickAdder(sql)();
  await manyPartitions(world);
  const ticks = counting(sql, 'give_change_tick');
  const give = tickAdder(ticks.counted);
  await change(world);
  t.ok(await give());
  t.ok(ticks.count.partitions > 40, 'the first looks everywhere');
  await change(world);
  t.ok(await give());
  t.ok(ticks.count.partitions < 10, `${ticks.count.partitions} partitions`);

  const reads = counting(sql, 'read_changes');
  const first = await readChanges(reads.counted, START);
  t.equal(first.rows.length, 2);
  t.ok(reads.count.partitions > 40);
  t.same((await readChanges(reads.counted, START, { bound: first.bound })).rows, first.rows);
  t.ok(reads.count.partitions < 10, `${reads.count.partitions} partitions`);
});

t.test('changes: a bound of another history, with higher transaction ids, hides nothing', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const bounds: unknown[] = [];
  let foreign: string | undefined;
  const give = tickAdder({
    ...sql,
    execute(statement, params) {
      const given = foreign === undefined ? params : [foreign];
      foreign = undefined;
      bounds.push(given?.[0]);
      return sql.execute(statement, given);
    },
  });
  while (await give());
  await change(world);
  foreign = HIGHER;
  t.ok(await give());
  t.same(bounds.slice(-2), [HIGHER, bounds.at(-1)]);
  t.ok(Number(bounds.at(-1)) < Number(HIGHER), 'it looked again with the bound of this history');
  const { tick } = await changeStream(sql);
  const read = await readChanges(sql, { tick, row: 0, item: 0 }, { bound: HIGHER });
  t.equal(read.rows.length, 1);
  t.ok(Number(read.bound) < Number(HIGHER));
});

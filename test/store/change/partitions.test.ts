import t from 'tap';
import { dropOldChanges, extendChanges } from '../../../src/store/change/partitions.ts';
import { changeStream, readChanges } from '../../../src/store/change/read.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { holdMentioned } from '../../../src/store/deletion/kinds.ts';
import { CHANGE_PARTITION } from '../../../src/store/migrations/0002-object-changes.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';
import { listedChanges } from './listed-changes.ts';

const FUTURE_MS = Date.UTC(2100, 0);
const AMPLE = 1_000_000_000;
const START = { tick: 1, row: 0, item: 0 };

const pauseNodes = (world: StoreWorld) => world.rows('update node set is_paused = not is_paused');

const ranges = async (world: StoreWorld): Promise<string[]> => {
  const found = await world.rows<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'object_change'::regclass`,
  );
  return found.map((row) => row.name).filter((name) => name !== 'object_change_default');
};

/** As if as many transactions had passed as a range holds, with a tick at their end. Answers the range that is over. */
async function passRange(world: StoreWorld): Promise<string> {
  const [row] = await world.rows<{ xid: number }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid',
  );
  const from = Math.floor((row?.xid ?? 0) / CHANGE_PARTITION) * CHANGE_PARTITION;
  const later = from + CHANGE_PARTITION;
  await world.rows(`insert into object_change (xid, kind, items) values ('${later}', 'node', '[]')`);
  await world.rows(`update change_stream set snapshot = '${later}:${later}:'`);
  await addTick(world.db.sql);
  return `object_change_${from}`;
}

t.test('changes: ranges are created ahead, and rows of the default partition move to them', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await addTick(sql);
  const made = await ranges(world);
  t.equal(made.length, 5);
  await pauseNodes(world);
  await addTick(sql);
  const [place] = await world.rows<{ name: string }>(
    'select tableoid::regclass::text as name from object_change',
  );
  t.ok(made.includes(place?.name ?? ''), 'what is changed lands in a range');
  await world.rows(`drop table ${made.join(', ')}`);
  await pauseNodes(world);
  await addTick(sql);
  const { rows: before } = await readChanges(sql, START, { rowsMax: 10 });
  t.equal(listedChanges(before).length, 2);
  await extendChanges(sql);
  t.same(await world.rows('select from object_change_default'), []);
  t.same((await readChanges(sql, START, { rowsMax: 10 })).rows, before);
  await extendChanges(sql);
  t.equal((await ranges(world)).length, 5);
});

t.test(
  'changes: the oldest range is dropped by age or size, never before its changes have positions',
  async (t) => {
    const world = await storeWorld(t);
    const { sql } = world.db;
    await addTick(sql);
    await pauseNodes(world);
    await addTick(sql);
    const old = { beforeMs: FUTURE_MS, bytesMax: AMPLE };
    t.notOk(await dropOldChanges(sql, old), 'no tick says yet that all of its transactions have their place');
    const gone = await passRange(world);
    t.ok((await ranges(world)).includes(gone));
    t.equal((await readChanges(sql, START, { rowsMax: 10 })).rows.length, 1);
    t.notOk(await dropOldChanges(sql, { beforeMs: 0, bytesMax: AMPLE }), 'it is young');
    t.ok(await dropOldChanges(sql, { beforeMs: 0, bytesMax: 1 }), 'it is too much');
    t.notOk((await ranges(world)).includes(gone));
    t.match(await changeStream(sql), { floor: 1, tick: 2 });
    t.same((await readChanges(sql, START, { rowsMax: 10 })).rows, []);
    t.notOk(await dropOldChanges(sql, old), 'the range in use stays');
  },
);

t.test('changes: ranges are created while a commit holds the lock of deletions', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await addTick(sql);
  await world.rows(`drop table ${(await ranges(world)).join(', ')}`);
  await sql.transaction(async (commit) => {
    await holdMentioned(commit, {});
    await extendChanges(sql);
  });
  t.equal((await ranges(world)).length, 5);
});

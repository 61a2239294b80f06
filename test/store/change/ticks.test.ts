/**
 * The stream tells every change once, each object's in the order of its versions, whoever writes, gives ticks and
 * reads.
 */
import t from 'tap';
import type { ChangePlace } from '../../../src/domain/change/cursor.ts';
import { realClock } from '../../../src/lib/real-clock.ts';
import { type ChangeRow, changeStream, readChanges } from '../../../src/store/change/read.ts';
import { addTick, beginEpoch } from '../../../src/store/change/ticks.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';
import { listedChanges, readAll } from './listed-changes.ts';

const START: ChangePlace = { tick: 1, row: 0, item: 0 };

async function started(t: Parameters<typeof storeWorld>[0]): Promise<StoreWorld> {
  const world = await storeWorld(t);
  while (await addTick(world.db.sql));
  await addTick(world.db.sql);
  return world;
}

const addNodes = (world: StoreWorld, names: readonly string[]) =>
  world.rows(
    `insert into node (shard, hostname, created, last_modified)
     select 1, name, now(), now() from unnest($1::text[]) as name`,
    [names],
  );

t.test('changes: a change gets its position after its commit, however long that takes', async (t) => {
  const world = await started(t);
  const { sql } = world.db;
  const before = await changeStream(sql);
  const from = { tick: before.tick + 1, row: 0, item: 0 };
  let second: Promise<unknown> = Promise.resolve();
  await sql.transaction(async (slow) => {
    await slow.execute(
      `insert into node (shard, hostname, created, last_modified) values (1, 'slow', now(), now())`,
    );
    second = addNodes(world, ['quick']);
    await second;
    t.ok(await addTick(sql), 'the quick one has its place');
    t.notOk(await addTick(sql), 'there is nothing else');
    await addNodes(world, ['quicker']);
    t.ok(await addTick(sql));
  });
  t.ok(await addTick(sql), 'the slow one comes after');
  t.notOk(await addTick(sql));
  const { rows } = await readAll(world, from);
  const names = await world.rows<{ id: number; hostname: string }>('select id, hostname from node');
  const nameOf = new Map(names.map((row) => [row.id, row.hostname]));
  t.same(
    listedChanges(rows).map(({ id }) => nameOf.get(id)),
    ['quick', 'quicker', 'slow'],
  );
});

t.test('changes: a cursor of a new database, taken before its first tick, stays good', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await beginEpoch(sql);
  const { epoch } = await changeStream(sql);
  t.match(epoch, /./);
  await addNodes(world, ['first']);
  while (await addTick(sql));
  await beginEpoch(sql);
  t.equal((await changeStream(sql)).epoch, epoch);
});

t.test('changes: a transaction that is rolled back adds nothing to the stream', async (t) => {
  const world = await started(t);
  const { sql } = world.db;
  await t.rejects(
    sql.transaction(async (inside) => {
      await inside.execute(`update node set is_paused = true`);
      throw new Error('changed my mind');
    }),
  );
  t.notOk(await addTick(sql));
});

/** Changes some objects of its own choice, in one transaction of several statements. */
async function writeSome(world: StoreWorld, rng: () => number, ids: readonly number[]): Promise<void> {
  await world.db.sql.transaction(async (inside) => {
    const mine = ids.filter(() => rng() < 0.4);
    await inside.execute('select from node where id = any($1::bigint[]) order by id for update', [mine]);
    for (let statements = 1 + Math.floor(rng() * 3); statements > 0; statements--) {
      const chosen = mine.filter(() => rng() < 0.7);
      await inside.execute('update node set is_paused = not is_paused where id = any($1::bigint[])', [
        chosen,
      ]);
    }
    if (rng() < 0.1) throw new Error('rolled back');
  });
}

t.test(
  'changes: with writers, two givers of ticks and readers, none is lost, repeated or reordered',
  async (t) => {
    const world = await started(t);
    const { sql } = world.db;
    const from = { tick: (await changeStream(sql)).tick + 1, row: 0, item: 0 };
    await addNodes(
      world,
      Array.from({ length: 12 }, (_, at) => `n${at}`),
    );
    const nodes = await world.rows<{ id: number }>(`select id from node where hostname like 'n%'`);
    const ids = nodes.map((row) => row.id);
    const seed = Number(process.env.E2E_SEED ?? Math.floor(realClock.nowMs() % 1e6));
    t.comment(`E2E_SEED=${seed}`);
    let state = seed;
    const rng = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    let isWriting = true;
    const writer = async () => {
      for (let turn = 0; turn < 60; turn++) await writeSome(world, rng, ids).catch(() => undefined);
    };
    const assigner = async () => {
      while (isWriting) await addTick(sql);
    };
    const heard: ChangeRow[] = [];
    let next: ChangePlace = from;
    const readOn = async () => {
      const page = await readAll(world, next);
      heard.push(...page.rows);
      next = page.next;
    };
    const reader = async () => {
      while (isWriting) await readOn();
    };
    const others = [assigner(), assigner(), reader()];
    await Promise.all([writer(), writer(), writer(), writer()]);
    isWriting = false;
    await Promise.all(others);
    await addTick(sql);
    await readOn();
    const all = listedChanges(heard).filter(({ id, kind }) => kind === 'node' && ids.includes(id));
    for (const id of ids) {
      const versions = all.filter((one) => one.id === id).map((one) => one.version);
      const [row] = await world.rows<{ version: number }>(
        'select object_version as version from node where id = $1',
        [id],
      );
      t.same(
        versions,
        Array.from({ length: row?.version ?? 0 }, (_, at) => at + 1),
        `all versions of node ${id}`,
      );
    }
    t.same(
      listedChanges((await readAll(world, from)).rows),
      listedChanges(heard),
      'a reader that comes later reads the same',
    );
  },
);

t.test('changes: another history of the database has another epoch', async (t) => {
  const world = await started(t);
  const { sql } = world.db;
  await addNodes(world, ['told']);
  await addTick(sql);
  const before = await changeStream(sql);
  t.notOk(await addTick(sql));
  t.same(await changeStream(sql), before);
  await world.rows(`update change_stream set identity = 'another cluster'`);
  await addNodes(world, ['lost']);
  await addTick(sql);
  const after = await changeStream(sql);
  t.not(after.epoch, before.epoch);
  t.same(
    (await readChanges(sql, START, { rowsMax: 10 })).rows,
    [],
    'positions of the history before are gone',
  );
  await addNodes(world, ['new']);
  t.ok(await addTick(sql));
  t.match(listedChanges((await readChanges(sql, START, { rowsMax: 10 })).rows), [
    { kind: 'node', what: 'created' },
  ]);
});

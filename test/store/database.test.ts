import t from 'tap';
import { SHARD_COUNT, shardOf } from '../../src/kernel/mod.ts';
import { openDatabase, refuseBeside } from '../../src/store/database.ts';
import { reserveIds } from '../../src/store/ids.ts';
import { MIGRATION_FILES } from '../../src/store/migration-list.ts';
import { openOrm } from '../../src/store/orm.ts';
import { openPool, type Sql, sqlOf } from '../../src/store/sql/sql.ts';
import { eventually } from '../support/agent/eventually.ts';
import { testDatabase } from '../support/db.ts';
import { LOG, storeWorld } from './store-world.ts';

t.test('database: two coordinators that start at once migrate it once', async (t) => {
  const url = await testDatabase(t);
  const opened = await Promise.all([openDatabase({ url, log: LOG }), openDatabase({ url, log: LOG })]);
  for (const db of opened) t.teardown(() => db.close());
  const rows = await opened[0].sql.execute<{ name: string }>('select name from schema_migration order by id');
  t.same(new Set(rows.map((row) => row.name)).size, rows.length);
  t.ok(rows.length > 0);
});

t.test('database: a schema of a newer program is refused with advice', async (t) => {
  const { url } = await storeWorld(t);
  const first = await openDatabase({ url, log: LOG });
  await first.sql.execute(`insert into schema_migration (name, executed_at) values ('9999-future', now())`);
  await first.close();
  await t.rejects(openDatabase({ url, log: LOG }), {
    code: 'DATABASE_VERSION',
    message: /9999-future.*Start that version/,
  });
});

t.test('database: a migration that breaks older coordinators waits until none of them runs', async (t) => {
  const { url } = await storeWorld(t);
  const first = await openDatabase({ url, log: LOG });
  t.teardown(() => first.close());
  const { sql } = first;
  await sql.execute(`insert into coordinator (id, http_address, grpc_address, version, started, expires)
    values ('c-old', '', '', '0', now(), now() + interval '50 seconds')`);
  const applied = ['0001-tables'];
  const waits = { name: '0003-breaking', isBreaking: true };
  const files = [...MIGRATION_FILES, { name: '0002-adding', isBreaking: false }, waits];
  const refusal = { code: 'DATABASE_VERSION', message: /must not beside this one \(0003-breaking\)/ };
  await t.rejects(refuseBeside(sql, applied, files), refusal);
  await refuseBeside(sql, [...applied, waits.name], files);
  await sql.execute(`update coordinator set expires = now() + interval '1 hour'`);
  await t.resolves(refuseBeside(sql, applied, files), 'of a clock that stepped back');
  await sql.execute('update coordinator set expires = now()');
  await t.resolves(refuseBeside(sql, applied, files));
});

t.test('database: a schema older than the first release is refused with advice', async (t) => {
  const { url, db } = await storeWorld(t);
  await db.sql.execute(`update schema_migration set name = '0001-initial'`);
  await t.rejects(openDatabase({ url, log: LOG }), {
    code: 'DATABASE_VERSION',
    message: /before the first release.*empty database/,
  });
});

t.test('database: the entities equal the migrated schema', async (t) => {
  const world = await storeWorld(t);
  const orm = openOrm(world.url, 'millrace test');
  t.teardown(() => orm.close(true));
  const difference = await orm.schema.getUpdateSchemaSQL({ wrap: false });
  const statements = difference.split(';\n').map((line) => line.trim());
  // Indexes, checks, foreign keys and triggers are the migrations' alone: entities do not repeat them.
  const theirs = / drop constraint |^drop (index|trigger|function) /;
  const others = statements.filter((line) => line !== '' && !theirs.test(line));
  t.same(others, []);
});

t.test('database: a missing database is unavailable', async (t) => {
  const url = 'postgresql://nobody@127.0.0.1:1/none';
  await t.rejects(openDatabase({ url, log: LOG }), { code: 'STORE_UNAVAILABLE' });
});

t.test('database: a closed one is unavailable', async (t) => {
  const { url } = await storeWorld(t);
  const db = await openDatabase({ url, log: LOG });
  await db.close();
  await t.rejects(db.sql.execute('select 1'));
});

t.test('sql: a connection that breaks fails its transaction and is replaced', async (t) => {
  const { db } = await storeWorld(t);
  const broken = db.sql.transaction(async (tx) => {
    const [row] = await tx.execute<{ pid: number }>('select pg_backend_pid() as pid');
    await db.sql.execute('select pg_terminate_backend($1)', [row?.pid]);
    await tx.execute('select 1');
  });
  await t.rejects(broken, { code: 'STORE_UNAVAILABLE' });
  t.same(await db.sql.execute('select 1 as one'), [{ one: 1 }]);
});

t.test('sql: a transaction that throws leaves nothing, and its connection is good', async (t) => {
  const { db } = await storeWorld(t);
  const failed = db.sql.transaction(async (tx) => {
    await tx.execute(`insert into event (type, occurred) values ('LOST', now())`);
    throw new Error('changed my mind');
  });
  await t.rejects(failed, { message: 'changed my mind' });
  t.same(await db.sql.execute(`select 1 from event where type = 'LOST'`), []);
});

t.test('sql: pipelined statements run in their order, all or none of them', async (t) => {
  const { db } = await storeWorld(t);
  const insert = (type: string): string => `insert into event (type, occurred) values ('${type}', now())`;
  const together = (tx: Sql, statements: readonly string[]) =>
    Promise.allSettled(statements.map((statement) => tx.execute<{ type: string }>(statement)));
  const [, seen] = await db.sql.transaction((tx) => together(tx, [insert('SENT'), 'select type from event']));
  t.match(seen, { value: [{ type: 'SENT' }] });
  let ends: readonly PromiseSettledResult<unknown>[] = [];
  const failed = db.sql.transaction(async (tx) => {
    ends = await together(tx, [insert('LOST'), 'select 1 / 0', insert('LOST')]);
    throw new Error('one failed');
  });
  await t.rejects(failed, { message: 'one failed' });
  t.match(ends, [{ status: 'fulfilled' }, { reason: { code: '22012' } }, { reason: { code: '25P02' } }]);
  t.same(await db.sql.execute('select type from event'), [{ type: 'SENT' }]);
});

t.test('sql: a connection that breaks fails all statements that were sent on it', async (t) => {
  const { db } = await storeWorld(t);
  let ends: readonly PromiseSettledResult<unknown>[] = [];
  const broken = db.sql.transaction(async (tx) => {
    const statements = ['select 1', 'select pg_terminate_backend(pg_backend_pid())', 'select 2'];
    ends = await Promise.allSettled(statements.map((statement) => tx.execute(statement)));
  });
  await t.rejects(broken, { code: 'STORE_UNAVAILABLE' });
  const lost = { reason: { code: 'STORE_UNAVAILABLE' } };
  // The first answer may be lost with the connection: what was read is not known here.
  t.match(ends.slice(1), [lost, lost]);
  t.same(await db.sql.execute('select 1 as one'), [{ one: 1 }]);
});

t.test('sql: a transaction inside another is the same transaction', async (t) => {
  const { db } = await storeWorld(t);
  const failed = db.sql.transaction(async (outer) => {
    await outer.transaction((inner) =>
      inner.execute(`insert into event (type, occurred) values ('INNER', now())`),
    );
    throw new Error('outer fails');
  });
  await t.rejects(failed, { message: 'outer fails' });
  t.same(await db.sql.execute(`select 1 from event where type = 'INNER'`), []);
});

t.test('sql: a statement that exceeds its time says so', async (t) => {
  const { url } = await storeWorld(t);
  const db = await openDatabase({ url, log: LOG, statementTimeoutMs: 50 });
  t.teardown(() => db.close());
  await t.rejects(db.sql.execute('select pg_sleep(30)'), { code: 'QUERY_TOO_SLOW' });
});

t.test('sql: values come back as numbers, instants as milliseconds', async (t) => {
  const { db } = await storeWorld(t);
  const [row] = await db.sql.execute(`
    select 9007199254740991::bigint as big, array[1, 2]::bigint[] as bigs, '{}'::bigint[] as none,
      1.5::numeric as n,
      timestamptz '2026-01-02 03:04:05.678901+00' as at, timestamptz '2026-07-02 03:04:05+02' as summer,
      'infinity'::timestamptz as never`);
  t.same(row, {
    big: Number.MAX_SAFE_INTEGER,
    bigs: [1, 2],
    none: [],
    n: 1.5,
    at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    summer: Date.UTC(2026, 6, 2, 1, 4, 5),
    never: Number.POSITIVE_INFINITY,
  });
});

t.test('sql: a bigint that no number holds is refused', async (t) => {
  const { db } = await storeWorld(t);
  await t.rejects(db.sql.execute('select 9007199254740993::bigint as big'), {
    message: /beyond what a number holds/,
  });
});

t.test('ids: blocks never overlap; unknown kinds are refused', async (t) => {
  const { db } = await storeWorld(t);
  const blocks = await Promise.all(Array.from({ length: 5 }, () => reserveIds(db.sql, 'job', 100)));
  t.equal(new Set(blocks.flat()).size, 500);
  await t.rejects(reserveIds(db.sql, 'job_id_seq; drop table job', 1), { code: 'NOT_FOUND' });
  await t.rejects(reserveIds(db.sql, 'job', 0), { name: 'AssertionError' });
});

t.test('ids: a value of a striped sequence yields one id of each shard', async (t) => {
  const { db } = await storeWorld(t);
  for (const kind of ['batch', 'diagnostic_run', 'job', 'job_request', 'recipe']) {
    const ids = [
      ...(await reserveIds(db.sql, kind, SHARD_COUNT)),
      ...(await reserveIds(db.sql, kind, SHARD_COUNT)),
    ];
    t.equal(new Set(ids).size, 2 * SHARD_COUNT);
    t.strictSame(
      ids,
      ids.map((_, index) => (ids[0] ?? 0) + index),
      'in a row, so that the order of ids is that of their making',
    );
    t.equal(new Set(ids.map((id) => shardOf(kind, String(id)))).size, SHARD_COUNT);
  }
});

/** How long the server bears a transaction that nobody continues with, as a connection has it. */
const idleLimit = async (sql: Sql) => {
  const name = 'idle_in_transaction_session_timeout';
  return (await sql.execute<Record<string, string>>(`show ${name}`))[0]?.[name];
};

t.test('database: a commit whose program stops releases its leases before they expire', async (t) => {
  const { db } = await storeWorld(t);
  t.equal(await idleLimit(db.commits), '5s');
  t.equal(await idleLimit(db.sql), '30s');
});

t.test('sql: an idle transaction loses its locks, and its next statement fails', async (t) => {
  const { url, db } = await storeWorld(t);
  const pool = openPool({
    ...{ url, connectionsMax: 1, statementTimeoutMs: 5_000, applicationName: 'stands still' },
    idleInTransactionMs: 50,
  });
  t.teardown(() => pool.end());
  const idle = `select from pg_stat_activity where application_name = 'stands still'`;
  const work = sqlOf(pool).transaction(async (tx) => {
    await tx.execute('select shard from shard_lease where shard = 1 for key share');
    await eventually(async () => (await db.sql.execute(idle)).length === 0, 'the server ends it');
    await tx.execute('select 1');
  });
  await t.rejects(work, { code: 'STORE_UNAVAILABLE' });
  t.equal(
    (await db.sql.execute('select shard from shard_lease where shard = 1 for update nowait')).length,
    1,
  );
  t.equal((await sqlOf(pool).execute('select 1')).length, 1, 'the pool continues with another connection');
});

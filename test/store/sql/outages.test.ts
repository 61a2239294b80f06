/**
 * What a real PostgreSQL answers when it is not the statement that is wrong: an outage, for calls and commits alike.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import t, { type Test } from 'tap';
import { startEmbedded } from '../../../src/embedded/postgres.ts';
import { isUnavailable } from '../../../src/kernel/actor/kernel-error.ts';
import { openPool, type Sql, sqlOf } from '../../../src/store/sql/sql.ts';
import { makeEnd, savedJob } from '../make.ts';
import { EPOCH, LOG, type StoreWorld, storeWorld } from '../store-world.ts';

const OUTAGE = { name: 'AppError', code: 'STORE_UNAVAILABLE', status: 503 };
const INSERT = `insert into event (type, occurred) values ('TRIED', now())`;

/** `setting` for whoever connects to the world's database from now on; those who are there are sent away. */
async function reset(world: StoreWorld, setting: string): Promise<void> {
  const name = new URL(world.url).pathname.slice(1);
  await withClient(world.url, async (client) => {
    await client.query('set default_transaction_read_only = off');
    await client.query(`alter database ${name} ${setting}`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  });
  // Pools notice what was ended with their next statement.
  for (const sql of [world.db.sql, world.db.commits]) {
    for (let n = 0; n < 8; n++) await sql.execute('select 1').catch(() => undefined);
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function commit(world: StoreWorld, jobId: number): Promise<unknown> {
  const changes = [{ type: 'moveJobs' as const, moves: [makeEnd(jobId)] }];
  return world.port.apply([{ shard: 1, epoch: EPOCH, changes }]).then(
    () => 'saved',
    (error: unknown) => error,
  );
}

function pool(t: Test, url: string): Sql {
  const opened = openPool({ url, connectionsMax: 2, statementTimeoutMs: 10_000, applicationName: 'test' });
  t.teardown(() => opened.end());
  return sqlOf(opened);
}

t.test('outages: a database that became read-only recovers once it accepts writes', async (t) => {
  const world = await storeWorld(t);
  const job = await savedJob(world);
  await reset(world, 'set default_transaction_read_only = on');
  await t.rejects(world.db.sql.execute(INSERT), { ...OUTAGE, message: 'the database is read-only' });
  await t.rejects(
    world.db.sql.transaction((tx) => tx.execute(INSERT)),
    OUTAGE,
  );
  t.ok(isUnavailable(await commit(world, job.id)), 'a commit is waited out, and costs no message');
  await reset(world, 'reset default_transaction_read_only');
  t.equal(await commit(world, job.id), 'saved');
});

t.test('outages: a lock that is not free in time is an outage', async (t) => {
  const world = await storeWorld(t);
  const job = await savedJob(world);
  await reset(world, `set lock_timeout = '50ms'`);
  await withClient(world.url, async (holder) => {
    await holder.query('begin');
    await holder.query('lock table event, job in access exclusive mode');
    await t.rejects(world.db.sql.execute(INSERT), OUTAGE);
    t.ok(isUnavailable(await commit(world, job.id)));
    await holder.query('rollback');
  });
  t.equal(await commit(world, job.id), 'saved');
});

t.test('outages: transactions that the server ends are outages', async (t) => {
  const world = await storeWorld(t);
  await reset(world, `set transaction_timeout = '100ms'`);
  const ended = world.db.sql.transaction(async (tx) => {
    await tx.execute(INSERT);
    await tx.execute('select pg_sleep(5)');
  });
  await t.rejects(ended, OUTAGE);
});

t.test('outages: of two transactions in a deadlock one is given up', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const [one, two] = [await savedJob(world), await savedJob(world)];
  const lock = (tx: Sql, id: number) => tx.execute('select 1 from job where id = $1 for update', [id]);
  const meet = { count: 0, both: () => {} };
  const met = new Promise<void>((resolve) => {
    meet.both = resolve;
  });
  const crossed = (first: number, second: number) =>
    sql.transaction(async (tx) => {
      await lock(tx, first);
      meet.count += 1;
      if (meet.count === 2) meet.both();
      await met;
      await lock(tx, second);
    });
  const ends = await Promise.allSettled([crossed(one.id, two.id), crossed(two.id, one.id)]);
  const failed = ends.filter((end) => end.status === 'rejected');
  t.equal(failed.length, 1);
  t.match(failed[0]?.reason, OUTAGE);
});

t.test('outages: revoked rights are an outage', async (t) => {
  const world = await storeWorld(t);
  const role = `role_${process.pid}`;
  await world.rows(`create role ${role} login password 'x'`);
  t.teardown(() => withClient(world.url, (client) => client.query(`drop role ${role}`)));
  const url = new URL(world.url);
  url.username = role;
  url.password = 'x';
  const sql = pool(t, url.href);
  t.same(await sql.execute('select 1 as one'), [{ one: 1 }]);
  await t.rejects(sql.execute(INSERT), OUTAGE);
  await world.rows(`alter role ${role} nologin`);
  await t.rejects(pool(t, url.href).execute('select 1'), {
    ...OUTAGE,
    message: 'the database refuses the login',
    cause: { code: '28000' },
  });
});

t.test('outages: a refused login and a missing database are outages', async (t) => {
  const dataDir = t.testdir();
  const server = await startEmbedded({ dataDir, log: LOG, isDurable: false });
  t.teardown(() => server.stop());
  await withClient(server.url, async (client) => {
    const { rows } = await client.query<{ hba_file: string }>('show hba_file');
    await client.query(`alter role millrace password 'right'`);
    const file = rows[0]?.hba_file ?? '';
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\btrust$/gm, 'scram-sha-256'));
    await client.query('select pg_reload_conf()');
  });
  const withPassword = (password: string, database = 'millrace') =>
    server.url.replace('millrace@', `millrace:${password}@`).replace(/\/millrace$/, `/${database}`);
  const refused = { ...OUTAGE, message: 'the database refuses the login' };
  let reached: unknown;
  for (let n = 0; n < 50 && !(reached instanceof Error); n++) {
    reached = await pool(t, withPassword('wrong'))
      .execute('select 1')
      .catch((error: unknown) => error);
  }
  t.match(reached, { ...refused, cause: { code: '28P01' } });
  // No password at all: the driver says so itself, without a state.
  await t.rejects(pool(t, server.url).execute('select 1'), OUTAGE);
  const missing = pool(t, withPassword('right', 'nowhere')).execute('select 1');
  await t.rejects(missing, { ...OUTAGE, message: 'the database does not exist' });
  t.same(await pool(t, withPassword('right')).execute('select 1 as one'), [{ one: 1 }]);
});

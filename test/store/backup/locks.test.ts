/** What waits for a backup, and what does not: it reads for a long time, and the service goes on. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import t, { type Test } from 'tap';
import { BackupFile } from '../../../src/store/backup/backup-file.ts';
import { withSession } from '../../../src/store/backup/connection.ts';
import { createSchema } from '../../../src/store/backup/restored-schema.ts';
import { takeBackup } from '../../../src/store/backup/take-backup.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { SCHEMA_LOCK } from '../../../src/store/locks.ts';
import { dropOldLogs, extendLogs } from '../../../src/store/log/partitions.ts';
import { MIGRATION_FILES } from '../../../src/store/migration-list.ts';
import { LOG_PARTITION } from '../../../src/store/migrations/0001-tables.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { testDatabase } from '../../support/db.ts';
import { LOG } from '../store-world.ts';
import { ask, backupWorld, restored } from './backup-world.ts';

/** A backup that has its snapshot and reads. It ends when `release` is called. */
async function pausedBackup(t: Test, url: string, path: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const original = BackupFile.prototype.header;
  let isReading = false;
  BackupFile.prototype.header = async function (header) {
    await original.call(this, header);
    isReading = true;
    await released;
  };
  t.teardown(() => {
    BackupFile.prototype.header = original;
    release();
  });
  const done = takeBackup({ url, path, version: '0', nowMs: 0 });
  done.catch(() => undefined);
  await eventually(() => isReading, 'the backup reads');
  BackupFile.prototype.header = original;
  return { done, release };
}

const waitsForLock = async (url: string): Promise<boolean> =>
  (
    await ask(
      url,
      `select from pg_locks where locktype = 'advisory' and not granted and database =
    (select oid from pg_database where datname = current_database())`,
    )
  ).length > 0;

t.test('backup: rows written meanwhile are not in it, and their writers do not wait', async (t) => {
  const world = await backupWorld(t);
  const { done, release } = await pausedBackup(t, world.url, world.file);
  await world.rows(`insert into event (type, occurred) values ('LATER', now())`);
  await world.rows(`update workspace set title = 'Later'`);
  release();
  await done;
  const url = await restored(t, world.file);
  t.same(await ask(url, `select from event where type = 'LATER'`), []);
  t.same(await ask(url, `select from workspace where title = 'Later'`), []);
});

t.test('backup: partitions are neither removed nor added while it runs, and are afterwards', async (t) => {
  const world = await backupWorld(t);
  const { sql } = world.db;
  await world.rows(`select setval('job_exe_id_seq', $1)`, [LOG_PARTITION + 9]);
  await world.rows(`insert into job_log values (7, 'stdout', 0, now(), 'said')`);
  const partitions = async () =>
    (await world.rows(`select from pg_inherits where inhparent = 'job_log'::regclass`)).length;
  const before = await partitions();
  const { done, release } = await pausedBackup(t, world.url, world.file);
  t.equal(await dropOldLogs(sql, Date.now() + 60_000), false);
  await extendLogs(sql);
  t.equal(await partitions(), before);
  release();
  await done;
  t.equal(await dropOldLogs(sql, Date.now() + 60_000), true);
  await extendLogs(sql);
  t.equal(await partitions(), before);
  const url = await restored(t, world.file);
  t.equal((await ask(url, 'select from job_log')).length, 1);
});

t.test('backup: a coordinator of this version starts while it runs, and a migration waits', async (t) => {
  const world = await backupWorld(t);
  const { done, release } = await pausedBackup(t, world.url, world.file);
  const beside = await openDatabase({ url: world.url, log: LOG });
  await beside.close();
  release();
  await done;

  const old = await testDatabase(t);
  await withSession(old, undefined, (session) => createSchema(session, MIGRATION_FILES.slice(0, 5)));
  await withSession(old, undefined, async ({ query }) => {
    await query('select pg_advisory_lock_shared($1)', [SCHEMA_LOCK]);
    const opening = openDatabase({ url: old, log: LOG });
    await eventually(() => waitsForLock(old), 'the migration waits');
    t.equal((await ask(old, 'select from schema_migration')).length, 5);
    await query('select pg_advisory_unlock_shared($1)', [SCHEMA_LOCK]);
    await (await opening).close();
  });
  t.equal((await ask(old, 'select from schema_migration')).length, MIGRATION_FILES.length);
});

t.test('backup: two run at a time, and none starts during a restore', async (t) => {
  const world = await backupWorld(t);
  const { done, release } = await pausedBackup(t, world.url, world.file);
  await takeBackup({ url: world.url, path: `${world.file}-2`, version: '0', nowMs: 0 });
  release();
  await done;
  const empty = await testDatabase(t);
  await withSession(empty, undefined, async ({ query }) => {
    await query('select pg_advisory_lock($1)', [SCHEMA_LOCK]);
    await t.rejects(restored(t, world.file, empty), {
      code: 'CONFLICT',
      message: /another restore is at work/,
    });
  });
});

t.test('backup: an interrupted backup leaves no file, even while it waits for a lock', async (t) => {
  const world = await backupWorld(t);
  const stop = new AbortController();
  await withSession(world.url, undefined, async ({ query }) => {
    await query('select pg_advisory_lock($1)', [SCHEMA_LOCK]);
    const backup = takeBackup({
      url: world.url,
      path: world.file,
      version: '0',
      nowMs: 0,
      signal: stop.signal,
    });
    await eventually(() => waitsForLock(world.url), 'it waits for the lock');
    stop.abort();
    await t.rejects(backup);
  });
  t.same(readdirSync(dirname(world.file)), []);
});

t.test('backup: another schema version is refused, and the message says what to do', async (t) => {
  const world = await backupWorld(t);
  const options = { url: world.url, path: world.file, version: '0', nowMs: 0 };
  await world.rows(`insert into schema_migration (name) values ('9999-future')`);
  await t.rejects(takeBackup(options), {
    code: 'DATABASE_VERSION',
    message: /the version that the coordinators have/,
  });
  await t.rejects(takeBackup({ ...options, url: await testDatabase(t) }), { code: 'NOT_FOUND' });
});

/**
 * A backup of a database in which every table has a row, restored: the same rows, the same schema, other ids to come.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { withSession } from '../../../src/store/backup/connection.ts';
import { backedUpTables, LEFT_OUT } from '../../../src/store/backup/left-out.ts';
import { ID_GAP } from '../../../src/store/backup/restore.ts';
import { createSchema } from '../../../src/store/backup/restored-schema.ts';
import { takeBackup } from '../../../src/store/backup/take-backup.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { reserveIds } from '../../../src/store/ids.ts';
import { extendLogs } from '../../../src/store/log/partitions.ts';
import { MIGRATION_FILES } from '../../../src/store/migration-list.ts';
import { LOG_PARTITION } from '../../../src/store/migrations/0001-tables.ts';
import { testDatabase } from '../../support/db.ts';
import { LOG } from '../store-world.ts';
import {
  ask,
  backupWorld,
  fillEveryTable,
  fingerprints,
  modeOf,
  ODD,
  restored,
  writeBackup,
} from './backup-world.ts';

const SCHEMA = `
  with own as (
    select * from pg_class where relnamespace = 'public'::regnamespace and not relispartition
      and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  )
  select format('%s %s %s %s', relname, relkind, relpersistence, reloptions) as line from own where relkind <> 'i'
  union all
  select format('%s.%s %s %s %s', own.relname, a.attname, format_type(atttypid, atttypmod), attnotnull,
    pg_get_expr(adbin, adrelid))
  from own join pg_attribute a on a.attrelid = own.oid left join pg_attrdef on adrelid = own.oid and adnum = attnum
  where attnum > 0 and relkind in ('r', 'p')
  union all
  select format('%s %s %s %s', own.relname, conname, convalidated, pg_get_constraintdef(c.oid))
  from pg_constraint c join own on own.oid = conrelid where contype <> 'n'
  union all select pg_get_indexdef(indexrelid) || indisvalid::text from pg_index join own on own.oid = indrelid
  union all select pg_get_triggerdef(t.oid) || tgenabled::text from pg_trigger t join own on own.oid = tgrelid
    where not tgisinternal
  union all select format('%s %s %s %s', seqrelid::regclass, seqincrement, seqmax, seqcache) from pg_sequence
  union all select pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
    and prolang = (select oid from pg_language where lanname = 'plpgsql')
  order by 1`;

t.test('backup: every table is in it or named as left out', async (t) => {
  const { url } = await backupWorld(t);
  const tables = await ask<{ name: string }>(
    url,
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p') and not relispartition`,
  );
  const known = [...backedUpTables(), ...Object.keys(LEFT_OUT)].sort();
  t.same(tables.map(({ name }) => name).sort(), known);
  const described = Object.entries(LEFT_OUT).filter(([, why]) => why.length < 10);
  t.same(described, [], 'each with its reason');
});

t.test('backup: rows and schema are the same after a restore, whatever characters they have', async (t) => {
  const world = await backupWorld(t);
  await fillEveryTable(world.url);
  await world.backUp();
  t.equal(modeOf(world.file), 0o600);
  t.same(readdirSync(dirname(world.file)), ['all.backup'], 'nothing else is left');
  const before = await fingerprints(world.url, backedUpTables());
  t.same(
    Object.keys(before).filter((table) => before[table]?.startsWith('0 ')),
    [],
    'every table has a row',
  );

  const url = await restored(t, world.file);
  t.same(await fingerprints(url, backedUpTables()), before);
  const [file] = await ask<{ name: string }>(url, 'select file_name as name from file');
  t.equal(file?.name, ODD.slice(0, 255));
  const lines = async (at: string) => (await ask<{ line: string }>(at, SCHEMA)).map(({ line }) => line);
  t.same(await lines(url), await lines(world.url));
  const left = Object.keys(LEFT_OUT).filter(
    (table) => !/^(schema_migration|shard_lease|change_stream)$/.test(table),
  );
  for (const [table, print] of Object.entries(await fingerprints(url, left))) {
    t.match(print, /^0 /, `${table} is left out`);
  }
});

t.test('backup: ids of a restored database are 2^40 higher, and everything handles them', async (t) => {
  const world = await backupWorld(t);
  const [last = 0] = (await reserveIds(world.db.sql, 'job_exe', 100)).slice(-1);
  const [stripe = 0] = await reserveIds(world.db.sql, 'job', 64);
  await world.rows(`select setval('job_exe_id_seq', $1)`, [7 * LOG_PARTITION]);
  await world.rows(
    `insert into job_log values ($1, 'stdout', 0, now(), 'a'), ($2, 'stdout', 0, now(), 'b')`,
    [last, 6 * LOG_PARTITION + 1],
  );
  await extendLogs(world.db.sql);
  await world.rows('update shard_lease set epoch = 9');
  await world.backUp();
  const url = await restored(t, world.file);
  const db = await openDatabase({ url, log: LOG });
  t.teardown(() => db.close());

  const [job = 0] = await reserveIds(db.sql, 'job', 64);
  t.equal(job, stripe + 64 + ID_GAP, 'an id of the same shard');
  const [execution = 0] = await reserveIds(db.sql, 'job_exe', 1);
  t.equal(execution, 7 * LOG_PARTITION + 1 + ID_GAP);
  const epochs = await db.sql.execute<{ epoch: number }>('select distinct epoch from shard_lease');
  t.same(epochs, [{ epoch: 9 + ID_GAP }], 'an owner of the lost time is fenced');

  const placeOf = async (id: number) =>
    (
      await db.sql.execute<{ place: string }>(
        'select tableoid::regclass::text as place from job_log where job_exe_id = $1',
        [id],
      )
    )[0]?.place;
  t.equal(await placeOf(last), 'job_log_0');
  t.equal(
    await placeOf(6 * LOG_PARTITION + 1),
    `job_log_${6 * LOG_PARTITION}`,
    'partitions are as they were',
  );
  await db.sql.execute(`insert into job_log values ($1, 'stdout', 0, now(), 'x')`, [execution]);
  await extendLogs(db.sql);
  const range = Math.floor(execution / LOG_PARTITION) * LOG_PARTITION;
  t.equal(await placeOf(execution), `job_log_${range}`);
  const [partitions] = await db.sql.execute<{ count: number }>(
    `select count(*) as count from pg_inherits where inhparent = 'job_log'::regclass`,
  );
  t.equal(partitions?.count, 12 + 5, 'none for the ids in between');
});

t.test('backup: a restored database has another epoch, and its rows caused no changes', async (t) => {
  const world = await backupWorld(t);
  await addTick(world.db.sql);
  const { epoch } = await world.one<{ epoch: string }>('select epoch from change_stream');
  await fillEveryTable(world.url);
  await world.backUp();
  const url = await restored(t, world.file);
  const db = await openDatabase({ url, log: LOG });
  t.teardown(() => db.close());
  t.same(await db.sql.execute('select from object_change'), []);
  await addTick(db.sql);
  const [now] = await db.sql.execute<{ epoch: string }>('select epoch from change_stream');
  t.match(now?.epoch, /^\w{12}$/);
  t.not(now?.epoch, epoch);
});

t.test('backup: a backup of an earlier schema is restored and then migrated', async (t) => {
  const { url: present } = await backupWorld(t);
  const earlier = MIGRATION_FILES.slice(0, 5);
  const old = await testDatabase(t);
  await withSession(old, undefined, (session) => createSchema(session, earlier));
  await ask(
    old,
    `insert into job_type (name, version, title, container_image, created, last_modified)
    values ('old', '1.0.0', 'Old', 'image', now(), now())`,
  );
  const file = join(t.testdir(), 'old.backup');
  await writeBackup(old, file, { migrations: earlier.map(({ name }) => name) });

  const url = await restored(t, file);
  const names = await ask<{ name: string }>(url, 'select name from schema_migration order by id');
  t.same(
    names,
    earlier.map(({ name }) => ({ name })),
  );
  const db = await openDatabase({ url, log: LOG });
  t.teardown(() => db.close());
  const lines = async (at: string) => (await ask<{ line: string }>(at, SCHEMA)).map(({ line }) => line);
  t.same(await lines(url), await lines(present));
  t.same(await db.sql.execute('select name, labels from job_type'), [{ name: 'old', labels: {} }]);
});

t.test('backup: only an empty database takes a restore', async (t) => {
  const world = await backupWorld(t);
  await world.backUp();
  await t.rejects(restored(t, world.file, world.url), {
    code: 'CONFLICT',
    message: /holds an installation of Millrace.*--data-dir.*Nothing was changed/,
  });
  await world.rows(`insert into coordinator (id, version, started, expires)
    values ('c-1', '0', now(), now() + interval '1 minute')`);
  await t.rejects(restored(t, world.file, world.url), {
    message: /1 coordinator runs on this database \(c-1\)/,
  });
  const other = await testDatabase(t);
  await ask(other, 'create table precious (id int)');
  await t.rejects(restored(t, world.file, other), { message: /not empty: it has precious/ });
  await ask(other, 'drop table precious');
  await ask(other, 'create extension pg_trgm');
  await t.resolves(restored(t, world.file, other), 'extensions may be there');
});

t.test('backup: tables of other programs are not in it, and are named', async (t) => {
  const world = await backupWorld(t);
  await world.rows('create table precious (id int)');
  const summary = await takeBackup({ url: world.url, path: world.file, version: '0', nowMs: 0 });
  t.same(summary.foreign, ['precious']);
  await t.resolves(restored(t, world.file));
});

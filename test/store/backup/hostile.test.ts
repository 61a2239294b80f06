/** Files that are damaged, or made by somebody else: refused, and the database is as empty as before. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { Secret } from '../../../src/lib/secret.ts';
import { BackupReader } from '../../../src/store/backup/backup-reader.ts';
import { HEADER_BYTES_MAX, MAGIC } from '../../../src/store/backup/format.ts';
import { lockKeys, unlockKeys } from '../../../src/store/backup/key-box.ts';
import { secretKey } from '../../../src/store/secret-key/key-ring.ts';
import { testDatabase } from '../../support/db.ts';
import { storeWorld } from '../store-world.ts';
import { ask, backupWorld, restored, writeBackup } from './backup-world.ts';

async function isEmpty(url: string): Promise<boolean> {
  return (await ask(url, `select from pg_class where relnamespace = 'public'::regnamespace`)).length === 0;
}

t.test('backup: a file that is cut anywhere is refused', async (t) => {
  const world = await backupWorld(t);
  await world.backUp();
  const whole = readFileSync(world.file);
  const url = await testDatabase(t);
  const places = [0, 5, MAGIC.length, 400, 0.3, 0.7, 0.95].map((at) =>
    at < 1 && at > 0 ? whole.length * at : at,
  );
  for (const at of [...places, whole.length - 100, whole.length - 1]) {
    writeFileSync(world.file, whole);
    truncateSync(world.file, Math.floor(at));
    await t.rejects(
      restored(t, world.file, url),
      { code: 'INVALID_REQUEST', message: /Nothing was restored/ },
      `${at}`,
    );
  }
  writeFileSync(world.file, Buffer.concat([whole, Buffer.from('x')]));
  await t.rejects(restored(t, world.file, url), { message: /something follows its end/ });
  t.ok(await isEmpty(url));
});

t.test('backup: a flipped bit is noticed wherever it is', async (t) => {
  const world = await backupWorld(t);
  await world.backUp();
  const whole = readFileSync(world.file);
  let missed = 0;
  const step = Math.max(1, Math.floor(whole.length / 300));
  for (let at = 0; at < whole.length; at += step) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(world.file, changed);
    const reader = await BackupReader.open(world.file).catch(() => undefined);
    if (reader === undefined) continue;
    const ignore = async () => undefined;
    await reader.read({ begin: ignore, rows: ignore, end: ignore }).then(
      () => (missed += 1),
      (error: Error) => t.match(error, { code: 'INVALID_REQUEST' }),
    );
    await reader.close();
  }
  t.equal(missed, 0);
});

/** A whole file, with its checksum, whose header says something else. */
async function refused(
  t: Test,
  over: Record<string, unknown>,
  message: RegExp,
  rows?: Record<string, string>,
) {
  const { url } = await storeWorld(t);
  const file = join(t.testdir(), 'hostile.backup');
  await writeBackup(url, file, over, (table) => rows?.[table]);
  const empty = await testDatabase(t);
  await t.rejects(restored(t, file, empty), { message }, JSON.stringify(over).slice(0, 200));
  t.ok(await isEmpty(empty));
}

t.test('backup: names in a header are only compared, never executed', async (t) => {
  const { url } = await storeWorld(t);
  const columns = async (table: string) =>
    (
      await ask<{ name: string }>(
        url,
        `select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0`,
        [table],
      )
    ).map(({ name }) => name);
  const event = { name: 'event', columns: await columns('event') };
  const injected = 'event"; drop table job; --';
  await refused(t, { tables: [{ ...event, name: injected }] }, /not one of its schema/);
  await refused(t, { tables: [{ ...event, name: 'pg_authid' }] }, /not one of its schema/);
  await refused(t, { tables: [{ ...event, name: 'coordinator' }] }, /not one of its schema/);
  await refused(t, { tables: [{ ...event, columns: ["id) from program 'id'; --"] }] }, /other columns/);
  await refused(t, { tables: [event, event] }, /not one of its schema/);
  await refused(t, { tables: [event] }, /tables are missing/);
  await refused(t, { migrations: ["0001-tables'; drop"] }, /taken by a newer version/);
});

t.test('backup: values of a header are checked, and every wrong one is named', async (t) => {
  await refused(
    t,
    { migrations: ['9999-future'], millrace: '9.9.9' },
    /newer version, 9\.9\.9 \(9999-future\)/,
  );
  await refused(t, { migrations: ['0002-object-changes'] }, /gaps/);
  await refused(t, { migrations: [] }, /gaps/);
  await refused(t, { tables: 'all', shard_epoch: -1, unfinished: null }, /tables, shard_epoch, unfinished/);
  await refused(t, { sequences: [{ name: 'x"; select 1', last_value: 1, is_called: true }] }, /sequences/);
  await refused(t, { sequences: [{ name: 'job_id_seq', last_value: 1e300, is_called: true }] }, /sequences/);
  await refused(t, { log_ranges: [17] }, /ranges of logs/);
  await refused(t, { log_ranges: Array.from({ length: 20_000 }, (_, at) => at * 250_000) }, /log_ranges/);
});

t.test('backup: rows that do not fit are refused, and the message shows no values', async (t) => {
  await refused(t, {}, /^(?!.*hunter2).*event.*22P02/, { event: '1\tX\t1\tnow\thunter2\n' });
  await refused(t, {}, /event/, { event: '\\.\n' });
});

t.test('backup: other files, and files with an endless line, are refused at once', async (t) => {
  const file = join(t.testdir(), 'some.backup');
  writeFileSync(file, 'PGDMP and so on');
  await t.rejects(BackupReader.open(file), { message: /is no backup/ });
  writeFileSync(file, 'millrace-backup 2\n{}\n');
  await t.rejects(BackupReader.open(file), { message: /newer program/ });
  writeFileSync(file, MAGIC + 'x'.repeat(HEADER_BYTES_MAX + 10));
  await t.rejects(BackupReader.open(file), { message: /cut or too long/ });
  writeFileSync(file, `${MAGIC}[]\n`);
  await t.rejects(BackupReader.open(file), { message: /not an object/ });
  await t.rejects(BackupReader.open(t.testdir()), { message: /is no file/ });
  await t.rejects(BackupReader.open(`${file}.none`), { message: /there is no such file, ENOENT/ });
});

t.test('backup: a frame that claims to be large, or grows without end, takes no memory', async (t) => {
  const world = await backupWorld(t);
  await world.backUp();
  const whole = readFileSync(world.file);
  const body = whole.indexOf('\n', MAGIC.length) + 1;
  const claim = Buffer.from([1, 0xff, 0xff, 0xff, 0xff]);
  writeFileSync(world.file, Buffer.concat([whole.subarray(0, body), claim]));
  await t.rejects(restored(t, world.file), { message: /damaged at byte/ });
  const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
  const head = Buffer.alloc(5);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(bomb.length, 1);
  writeFileSync(world.file, Buffer.concat([whole.subarray(0, body), head, bomb]));
  await t.rejects(restored(t, world.file), { message: /rows are damaged/ });
});

t.test('backup: the keys open with their passphrase only, and only with the known cost', async (t) => {
  const keys = [secretKey(Buffer.alloc(32, 1)), secretKey(Buffer.alloc(32, 2))];
  const locked = await lockKeys(keys, new Secret('correct horse battery'));
  t.notMatch(JSON.stringify(locked), keys[0]?.key.toString('base64'));
  t.same(await unlockKeys(locked, new Secret('correct horse battery')), keys);
  await t.rejects(unlockKeys(locked, new Secret('wrong horse battery')), {
    message: /passphrase is not the one/,
  });
  await t.rejects(unlockKeys({ ...locked, n: 2 ** 30 }, new Secret('x')), { message: /not known here/ });
  await t.rejects(unlockKeys({ ...locked, tag: 'AAAA' }, new Secret('correct horse battery')), {
    message: /passphrase is not the one/,
  });
});

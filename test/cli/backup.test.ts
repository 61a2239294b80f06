/** `millrace backup` and `millrace restore` as they are typed, as programs of their own where they are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { MAGIC } from '../../src/store/backup/format.ts';
import { purposeOfJobType } from '../../src/store/job-type/save.ts';
import { encryptionWith } from '../../src/store/secret-key/encryption.ts';
import { addKey, openKeyFile, readKeyFile } from '../../src/store/secret-key/key-file.ts';
import { KeyRing } from '../../src/store/secret-key/key-ring.ts';
import { mount, mounting } from '../e2e/harness/mounts.ts';
import { ask } from '../store/backup/backup-world.ts';
import { storeWorld } from '../store/store-world.ts';
import { eventually } from '../support/agent/eventually.ts';
import { testDatabase } from '../support/db.ts';
import { compiledPrograms } from '../support/run/compiled-programs.ts';
import { runTyped } from './run-typed.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/millrace.js');

const run = (
  command: 'backup' | 'restore',
  args: readonly string[],
  env: Record<string, string>,
  options: { readonly isTerminal?: boolean } = {},
) => runTyped([command, ...args], { env, ...options });

async function installation(t: Test) {
  const { url, db } = await storeWorld(t);
  const folder = t.testdir();
  const env = { DATABASE_URL: url, MILLRACE_SECRET_KEY_FILE: join(folder, 'secret.key') };
  return { url, db, folder, env, file: join(folder, 'all.backup') };
}

t.test('backup command: wrong arguments are refused', async (t) => {
  const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const wrong: readonly ['backup' | 'restore', string[], RegExp][] = [
    ['backup', [], /missing required argument 'file'/],
    ['backup', ['a', 'b'], /too many arguments/],
    ['backup', ['a', '--frobnicate', '1'], /--frobnicate/],
    ['backup', ['a', '--passphrase-file', 'p'], /--with-secret-key only/],
    ['backup', ['a', '--with-secret-key', '--passphrase-fd', 'x'], /a number is needed/],
    ['restore', ['a', '--passphrase-file='], /a path is needed/],
    ['backup', ['a', '--passphrase-fd', 'x'], /a number is needed\nmillrace: .*--with-secret-key only/],
    ['restore', ['a', '--with-secret-key', 'b'], /--with-secret-key/],
  ];
  for (const [command, args, message] of wrong) {
    const done = await run(command, args, env);
    t.match(done, { code: 2, stdout: '', stderr: message }, args.join(' '));
  }
  const file = join(t.testdir(), 'x');
  t.match(await run('backup', [file], env), {
    code: 1,
    stderr: /^millrace: the database cannot be reached\n$/,
  });
  t.match(await run('restore', [file], env), { code: 1, stderr: /ENOENT/ });
  t.match(await run('backup', [file, '--data-dir', '/nowhere/at/all'], {}), {
    code: 2,
    stderr: /there is no/,
  });
});

t.test('backup command: it prints what is in the file and what is not, and is audited', async (t) => {
  const { env, file, url } = await installation(t);
  const taken = await run('backup', [file], env);
  t.match(taken, { code: 0, stderr: '', stdout: /all\.backup: \d+ rows of \d+ tables, \d+\.\d kB\n/ });
  t.match(taken.stdout, /Not in it: the keys.*Keep .*secret\.key/);
  t.notOk(existsSync(env.MILLRACE_SECRET_KEY_FILE), 'no key is made up');
  const empty = await testDatabase(t);
  const restored = await run('restore', [file], { ...env, DATABASE_URL: empty });
  t.match(restored, {
    code: 0,
    stderr: '',
    stdout:
      /Restored: \d+ tables as of \d{4}-[\s\S]*Not finished then: nothing\nAgents end [\s\S]*have no record/,
  });
  const routes = async (at: string) =>
    (await ask<{ route: string }>(at, 'select route from audit')).map((row) => row.route);
  t.same(await routes(url), ['millrace backup']);
  t.same(await routes(empty), ['millrace restore']);
  t.match(await run('restore', [file], env), { code: 1, stderr: /holds an installation/ });
});

t.test('backup command: it replaces an earlier backup, and no other file', async (t) => {
  const { env, file, folder } = await installation(t);
  t.equal((await run('backup', [file], env)).code, 0);
  const { ino } = statSync(file);
  t.equal((await run('backup', [file], env)).code, 0);
  t.not(statSync(file).ino, ino);
  writeFileSync(file, 'a letter');
  t.match(await run('backup', [file], env), { code: 1, stderr: /is no backup: it is not replaced/ });
  t.equal(readFileSync(file, 'utf8'), 'a letter');
  t.match(await run('backup', [folder], env), { code: 1, stderr: /is not replaced|EISDIR/ });
  t.match(await run('backup', [join(folder, 'none', 'x')], env), { code: 1, stderr: /ENOENT/ });
  writeFileSync(`${file}-2.999999999.partial`, 'of a killed one');
  t.equal((await run('backup', [`${file}-2`], env)).code, 0);
  t.same(readdirSync(folder).sort(), ['all.backup', 'all.backup-2'], 'what a killed one left is removed');
});

t.test('backup command: keys are saved under a passphrase, and unreadable secrets listed', async (t) => {
  const { env, file, folder, db } = await installation(t);
  const keyFile = env.MILLRACE_SECRET_KEY_FILE;
  await openKeyFile(keyFile);
  await addKey(keyFile);
  const keys = await readKeyFile(keyFile);
  const ids = keys.map(({ id }) => id);
  const [type] = await db.sql.execute<{ id: number }>(`select id from job_type where name = 'type-a'`);
  const secret = encryptionWith(new KeyRing(keys)).encrypt('"hunter2"', purposeOfJobType(type?.id ?? 0));
  await db.sql.execute('update job_type set secrets = $1 where id = $2', [secret, type?.id]);
  const passphrase = join(folder, 'passphrase');
  writeFileSync(passphrase, 'correct horse battery\nsecond line\n', { mode: 0o644 });

  writeFileSync(`${passphrase}-short`, 'short\n', { mode: 0o600 });
  const withKey = ['--with-secret-key', '--passphrase-file'];
  t.match(await run('backup', [file, ...withKey, passphrase], env), {
    code: 2,
    stderr: /passphrase can be read by others: run chmod 600/,
  });
  chmodSync(passphrase, 0o600);
  t.match(await run('backup', [file, ...withKey, `${passphrase}-short`], env), {
    code: 1,
    stderr: /at least 12/,
  });
  t.match(await run('backup', [file, '--with-secret-key'], env), {
    code: 1,
    stderr: /no terminal to ask on: --passphrase-file/,
  });
  t.match(await run('backup', [file, ...withKey, passphrase], env), { code: 0, stdout: /^(?!.*Not in it)/ });
  const content = readFileSync(file);
  for (const { key } of keys) {
    t.notOk(
      content.includes(key) ||
        content.includes(key.toString('base64')) ||
        content.includes(key.toString('base64url')),
    );
  }

  const elsewhere = {
    DATABASE_URL: await testDatabase(t),
    MILLRACE_SECRET_KEY_FILE: join(folder, 'new.key'),
  };
  writeFileSync(`${passphrase}-wrong`, 'wrong horse battery\n', { mode: 0o600 });
  const wrong = await run('restore', [file, '--passphrase-file', `${passphrase}-wrong`], elsewhere);
  t.match(wrong, { code: 1, stderr: /passphrase is not the one of the backup/ });
  t.same(await ask(elsewhere.DATABASE_URL, `select from pg_class where relname = 'job'`), []);
  const right = await run('restore', [file, '--passphrase-file', passphrase], elsewhere);
  t.match(right, { code: 0, stdout: /new\.key has the keys of the backup:/ });
  t.notMatch(right.stdout, /Cannot be decrypted/);
  t.same(
    (await readKeyFile(elsewhere.MILLRACE_SECRET_KEY_FILE)).map(({ id }) => id),
    ids,
  );

  const without = {
    DATABASE_URL: await testDatabase(t),
    MILLRACE_SECRET_KEY_FILE: join(folder, 'other.key'),
  };
  t.match(await run('restore', [file], without), {
    code: 0,
    stdout: /Cannot be decrypted: the secrets of job type type-a 1\.0\.0\nPut the keys/,
  });
  await openKeyFile(without.MILLRACE_SECRET_KEY_FILE);
  const [own] = await readKeyFile(without.MILLRACE_SECRET_KEY_FILE);
  const merged = { ...without, DATABASE_URL: await testDatabase(t) };
  t.match(await run('restore', [file, '--passphrase-file', passphrase], merged), {
    code: 0,
    stdout: new RegExp(`has the keys of the backup: ${ids.join(', ')}`),
  });
  t.same(
    (await readKeyFile(merged.MILLRACE_SECRET_KEY_FILE)).map(({ id }) => id),
    [...ids, own?.id],
  );
});

t.test('backup command: progress is shown on a terminal only, and cleared', async (t) => {
  const { env, file } = await installation(t);
  const shown = await run('backup', [file], env, { isTerminal: true });
  t.match(shown, { code: 0, stderr: /\r.{3}.*\d+% \w+[\s\S]*\r.{3}$/ });
  t.notMatch(shown.stderr, /\n/);
});

/** The built or source program, as users start it. */
function start(t: Test, args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...compiledPrograms(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.resume();
  child.stderr?.resume();
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Enough rows that a copy of them takes a while. */
const MUCH = `insert into job_log select n, 'stdout', 0, now(), decode(repeat(md5(n::text), 128), 'hex')
  from generate_series(1, 20000) n`;

t.test('backup command: a backup that is killed leaves no file under the final name', async (t) => {
  const { env, file, folder, url } = await installation(t);
  await ask(url, MUCH);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const child = start(t, ['backup', file], env);
    const partial = () => readdirSync(folder).find((name) => name.endsWith(`.${child.pid}.partial`));
    await eventually(() => {
      const name = partial();
      return name !== undefined && statSync(join(folder, name)).size > 60_000;
    }, 'it writes');
    child.kill(signal);
    const [code] = await once(child, 'exit');
    t.notOk(existsSync(file), signal);
    if (signal === 'SIGTERM') t.match({ code, partial: partial() }, { code: 130, partial: undefined });
  }
  t.equal((await once(start(t, ['backup', file], env), 'exit'))[0], 0);
  t.equal(readFileSync(file).subarray(0, MAGIC.length).toString(), MAGIC);
  t.same(readdirSync(folder), ['all.backup']);
});

t.test('backup command: a killed restore leaves the database empty, and can be repeated', async (t) => {
  const { env, file, url } = await installation(t);
  await ask(url, MUCH);
  t.equal((await run('backup', [file], env)).code, 0);
  const empty = await testDatabase(t);
  const restoring = () =>
    ask(
      empty,
      `select from pg_stat_activity where application_name = 'millrace-backup' and query like 'copy "job_log"%'
      and datname = current_database()`,
    );
  const child = start(t, ['restore', file], { ...env, DATABASE_URL: empty });
  await eventually(async () => (await restoring()).length > 0, 'it loads');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually(async () => (await restoring()).length === 0, 'the server has noticed');
  t.same(await ask(empty, `select from pg_class where relnamespace = 'public'::regnamespace`), []);
  t.match(await run('restore', [file], { ...env, DATABASE_URL: empty }), { code: 0 });
  t.equal((await ask(empty, 'select from job_log')).length, 20_000);
});

t.test('backup command: a full disk is reported, and nothing is left on it', mounting(), async (t) => {
  const { env, folder, url } = await installation(t);
  await ask(url, MUCH);
  const small = join(folder, 'small');
  mkdirSync(small);
  t.ok(mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small));
  t.teardown(() => mount('--make-private', small) && spawn('umount', ['-l', small]));
  const done = await run('backup', [join(small, 'all.backup')], env);
  t.match(done, { code: 1, stderr: /the disk of .*small is full: no backup was written/ });
  t.same(readdirSync(small), []);
});

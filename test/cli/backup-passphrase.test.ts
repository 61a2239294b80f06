/** Passphrases of `backup --with-secret-key` and `restore`, as they are typed and as shells give them. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { addKey, openKeyFile, readKeyFile } from '../../src/store/secret-key/key-file.ts';
import { ask } from '../store/backup/backup-world.ts';
import { storeWorld } from '../store/store-world.ts';
import { testDatabase } from '../support/db.ts';
import { typed } from './terminal/terminal.ts';

const BIN = join(import.meta.dirname, '../../bin/millrace.js');
const PASSPHRASE = 'correct horse battery';

async function installation(t: Test) {
  const { url } = await storeWorld(t);
  const folder = t.testdir();
  const keyFile = join(folder, 'secret.key');
  await openKeyFile(keyFile);
  await addKey(keyFile);
  const env = { DATABASE_URL: url, MILLRACE_SECRET_KEY_FILE: keyFile };
  return { folder, keyFile, env, file: join(folder, 'all.backup') };
}

t.test('passphrase: it is read from a descriptor of the shell, and from standard input', async (t) => {
  const { folder, env, file } = await installation(t);
  const shell = async (command: string, others: Readonly<Record<string, string>> = {}) => {
    const child = spawn('bash', ['--norc', '-c', command, 'bash', process.execPath, BIN], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env, ...others },
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const backup = '"$1" "$2" backup all.backup --with-secret-key';
  const refused: readonly (readonly [string, RegExp])[] = [
    [
      `echo '${PASSPHRASE}' | ${backup}`,
      /no terminal to ask on: --passphrase-file .* --passphrase-fd 0 reads/,
    ],
    [`${backup} --passphrase-fd 0 </dev/null`, /the passphrase: descriptor 0 is empty/],
    [`${backup} --passphrase-fd 3 3</dev/null`, /the passphrase: descriptor 3 is empty/],
    [`${backup} --passphrase-fd 3 3<<<short`, /at least 12 characters/],
    [`${backup} --passphrase-fd 9`, /the passphrase: descriptor 9 is not open/],
    [`${backup} --passphrase-file none`, /the passphrase: none cannot be read: there is no such file/],
  ];
  for (const [command, err] of refused) t.match(await shell(command), { code: 1, out: '', err }, command);
  t.notOk(existsSync(file));
  for (const given of [`3< <(echo '${PASSPHRASE}')`, `3<<<'${PASSPHRASE}'`]) {
    t.match(await shell(`${backup} --passphrase-fd 3 ${given}`), { code: 0, err: '' }, given);
  }
  t.match(await shell(`echo '${PASSPHRASE}' | ${backup} --passphrase-fd=0`), { code: 0, err: '' });

  const database = await testDatabase(t);
  const elsewhere = { DATABASE_URL: database, MILLRACE_SECRET_KEY_FILE: join(folder, 'new.key') };
  const restore = '"$1" "$2" restore all.backup';
  t.match(await shell(`${restore} --passphrase-fd 3 3<<<'wrong horse battery'`, elsewhere), {
    code: 1,
    err: /passphrase is not the one of the backup/,
  });
  t.match(await shell(`${restore} --passphrase-fd 3 3<<<'${PASSPHRASE}'`, elsewhere), {
    code: 0,
    out: /new\.key has the keys of the backup: /,
  });
  const without = { ...elsewhere, DATABASE_URL: await testDatabase(t) };
  t.match(
    await shell(`${restore} </dev/null`, { ...without, MILLRACE_SECRET_KEY_FILE: join(folder, 'x.key') }),
    {
      code: 0,
      out: /\nNot restored: the keys in the backup, because no passphrase was given\n/,
    },
  );
});

t.test('passphrase: it is typed on a terminal, twice for a backup, and never shown', async (t) => {
  const { folder, keyFile, env, file } = await installation(t);
  const options = { cwd: folder, env, columns: 160 };
  const backUp = async (first: string, second?: string) => {
    const session = typed(t, ['backup', 'all.backup', '--with-secret-key'], options);
    await session.shows(/Passphrase for the keys:/);
    session.type(`${first}\r`);
    if (second !== undefined) {
      await session.shows(/Again:/);
      session.type(`${second}\r`);
    }
    return { session, code: await session.exited };
  };
  const differing = await backUp(PASSPHRASE, 'another horse battery');
  t.equal(differing.code, 1);
  t.match(differing.session.text(), /the two passphrases differ/);
  const short = await backUp('short', 'short');
  t.match(short.session.text(), /at least 12 characters/);
  const interrupted = await backUp('\u0003');
  t.equal(interrupted.code, 1);
  t.notOk(existsSync(file));
  const done = await backUp(PASSPHRASE, PASSPHRASE);
  t.equal(done.code, 0, done.session.text());
  for (const { session } of [differing, short, done]) t.notMatch(session.raw, /horse|short/);

  const database = await testDatabase(t);
  const elsewhere = { DATABASE_URL: database, MILLRACE_SECRET_KEY_FILE: join(folder, 'new.key') };
  const restore = async (passphrase: string) => {
    const session = typed(t, ['restore', 'all.backup'], { ...options, env: elsewhere });
    await session.shows(/Passphrase of the backup \(empty: restore without its keys\):/);
    session.type(`${passphrase}\r`);
    return { session, code: await session.exited };
  };
  const wrong = await restore('wrong horse battery');
  t.equal(wrong.code, 1);
  t.match(wrong.session.text(), /passphrase is not the one of the backup/);
  t.same(await ask(database, `select from pg_class where relname = 'job'`), [], 'nothing was restored');
  const right = await restore(PASSPHRASE);
  t.equal(right.code, 0, right.session.text());
  t.notMatch(right.session.raw, /horse/);
  t.same(await readKeyFile(join(folder, 'new.key')), await readKeyFile(keyFile));
});

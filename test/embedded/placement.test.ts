import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { binariesIn } from '../../src/embedded/binaries.ts';
import { place } from '../../src/embedded/placement.ts';
import { createLogger } from '../../src/observe/log.ts';

const isRoot = process.getuid?.() === 0;
const ONLY_ROOT = { skip: isRoot ? false : 'only root changes users' };
const log = createLogger({ level: 'silent' });

function folder(t: Test, mode: number): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-place-')));
  chmodSync(path, mode);
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function program(t: Test, mode: number) {
  const home = join(folder(t, mode), 'native');
  mkdirSync(join(home, 'bin'), { recursive: true });
  cpSync('/bin/true', join(home, 'bin/postgres'));
  return binariesIn(home, '18.4');
}

t.test('placement: the database is below the data folder if its user can reach that', async (t) => {
  const dataDir = folder(t, 0o711);
  const binaries = program(t, 0o755);

  const placement = await place({ dataDir, binaries, fallbackRoot: folder(t, 0o755), log });

  t.equal(placement.home, join(dataDir, 'postgres'));
  t.equal(placement.binaries.home, binaries.home);
  t.equal(placement.socketDir, join(placement.home, 'run'));
  t.equal(placement.user === undefined, !isRoot);
});

t.test('placement: programs that the user cannot reach are copied once', ONLY_ROOT, async (t) => {
  const fallbackRoot = folder(t, 0o755);
  const options = { dataDir: folder(t, 0o711), binaries: program(t, 0o700), fallbackRoot, log };

  const first = await place(options);
  const second = await place(options);

  t.equal(first.binaries.home, join(fallbackRoot, 'postgresql-18.4'));
  t.equal(second.binaries.home, first.binaries.home);
  t.same(readdirSync(fallbackRoot), ['postgresql-18.4']);
  t.ok(statSync(first.binaries.postgres).isFile());
});

t.test('placement: a long path gets its socket in a short private folder', async (t) => {
  const dataDir = join(folder(t, 0o711), 'x'.repeat(90));
  mkdirSync(dataDir);
  const options = { dataDir, binaries: program(t, 0o755), fallbackRoot: folder(t, 0o755), log };

  const { socketDir } = await place(options);
  t.teardown(() => rmSync(socketDir, { recursive: true }));

  t.ok(`${socketDir}/.s.PGSQL.5432.lock`.length <= 107);
  t.equal(statSync(socketDir).mode & 0o777, 0o700);
  t.equal((await place(options)).socketDir, socketDir, 'the same one each time');

  chmodSync(socketDir, 0o777);
  await t.rejects(place(options), { code: 'DATABASE_START_FAILED', message: /not a private folder/ });
});

t.test('placement: a new data folder does not get the database of a deleted one', ONLY_ROOT, async (t) => {
  const options = { binaries: program(t, 0o755), fallbackRoot: folder(t, 0o755), log };
  const dataDir = folder(t, 0o700);

  const first = await place({ ...options, dataDir });
  t.equal((await place({ ...options, dataDir })).home, first.home, 'the same folder again');
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir, { mode: 0o700 });
  const second = await place({ ...options, dataDir });

  t.equal(second.home, `${first.home}-2`);
  t.ok(statSync(first.home).isDirectory(), 'the other database is left alone');
});

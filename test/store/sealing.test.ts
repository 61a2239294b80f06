import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openSeal } from '../../src/store/sealing.ts';

function keyFile(t: { teardown(fn: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-seal-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return join(folder, 'keys', 'secret.key');
}

t.test(
  'sealing: what was sealed is opened with the same key and purpose, also after a restart',
  async (t) => {
    const path = keyFile(t);
    const sealed = (await openSeal(path)).seal('pässword', 'job_type/1');

    t.equal((await openSeal(path)).open(sealed, 'job_type/1'), 'pässword');
    t.notOk(sealed.includes('pässword'));
  },
);

t.test('sealing: another purpose, another key or changed bytes open nothing and show nothing', async (t) => {
  const seal = await openSeal(keyFile(t));
  const sealed = seal.seal('canary', 'job_type/1');
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
  const other = await openSeal(keyFile(t));

  for (const open of [
    () => seal.open(sealed, 'job_type/2'),
    () => seal.open(changed, 'job_type/1'),
    () => seal.open(Buffer.of(1, 2, 3), 'job_type/1'),
    () => other.open(sealed, 'job_type/1'),
  ]) {
    t.throws(open, { code: 'SECRET_UNREADABLE' });
  }
});

t.test('sealing: a secret is sealed differently each time', async (t) => {
  const seal = await openSeal(keyFile(t));

  t.not(seal.seal('same', 'x').toString('hex'), seal.seal('same', 'x').toString('hex'));
});

t.test('sealing: a key file of another length is refused by name', async (t) => {
  const path = keyFile(t);
  await openSeal(path);
  writeFileSync(path, 'short');

  await t.rejects(openSeal(path), { code: 'INVALID_SETTINGS', message: /secret\.key must hold 32 bytes/ });
});

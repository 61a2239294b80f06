import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { writeOnce } from '../../src/lib/write-once.ts';

t.test('write once: the first content is kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-once-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a', 'b', 'key');

  await writeOnce(path, 'first');
  await writeOnce(path, 'second');

  t.equal(readFileSync(path, 'utf8'), 'first');
  t.equal(statSync(path).mode & 0o777, 0o600, 'only its owner can read it');
  t.same(readdirSync(join(folder, 'a', 'b')), ['key'], 'no temporary file is left');
});

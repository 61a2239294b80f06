/** Small files that were changed a moment ago are read at once, and no others. */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { localDeviceOf, readRecent } from '../../src/storage/recent-file.ts';

const HOUR_MS = 3_600_000;

function makeRoot(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'millrace-recent-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

t.test('recent file: its facts equal those of the usual way, and its content is hashed', async (t) => {
  const root = makeRoot(t);
  const local = new LocalRoot(root);
  for (const [name, content] of [
    ['a', 'some text'],
    ['empty', ''],
    ['largest', 'x'.repeat(65_536)],
  ] as const) {
    writeFileSync(join(root, name), content);
    const recent = await local.recent(name, Date.now());
    t.same(recent?.content, { size: content.length, sha256: sha256(content) });
    const careful = await local.beside(name, (folder) => folder.facts(name));
    t.same(recent?.facts, careful, 'the facts equal those of the usual way');
  }
});

t.test('recent file: large, nested, linked and older files are left to the usual way', async (t) => {
  const root = makeRoot(t);
  const local = new LocalRoot(root);
  const at = (name: string) => join(root, name);
  mkdirSync(at('folder'));
  writeFileSync(at('a'), 'a');
  writeFileSync(at('folder/b'), 'b');
  writeFileSync(at('large'), '');
  truncateSync(at('large'), 65_537);
  symlinkSync('a', at('link'));
  for (const name of ['absent', 'folder', 'folder/b', 'large', 'link']) {
    t.equal(await local.recent(name, Date.now()), undefined, name);
  }
  t.equal(await local.recent('a', Date.now() + HOUR_MS), undefined, 'changed long ago');
  await t.rejects(local.recent('../a', Date.now()), { code: 'PATH_NOT_ALLOWED' });
});

t.test('recent file: nothing is read if another device is mounted at the root', async (t) => {
  const root = makeRoot(t);
  writeFileSync(join(root, 'a'), 'a');
  const device = await localDeviceOf(root);
  if (device === undefined) return t.pass('not on a disk of this host');
  t.ok(readRecent(root, 'a', device, Date.now()));
  t.equal(readRecent(root, 'a', device + 1n, Date.now()), undefined);
});

t.test('recent file: a rename counts as a change, even if the content is older', async (t) => {
  const [root, elsewhere] = [makeRoot(t), makeRoot(t)];
  writeFileSync(join(elsewhere, 'a'), 'a');
  renameSync(join(elsewhere, 'a'), join(root, 'a'));
  const { ctimeMs } = statSync(join(root, 'a'));
  const local = new LocalRoot(root);
  t.ok(await local.recent('a', ctimeMs + 59_000));
  t.equal(await local.recent('a', ctimeMs + 61_000), undefined);
});

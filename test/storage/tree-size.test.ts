/** The allocated size of a directory: the quick way and the one with threads agree. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { QuickFolder } from '../../src/storage/quick-folder.ts';
import { allocatedBytes, quickAllocatedBytes } from '../../src/storage/tree-size.ts';
import { asUser, NOT_ROOT } from './as-user.ts';

function quickly(t: Test, root: string, name: string): Promise<number | undefined> {
  const folder = QuickFolder.open(root, '', statSync(root, { bigint: true }).dev);
  if (folder === undefined) throw new Error('the root cannot be opened');
  t.teardown(() => folder.close());
  return quickAllocatedBytes(folder, name);
}

const slowly = (root: string, name: string): Promise<number | undefined> =>
  new LocalRoot(root).within('', (folder) => allocatedBytes(folder, name));

t.test('tree size: both ways count allocated bytes as du does, and follow no links', async (t) => {
  const root = t.testdir({ outside: 'x'.repeat(100_000) });
  mkdirSync(join(root, 'task/output/deep'), { recursive: true });
  writeFileSync(join(root, 'task/stdout'), 'x'.repeat(10_000));
  writeFileSync(join(root, 'task/output/deep/product'), 'x'.repeat(50_000));
  symlinkSync('../outside', join(root, 'task/link'));
  symlinkSync('..', join(root, 'task/output/above'));
  linkSync(join(root, 'task/stdout'), join(root, 'task/output/again'));
  const bytes = await quickly(t, root, 'task');
  t.equal(bytes, await slowly(root, 'task'));
  const du = Number(
    execFileSync('du', ['-sk', '-l', join(root, 'task')], { encoding: 'utf8' }).split('\t')[0],
  );
  t.equal(bytes, du * 1_024);
  t.equal(await quickly(t, root, 'absent'), 0);
});

t.test('tree size: the quick way leaves many names and deep nesting to threads', async (t) => {
  const root = t.testdir({ many: {}, few: {} });
  for (let n = 0; n <= 64; n += 1) {
    writeFileSync(join(root, `many/${n}`), '');
    if (n > 0) writeFileSync(join(root, `few/${n}`), '');
  }
  t.equal(await quickly(t, root, 'many'), undefined);
  t.type(await slowly(root, 'many'), 'number');
  t.type(await quickly(t, root, 'few'), 'number');
  mkdirSync(join(root, 'nest', ...Array.from({ length: 40 }, () => 'd')), { recursive: true });
  t.equal(await quickly(t, root, 'nest'), undefined);
});

t.test('tree size: a directory that cannot be read has no size', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-size-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'task/shut'), { recursive: true });
  chmodSync(join(root, 'task/shut'), 0);
  if (NOT_ROOT !== undefined)
    for (const path of ['task/shut', 'task', '']) chownSync(join(root, path), NOT_ROOT, NOT_ROOT);
  const sizes = () => Promise.all([quickly(t, root, 'task'), slowly(root, 'task')]);
  t.strictSame(await asUser(NOT_ROOT, sizes), [undefined, undefined]);
  chmodSync(join(root, 'task/shut'), 0o700);
  const [quick, slow] = await asUser(NOT_ROOT, sizes);
  t.type(quick, 'number');
  t.equal(quick, slow);
});

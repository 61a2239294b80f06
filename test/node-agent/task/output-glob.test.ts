/** Patterns of outputs, and directories that were made to harm. */
import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { findOutputs, segmentMatcher } from '../../../node-agent/task/output-glob.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';

t.test('segment pattern: stars, question marks, sets and dots match as a shell has them', async (t) => {
  const cases: [string, string, boolean][] = [
    ['*.tif', 'a.tif', true],
    ['*.tif', 'a.tiff', false],
    ['*', '.hidden', false],
    ['?a', '.a', false],
    ['[.]a', '.a', false],
    ['.*', '.hidden', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a?c', 'a😀c', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[!a-c]x', 'dx', true],
    ['[]]x', ']x', true],
    ['[a-', '[a-', true],
    ['[', '[', true],
    ['a**b', 'axxb', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['(a|b)+', '(a|b)+', true],
    ['', 'a', false],
  ];
  for (const [pattern, name, wanted] of cases)
    t.equal(segmentMatcher(pattern)(name), wanted, `${pattern} ~ ${name}`);
});

t.test('segment pattern: a hostile pattern matches in linear time', async (t) => {
  // An expression with backtracking would take longer than the universe lasts; here it is pattern x name
  // steps.
  t.equal(segmentMatcher(`${'*a'.repeat(100)}b`)('a'.repeat(255)), false);
});

async function found(root: string, pattern: string): Promise<readonly string[]> {
  const { paths } = await new LocalRoot(root).within('', (folder) => findOutputs(folder, [pattern]));
  return paths[0] ?? [];
}

t.test('glob: it finds regular files below the directory, by path, and never leaves it', async (t) => {
  const root = t.testdir({
    'a.txt': '1',
    sub: { 'b.txt': '2', deep: { 'c.txt': '3' } },
    'dir.txt': { x: '' },
  });
  await symlink('/etc/passwd', join(root, 'link.txt'));
  await symlink('/etc', join(root, 'etc'));
  await symlink(join(root, 'sub'), join(root, 'sub2'));
  const server = createServer().listen(join(root, 'socket.txt'));
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const paths = (pattern: string) => found(root, pattern);

  t.strictSame(await paths('*.txt'), ['a.txt']);
  t.strictSame(await paths('*/*.txt'), ['sub/b.txt']);
  t.strictSame(await paths('./sub//deep/*'), ['sub/deep/c.txt']);
  t.strictSame(await paths('**/c.txt'), [], 'no recursion');
  for (const pattern of [
    'etc/passwd',
    '../*',
    'sub/../a.txt',
    '/etc/passwd',
    '',
    '.',
    'link.txt',
    'nothing/*',
  ]) {
    t.strictSame(await paths(pattern), [], pattern);
  }
});

const find = (root: string, patterns: readonly string[]) =>
  new LocalRoot(root).within('', (folder) => findOutputs(folder, patterns));
const refused = (detail: RegExp) => ({ errorName: 'invalid-results-manifest', message: detail });
const touch = (folder: string, names: readonly string[]) =>
  Promise.all(names.map((name) => writeFile(join(folder, name), '')));
const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

t.test('glob: 10,000 files are found, one more is refused', async (t) => {
  const root = t.testdir({});
  await touch(root, numbered(10_000));
  t.equal((await find(root, ['*'])).paths[0]?.length, 10_000);
  const lengths = (await find(root, ['0', '[1-9]*'])).paths.map(({ length }) => length);
  t.same(lengths, [1, 9_999]);
  await t.rejects(find(root, ['*', '0']), refused(/more than 10000 output files/), 'a file of two outputs');
  await touch(root, ['more']);
  await t.rejects(find(root, ['*']), refused(/more than 10000 output files/));
});

t.test('glob: 1,000,000 names are compared with patterns, one more is refused', async (t) => {
  const root = t.testdir({});
  await touch(root, numbered(1_000));
  const patterns = numbered(1_000, 'none-');
  t.same((await find(root, patterns)).paths.flat(), []);
  await touch(root, ['more']);
  await t.rejects(find(root, patterns), refused(/more than 1000000 names/));
});

t.test('glob: 4 MiB of paths are found, one byte more is refused', async (t) => {
  const root = t.testdir({});
  const folder = join(root, 'o'.repeat(255), 'i'.repeat(127));
  await mkdir(folder, { recursive: true });
  // With the names of its two directories each path has 512 bytes.
  const name = (index: number) => `${index}`.padStart(128, 'n');
  await touch(
    folder,
    Array.from({ length: 8_192 }, (_, index) => name(index)),
  );
  t.equal((await find(root, ['*/*/*'])).paths[0]?.length, 8_192);
  await rename(join(folder, name(0)), join(folder, `n${name(0)}`));
  await t.rejects(find(root, ['*/*/*']), refused(/paths of more than 4194304 bytes/));
});

t.test('glob: names are compared as bytes, line breaks and invalid UTF-8 included', async (t) => {
  const root = t.testdir({});
  await writeFile(join(root, 'a\nb.txt'), '');
  await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff]), Buffer.from('.txt')]), '');
  await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xfe]), Buffer.from('.txt')]), '');
  await mkdir(join(root, 'd'));
  await link(join(root, 'a\nb.txt'), join(root, 'd', 'é.txt'));
  t.strictSame(await found(root, '*.txt'), ['a\nb.txt', 'x\uf7fe.txt', 'x\uf7ff.txt']);
  t.strictSame(await found(root, 'd/é.*'), ['d/é.txt']);
});

/** Patterns of outputs, and directories that were made to harm. */
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
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

t.test('segment pattern: one made to be slow is not', async (t) => {
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

t.test('glob: names are bytes: line breaks and invalid UTF-8 are distinguished', async (t) => {
  const root = t.testdir({});
  await writeFile(join(root, 'a\nb.txt'), '');
  await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff]), Buffer.from('.txt')]), '');
  await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xfe]), Buffer.from('.txt')]), '');
  await mkdir(join(root, 'd'));
  await link(join(root, 'a\nb.txt'), join(root, 'd', 'é.txt'));
  t.strictSame(await found(root, '*.txt'), ['a\nb.txt', 'x\uf7fe.txt', 'x\uf7ff.txt']);
  t.strictSame(await found(root, 'd/é.*'), ['d/é.txt']);
});

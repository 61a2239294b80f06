/** Removal of trees that are made to be hard to remove. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { removeTree } from '../../src/storage/remove-tree.ts';
import { asUser, NOT_ROOT } from './as-user.ts';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? {} : { skip: 'needs root' };

async function rootOf(t: Test): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-remove-'));
  t.teardown(() => execFileSync('rm', ['-rf', root]));
  return root;
}

function removing(root: string, name: string, signal?: AbortSignal) {
  return new LocalRoot(root).within('', (folder) => removeTree(folder, name, signal));
}

t.test('removal: files of every kind are removed, and links are not followed', async (t) => {
  const root = await rootOf(t);
  const outside = join(root, 'outside');
  await mkdir(join(root, 'tree/a/b'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'kept'), 'x');
  await symlink(outside, join(root, 'tree/a/link'));
  await symlink('nowhere', join(root, 'tree/dangling'));
  execFileSync('mkfifo', [join(root, 'tree/a/pipe')]);
  const server = createServer().listen(join(root, 'tree/a/b/socket'));
  t.teardown(() => server.close());
  const sparse = await open(join(root, 'tree/a/b/sparse'), 'w');
  await sparse.truncate(2 ** 40);
  await sparse.close();
  await writeFile(Buffer.concat([Buffer.from(join(root, 'tree/a/')), Buffer.from([0x78, 0xff, 0x0a])]), '');
  await writeFile(join(root, 'tree/a', 'n'.repeat(255)), '');
  t.strictSame(await removing(root, 'tree'), { removedCount: 10, failure: undefined });
  t.strictSame((await readdir(root)).sort(), ['outside']);
  t.strictSame(await readdir(outside), ['kept']);
  t.strictSame(await removing(root, 'tree'), { removedCount: 0, failure: undefined }, 'nothing is there');
});

t.test('removal: 3,000 nested directories, deeper than a path can name, are removed', async (t) => {
  const root = await rootOf(t);
  await mkdir(join(root, 'tree'));
  nest(join(root, 'tree'), 3_000);
  t.strictSame(await removing(root, 'tree'), { removedCount: 3_001, failure: undefined });
  t.strictSame(await readdir(root), []);
});

t.test('removal: directories without permissions are removed by an agent that is not root', async (t) => {
  const root = await rootOf(t);
  await mkdir(join(root, 'tree/module/nested'), { recursive: true });
  for (const name of ['tree/go.mod', 'tree/module/a', 'tree/module/nested/b'])
    await writeFile(join(root, name), '');
  nest(join(root, 'tree/module/nested'), 100);
  if (NOT_ROOT !== undefined) execFileSync('chown', ['-R', `${NOT_ROOT}:${NOT_ROOT}`, root]);
  for (const name of ['tree/module/nested/deep/deep', 'tree/module/nested', 'tree/module', 'tree'])
    await chmod(join(root, name), name === 'tree' ? 0o000 : 0o500);
  const { removedCount, failure } = await asUser(NOT_ROOT, () => removing(root, 'tree'));
  t.strictSame([removedCount, failure], [106, undefined]);
  t.strictSame(await readdir(root), []);
});

t.test(
  'removal: an immutable file and a mount point are left with a reason, and all else is removed',
  asRoot,
  async (t) => {
    const root = await rootOf(t);
    await mkdir(join(root, 'tree/mounted'), { recursive: true });
    await mkdir(join(root, 'tree/held'));
    await mkdir(join(root, 'elsewhere'));
    await writeFile(join(root, 'elsewhere/precious'), 'x');
    for (let index = 0; index < 20; index += 1) await writeFile(join(root, `tree/held/${index}`), '');
    execFileSync('mount', ['--bind', join(root, 'elsewhere'), join(root, 'tree/mounted')]);
    t.teardown(() => execFileSync('umount', [join(root, 'tree/mounted')]));
    const hasImmutable = attributed('+i', join(root, 'tree/held/7'));
    t.teardown(() => attributed('-i', join(root, 'tree/held/7')));
    const { failure } = await removing(root, 'tree');
    t.match(
      failure?.message,
      /cannot remove '(tree\/mounted': something else uses it|tree\/held\/7': this is not permitted)/,
    );
    t.strictSame(await readdir(join(root, 'tree/held')).catch(() => []), hasImmutable ? ['7'] : []);
    t.strictSame(await readdir(join(root, 'elsewhere')), ['precious']);
  },
);

t.test('removal: 20,000 files are removed in small steps, which can be stopped and continued', async (t) => {
  const root = await rootOf(t);
  await mkdir(join(root, 'tree'));
  execFileSync('/usr/bin/perl', ['-e', 'for (1..20_000) { open my $f, ">", "file-$_" or die $! }'], {
    cwd: join(root, 'tree'),
  });
  const stopping = new AbortController();
  const stopped = removing(root, 'tree', stopping.signal);
  setImmediate(() => stopping.abort(new Error('stopped')));
  await t.rejects(stopped, { message: 'stopped' });
  let turns = 0;
  const ended = { is: false };
  const counting = (): void => {
    turns += 1;
    if (!ended.is) setImmediate(counting);
  };
  counting();
  const { removedCount, failure } = await removing(root, 'tree');
  ended.is = true;
  t.equal(failure, undefined);
  // Eight names at a time, and the event loop continues between them.
  t.ok(turns > removedCount / 100, `${turns} turns of the loop for ${removedCount} names`);
  t.strictSame(await readdir(root), []);
});

/** Whether this file system has the attribute. */
function attributed(attribute: string, path: string): boolean {
  try {
    execFileSync('chattr', [attribute, path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Created by a program that changes its directory, as a task could do, since no path names the deepest one. */
function nest(root: string, depth: number): void {
  const script = `for (1..${depth}) { mkdir "deep" or die $!; chdir "deep" or die $! }`;
  execFileSync('/usr/bin/perl', ['-e', script], { cwd: root });
}

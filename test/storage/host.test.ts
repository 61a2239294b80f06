import { execFile } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { NO_MARKER } from '../../src/domain/workspace/unmarked.ts';
import { createHostBroker } from '../../src/storage/host.ts';
import {
  type BrokerFixture,
  entries,
  listed,
  localFile,
  storageConformance,
} from '../conformance/storage.ts';
import { asUser, NOT_ROOT } from './as-user.ts';

const UUID = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0001';

async function directory(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-host-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

function brokerOf(root: string, more: { isDeclared?: boolean; uuid?: string; agentId?: string } = {}) {
  const { uuid = UUID, agentId = 'agent-1', ...rest } = more;
  return createHostBroker({ workspaceUuid: uuid, root, agentId, ...rest });
}

async function makeFixture(t: Test): Promise<BrokerFixture & { root: string }> {
  const root = await directory(t);
  const broker = brokerOf(root);
  await broker.check({ claim: true });
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  return { broker, put, root };
}

storageConformance(t, makeFixture);

t.test('host: a directory belongs to the workspace that claimed it first', async (t) => {
  const root = await directory(t);
  const other = brokerOf(root, { uuid: '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0002' });
  t.match(await other.check(), { isReachable: false, isUnmarked: true });

  t.match(await brokerOf(root).check({ claim: true }), { isReachable: true });

  t.match(await other.check(), { isReachable: false, isUnmarked: false, reason: new RegExp(UUID) });
  t.match(await other.check({ claim: true }), { isReachable: false, isUnmarked: false });
  t.match(await brokerOf(root, { agentId: 'agent-2' }).check(), { isReachable: true });
  t.strictSame(await readdir(root), ['.millrace-workspace'], 'the claim left nothing else');
});

const unwritable = (cause: RegExp) => ({
  ...{ isReachable: false, isUnmarked: true },
  reason: new RegExp(`^it has no marker, and this agent cannot write one: ${cause.source}`),
});

t.test('host: a directory that cannot be written is unmarked, and the reason says why', async (t) => {
  const root = await directory(t);
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0755', 'millrace-test', root]);
  } catch {
    if (process.env.CI === 'true') return t.fail('a small file system cannot be mounted here');
    return t.pass('unwritable', { skip: 'needs the right to mount a small tmpfs (run as root)' });
  }
  t.teardown(() => run('umount', [root]));
  const broker = brokerOf(root);

  // Another user than root may read the directory, and not write to it.
  const denied = unwritable(/permission is denied \(EACCES\); give the directory to the user/);
  t.match(await asUser(NOT_ROOT, () => broker.check({ claim: true })), denied);

  await run('mount', ['-o', 'remount,ro', root]);
  const readOnly = unwritable(/its file system can only be read \(EROFS\); .*MILLRACE_WORKSPACES/);
  t.match(await broker.check(), readOnly, 'it is seen without a try');
  t.match(await broker.check({ claim: true }), readOnly);
  t.match(await brokerOf(root, { isDeclared: true }).check(), { isReachable: true }, 'it needs no marker');

  await run('mount', ['-o', 'remount,rw', root]);
  await writeFile(join(root, 'all'), Buffer.alloc(2 ** 20)).catch(() => undefined);
  t.match(await broker.check({ claim: true }), unwritable(/the disk is full \(ENOSPC\)$/));
  t.strictSame(await readdir(root), ['all'], 'the try left nothing');
  t.match(await broker.check(), { isUnmarked: true, reason: NO_MARKER }, 'only a try finds that out');

  await rm(join(root, 'all'));
  t.match(await broker.check({ claim: true }), { isReachable: true, isUnmarked: false, reason: '' });
});

t.test('host: another user sees without a try that it may not write to a directory', async (t) => {
  const root = await directory(t);
  await chmod(root, 0o555);
  const module = new URL('../../src/storage/host.ts', import.meta.url);
  const look = `
    const { createHostBroker } = await import(${JSON.stringify(module)});
    if (process.getuid() === 0) process.setuid(${NOT_ROOT});
    const broker = createHostBroker({ workspaceUuid: '${UUID}', root: ${JSON.stringify(root)}, agentId: 'a' });
    console.log(JSON.stringify(await broker.check()));`;
  // A process of its own: whether a directory may be written is checked for the user whose process it is.
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', look]);
  t.match(JSON.parse(stdout), unwritable(/permission is denied \(EACCES\)/));
});

t.test('host: of ten simultaneous claims exactly one succeeds', async (t) => {
  const root = await directory(t);
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      brokerOf(root, { uuid: `uuid-${n}`, agentId: `agent-${n}` }).check({ claim: true }),
    ),
  );
  t.equal(claims.filter(({ isReachable }) => isReachable).length, 1);
  t.match(await readFile(join(root, '.millrace-workspace'), 'utf8'), /^uuid-\d\n$/);
});

t.test(
  'host: a declared directory needs no marker, but a marker of another workspace makes it unreachable',
  async (t) => {
    const root = await directory(t);
    t.match(await brokerOf(root, { isDeclared: true }).check(), { isReachable: true });
    await writeFile(join(root, '.millrace-workspace'), 'somebody-else\n');
    t.match(await brokerOf(root, { isDeclared: true }).check(), {
      isReachable: false,
      reason: /somebody-else/,
    });
  },
);

t.test('host: a missing root is unreachable and is not created', async (t) => {
  const root = join(await directory(t), 'missing');
  const broker = brokerOf(root);
  t.match(await broker.check({ claim: true }), { isReachable: false, reason: /ENOENT/ });
  await t.rejects(broker.store(await localFile(t, 'x'), 'f', { id: 1 }), { code: 'WORKSPACE_UNAVAILABLE' });
  await t.rejects(entries(broker, { recursive: true }), { code: 'WORKSPACE_UNAVAILABLE' });
  await t.rejects(readdir(root), { code: 'ENOENT' });
});

t.test('host: symbolic links are not followed, neither to files nor through directories', async (t) => {
  const { broker, root, put } = await makeFixture(t);
  const outside = await directory(t);
  await writeFile(join(outside, 'secret'), 'secret');
  await put('real/file', 'inside');
  await symlink(outside, join(root, 'out'));
  await symlink(join(outside, 'secret'), join(root, 'link'));
  await symlink(join(root, 'real'), join(root, 'alias'));
  await symlink('/etc/hostname', join(root, '.hidden'));

  t.equal(await broker.stat('link'), undefined);
  for (const path of ['out/secret', 'alias/file']) {
    await t.rejects(broker.stat(path), { code: 'PATH_NOT_ALLOWED' }, path);
    await t.rejects(broker.openRead(path), { code: 'PATH_NOT_ALLOWED' }, path);
    await t.rejects(broker.remove(path), { code: 'PATH_NOT_ALLOWED' }, path);
    await t.rejects(
      broker.store(await localFile(t, 'x'), path, { id: 1 }),
      { code: 'PATH_NOT_ALLOWED' },
      path,
    );
  }
  await t.rejects(broker.openRead('link'), { code: 'PATH_NOT_ALLOWED' });
  await t.rejects(broker.remove('link'), { code: 'PATH_NOT_ALLOWED' });
  t.match(await broker.store(await localFile(t, 'x'), 'link', { id: 7 }), { path: '7/link' });
  t.strictSame(await listed(broker, { recursive: true }), ['7/link', 'real/file']);
  t.strictSame(await readdir(outside), ['secret'], 'nothing was written outside');
});

t.test('host: a directory that is replaced by a link meanwhile leads no file outside', async (t) => {
  const { broker, root } = await makeFixture(t);
  const outside = await directory(t);
  await mkdir(join(root, 'd'));
  const file = await localFile(t, 'content');
  let isSwapping = true;
  const swap = async () => {
    for (let turn = 0; isSwapping; turn += 1) {
      try {
        if (turn % 2 === 0) {
          renameSync(join(root, 'd'), join(root, 'kept'));
          symlinkSync(outside, join(root, 'd'));
        } else {
          unlinkSync(join(root, 'd'));
          renameSync(join(root, 'kept'), join(root, 'd'));
        }
      } catch {
        // `store` has created the directory while it was missing: continue with that one.
        rmSync(join(root, 'kept'), { recursive: true, force: true });
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const swapping = swap();
  let storedCount = 0;
  for (let n = 0; n < 150; n += 1) {
    try {
      await broker.store(file, `d/f${n}`, { id: n });
      storedCount += 1;
    } catch (error) {
      // Only these refusals are correct: the link was met, or the directory was missing.
      t.match(error, { code: /^(PATH_NOT_ALLOWED|FILE_NOT_FOUND)$/ });
    }
  }
  isSwapping = false;
  await swapping;
  t.strictSame(await readdir(outside), []);
  t.comment(`${storedCount} of 150 stored`);
});

t.test('host: pipes and directories are not files', async (t) => {
  const { broker, root } = await makeFixture(t);
  await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
  await mkdir(join(root, 'folder'));
  for (const path of ['pipe', 'folder']) {
    t.equal(await broker.stat(path), undefined, path);
    await t.rejects(broker.openRead(path), { code: 'PATH_NOT_ALLOWED' }, path);
    await t.rejects(broker.remove(path), { code: 'PATH_NOT_ALLOWED' }, path);
  }
  t.strictSame(await listed(broker, { recursive: true }), []);
});

t.test('host: names that are not valid UTF-8 are listed, stored and removed', async (t) => {
  const { broker, root } = await makeFixture(t);
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'odd');
  const [entry] = await entries(broker, { recursive: true });
  t.match(entry, { path: 'f\uf7ff\uf7fe', size: 3 });
  t.match(await broker.stat('f\uf7ff\uf7fe'), { size: 3 });
  t.match(await broker.store(await localFile(t, 'other'), 'f\uf7ff\uf7fe', { id: 4 }), {
    path: '4/f\uf7ff\uf7fe',
  });
  t.equal(await broker.remove('f\uf7ff\uf7fe'), 'removed');
  t.strictSame((await readdir(root)).sort(), ['.millrace-workspace', '4']);
});

t.test('host: hidden files, the marker and temporary files are not listed', async (t) => {
  const { broker, put } = await makeFixture(t);
  await put('.hidden', 'x');
  await put('.millrace-17.tmp', 'x');
  await put('.snapshot/old', 'x');
  await put('shown', 'x');
  t.strictSame(await listed(broker, { recursive: true }), ['shown']);
});

t.test('host: a full disk is reported as ENOSPC and leaves no temporary file', async (t) => {
  const root = await directory(t);
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'millrace-test', root]);
  } catch {
    if (process.env.CI === 'true') return t.fail('a small file system cannot be mounted here');
    return t.pass('full disk', { skip: 'needs the right to mount a small tmpfs (run as root)' });
  }
  t.teardown(() => run('umount', [root]));
  const broker = brokerOf(root);
  await broker.check({ claim: true });

  const store = broker.store(await localFile(t, 'x'.repeat(2_000_000)), 'big', { id: 1 });

  await t.rejects(store, { code: 'FILESYSTEM_IO', detail: { errno: 'ENOSPC' } });
  t.strictSame(await readdir(root), ['.millrace-workspace']);
  t.match(await broker.store(await localFile(t, 'small'), 'small', { id: 2 }), { path: 'small' });
});

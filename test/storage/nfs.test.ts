import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { createNfsBroker } from '../../src/storage/nfs.ts';
import { type MountCalls, NfsMount, systemMounts } from '../../src/storage/nfs-mount.ts';
import { type BrokerFixture, listed, localFile, storageConformance } from '../conformance/storage.ts';

const UUID = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0001';
const SOURCE = 'store.example:/export';

/** A double of the mount program, with directories as mounts; `refuse` is the error of further mounts. */
class StandIn implements MountCalls {
  readonly mounted = new Map<string, string>();
  readonly asked: string[] = [];
  refuse: Error | undefined;

  async sourceAt(place: string): Promise<string | undefined> {
    return this.mounted.get(place);
  }

  async mount(source: string, place: string): Promise<void> {
    this.asked.push(`mount ${source}`);
    if (this.refuse !== undefined) throw this.refuse;
    this.mounted.set(place, source);
  }

  async unmount(place: string): Promise<void> {
    this.asked.push('unmount');
    this.mounted.delete(place);
  }
}

async function makeMount(t: Test, source = SOURCE) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-nfs-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const calls = new StandIn();
  const place = join(folder, UUID);
  const mount = new NfsMount({ source, place, calls });
  return { place, calls, mount, broker: createNfsBroker({ workspaceUuid: UUID, agentId: 'agent-1', mount }) };
}

async function makeFixture(t: Test): Promise<BrokerFixture> {
  const { broker, place } = await makeMount(t);
  await broker.check({ claim: true });
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), content);
  };
  return { broker, put };
}

storageConformance(t, makeFixture);

t.test(
  'nfs: an export is mounted once at its first use, and its mount is found after a restart',
  async (t) => {
    const { broker, calls, place } = await makeMount(t);
    t.equal(broker.kind, 'nfs');
    t.strictSame(calls.asked, []);
    t.match(await broker.check({ claim: true }), { isReachable: true });
    await Promise.all([broker.check(), listed(broker, { recursive: true }), broker.stat('x')]);
    t.strictSame(calls.asked, [`mount ${SOURCE}`]);
    const again = new NfsMount({ source: SOURCE, place, calls });
    await again.ensure();
    t.strictSame(calls.asked, [`mount ${SOURCE}`], 'a restart finds the mount');
  },
);

t.test('nfs: without its mount no file is written, and a failed mount is not repeated at once', async (t) => {
  const { broker, calls, place } = await makeMount(t);
  await broker.check({ claim: true });
  calls.mounted.clear();
  calls.refuse = Object.assign(new Error('mount'), {
    code: 32,
    stderr: 'mount.nfs: Connection timed out\nmore',
  });
  await t.rejects(broker.store(await localFile(t, 'x'), 'f', { id: 1 }), {
    code: 'WORKSPACE_UNAVAILABLE',
    message: `cannot mount ${SOURCE}: mount.nfs: Connection timed out`,
  });
  t.notOk(existsSync(join(place, 'f')), 'nothing is written below the mount');
  t.match(await broker.check(), { isReachable: false, isUnmarked: false, reason: /Connection timed out/ });
  t.equal(calls.asked.length, 2, 'it is not tried again for a while');
});

t.test('nfs: another export replaces the mounted one', async (t) => {
  const { calls, place, mount } = await makeMount(t);
  await mount.ensure();
  const other = new NfsMount({ source: 'other.example:/b', place, calls });
  await other.ensure();
  t.strictSame(calls.asked, [`mount ${SOURCE}`, 'unmount', 'mount other.example:/b']);
  await other.unmount();
  t.strictSame([...calls.mounted], []);
  await other.unmount();
  t.equal(calls.asked.length, 4, 'nothing is unmounted twice');
});

t.test('nfs: each failure to mount has a readable reason', async (t) => {
  const causes: readonly [object, RegExp][] = [
    [{ code: 'ENOENT' }, /the program mount is not on this host/],
    [{ killed: true }, /took more than 30 s/],
    [
      { code: 32, stderr: 'bad option; you might need a /sbin/mount.<type> helper program.' },
      /nfs-common is missing/,
    ],
    [{ code: 32, stderr: `unknown filesystem type 'nfs'.` }, /kernel does not support it/],
    [{ code: 32, stderr: '' }, /mount ended with 32/],
  ];
  for (const [cause, reason] of causes) {
    const { mount, calls } = await makeMount(t);
    calls.refuse = Object.assign(new Error('mount'), cause);
    const isRoot = process.getuid?.() === 0;
    await t.rejects(mount.ensure(), {
      code: 'WORKSPACE_UNAVAILABLE',
      message: isRoot ? reason : /cannot mount/,
    });
  }
});

t.test('nfs: a declared path of the host is used without a mount', async (t) => {
  const declaredPath = await mkdtemp(join(tmpdir(), 'millrace-nfs-'));
  t.teardown(() => rm(declaredPath, { recursive: true, force: true }));
  const broker = createNfsBroker({ workspaceUuid: UUID, agentId: 'agent-1', declaredPath, isDeclared: true });
  t.match(await broker.check(), { isReachable: true });
  await broker.store(await localFile(t, 'x'), 'a/f', { id: 1 });
  t.strictSame(await readdir(join(declaredPath, 'a')), ['f']);
});

t.test('nfs: mounts of the system are read, and an export that cannot be mounted is refused', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'millrace-nfs-'));
  t.teardown(() => rm(place, { recursive: true, force: true }));
  t.equal(await systemMounts.sourceAt(place), undefined);
  t.equal(await systemMounts.sourceAt(join(place, 'missing')), undefined);
  t.type(await systemMounts.sourceAt('/proc'), 'string', 'every Linux has this mount');
  const mount = new NfsMount({ source: '127.0.0.1:/no-such-export', place: join(place, 'm') });
  await t.rejects(mount.ensure(), { code: 'WORKSPACE_UNAVAILABLE', message: /^cannot mount 127/ });
});

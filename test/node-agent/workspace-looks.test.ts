/** Looks of an agent at an NFS export that may become a workspace: mounted for the look, elsewhere than for work. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { Workspaces } from '../../node-agent/workspaces.ts';
import type { MountCalls } from '../../src/storage/nfs-mount.ts';

const UUID = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0002';
const SOURCE = 'store.example:/export';
const AT = { uuid: UUID, name: 'export', configuration: JSON.stringify({ type: 'nfs', nfs_path: SOURCE }) };

function bed(t: Test, refuse?: Error) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-looks-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const mounted = new Map<string, string>();
  const places: string[] = [];
  const mountCalls: MountCalls = {
    sourceAt: async (place) => mounted.get(place),
    async mount(source, place) {
      places.push(basename(place));
      if (refuse !== undefined) throw refuse;
      mounted.set(place, source);
    },
    unmount: async (place) => void mounted.delete(place),
  };
  const workspaces = new Workspaces('agent-1', [], { mountFolder: folder, mountCalls });
  return { folder, mounted, places, workspaces };
}

t.test('looks: an export is mounted, looked at, and unmounted', async (t) => {
  const { folder, mounted, places, workspaces } = bed(t);
  t.match(await workspaces.look(AT), { isUnmarked: true }, 'it is there, and may be claimed');
  t.match(await workspaces.look(AT), { isUnmarked: true });
  t.equal(places.length, 2);
  for (const place of places) t.match(place, /^look-/, 'work would find it elsewhere');
  t.not(places[0], places[1], 'two looks at a time are not in each other’s way');
  t.equal(mounted.size, 0);
  t.strictSame(readdirSync(folder), [], 'nothing is left');
});

t.test('looks: an export that cannot be mounted says why, and leaves nothing', async (t) => {
  const refusal = Object.assign(new Error('mount'), { stderr: 'mount.nfs: access denied by server' });
  const { folder, workspaces } = bed(t, refusal);
  const found = await workspaces.look(AT);
  t.equal(found.isReachable, false);
  t.match(found.reason, /^cannot mount store\.example:\/export: \S/);
  t.strictSame(readdirSync(folder), []);
});

t.test('looks: the export of a workspace that is in use is looked at where it is mounted', async (t) => {
  const { places, mounted, workspaces } = bed(t);
  await workspaces.open(AT).check({ claim: true });
  t.strictSame(places, [UUID]);
  t.match(await workspaces.look(AT), { isReachable: true });
  t.strictSame(places, [UUID], 'it is not mounted again');
  t.equal(mounted.size, 1, 'nor taken away');
});

/** A workspace on a file system that is unmounted: the directory that remains does not become the workspace. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { MarkedPlaces } from '../../../node-agent/data/marked-places.ts';
import { Reach } from '../../../node-agent/reach.ts';
import { Workspaces } from '../../../node-agent/workspaces.ts';
import type { WorkspaceReach } from '../../../src/domain/node/agent-messages.ts';
import { needsDisks } from '../../e2e/torture/small-disk.ts';

const UUID = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0003';

t.test(
  'unmounted disk: the directory below it is not marked, by a restarted agent neither',
  needsDisks(),
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-unmounted-'));
    const [disk, at] = [join(folder, 'disk'), join(folder, 'at')];
    // The reason's command is copied into a shell.
    const inner = "it's; touch in";
    const root = join(at, inner);
    const marker = join(root, '.millrace-workspace');
    mkdirSync(join(disk, inner), { recursive: true });
    mkdirSync(root, { recursive: true });
    const mount = (...args: string[]) => t.equal(spawnSync('mount', args).status, 0);
    const unmount = () => spawnSync('umount', [at]).status;
    t.teardown(() => {
      unmount();
      rmSync(folder, { recursive: true });
    });
    const start = async () => {
      const reach = new Reach(new Workspaces('agent-1', []), await MarkedPlaces.open(join(folder, 'places')));
      return async (): Promise<WorkspaceReach | undefined> => {
        let last: WorkspaceReach | undefined;
        reach.onReach = ([one]) => {
          last = one;
        };
        const configuration = JSON.stringify({ type: 'host', host_path: root });
        const workspaces = [{ uuid: UUID, name: 'in', configuration }];
        await reach.ask({ type: 'checkWorkspaces', workspaces, claimUuids: [UUID] });
        return last;
      };
    };

    mount('--bind', disk, at);
    const ask = await start();
    t.match(await ask(), { isReachable: true });
    t.equal(unmount(), 0);
    for (const again of [ask, await start()]) {
      const found = await again();
      t.match(found, { isReachable: false, isUnmarked: false }, 'no other node may mark its own either');
      t.match(found?.reason, `nothing is mounted at ${at} any more`);
      t.notOk(existsSync(marker));
    }

    mount('--bind', disk, at);
    t.match(await ask(), { isReachable: true });
    rmSync(marker);
    t.match(await ask(), { isReachable: true }, 'a lost marker is written again');
    t.equal(unmount(), 0);
    const reason = (await ask())?.reason ?? '';
    const command = reason.slice(reason.indexOf('echo'));
    t.equal(spawnSync('sh', ['-c', command]).status, 0, 'the command of the reason');
    t.match(await ask(), { isReachable: true });
    rmSync(marker);
    t.match(await ask(), { isReachable: true }, 'it is the place now');
  },
);

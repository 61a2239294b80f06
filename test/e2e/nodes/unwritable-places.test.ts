/** Directories that an agent may not write to: another agent marks the workspace, or the same one once it may. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { needsSites, Site } from '../harness/work/sites.ts';
import { clientOf, createWorld } from '../harness/world.ts';

/** Becomes its further arguments, where the first directory can only be read. */
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
const PATIENCE_MS = 120_000;

interface Found {
  readonly warnings: readonly { readonly name: string; readonly description: string }[];
}

t.test(
  'unwritable places: what one agent cannot mark, another marks, or the same one later',
  needsSites(),
  async (t) => {
    const world = await createWorld(t);
    const [first, second] = [new Site(world.folder, 'one'), new Site(world.folder, 'two')];
    const shared = first.directory('shared');
    const alone = first.directory('alone');
    second.directory('shared');
    const grpc = `127.0.0.1:${await freePort()}`;
    const coordinator = await world.start('coordinator', 'coordinator', {
      DATABASE_URL: await migratedDatabase(t),
      MILLRACE_GRPC: grpc,
    });
    const client = clientOf(coordinator);
    const agent = (name: string, within: readonly string[]) =>
      world.start('agent', name, { MILLRACE_COORDINATORS: grpc, MILLRACE_NODE_NAME: name }, within);
    const at = (title: string, path: string) => ({
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
    const made = async (title: string, path: string) =>
      (await client.post<{ readonly id: number }>('/v6/workspaces/', at(title, path))).id;
    const reasonOf = async (id: number) =>
      (await client.get<{ readonly reason: string | null }>(`/v6/workspaces/${id}/`)).reason;
    const isMarked = (site: Site, name: string) => existsSync(join(site.own, name, '.millrace-workspace'));
    const why =
      /host-one.*: it has no marker, and this agent cannot write one: .*\(EROFS\); mount it writable/;

    const readOnly = (path: string) => ['sh', '-c', READ_ONLY, 'read-only', path];
    const one = await agent('host-one', [...first.within, ...readOnly(shared), ...readOnly(alone)]);
    const warnings = await until('the agent has looked', async () => {
      const found = await client.post<Found>('/v6/workspaces/validation/', at('Looked At', shared));
      return found.warnings.every(({ name }) => name !== 'NO_ANSWER') && found.warnings;
    });
    t.match(warnings, [{ name: 'UNREACHABLE_WORKSPACE', description: why }], 'validation tells it before');

    const sharedId = await made('Shared', shared);
    const aloneId = await made('Alone', alone);
    for (const id of [sharedId, aloneId])
      await until('the reason says what keeps the agent from it', async () =>
        why.test((await reasonOf(id)) ?? ''),
      );
    await agent('host-two', second.within);
    await until('the second host has marked its directory', () => isMarked(second, 'shared'), PATIENCE_MS);
    await until('the workspace is reached', async () => (await reasonOf(sharedId)) === null);
    t.notOk(isMarked(first, 'shared'));

    t.match(await reasonOf(aloneId), why, 'the other one still says so');
    const remount = ['mount', '-o', 'remount,bind,rw', alone];
    t.equal(spawnSync('nsenter', ['--mount', '--target', `${one.pid}`, ...remount]).status, 0);
    await until('the first host has marked its directory', () => isMarked(first, 'alone'), PATIENCE_MS);
    await until('the workspace is reached, too', async () => (await reasonOf(aloneId)) === null);
  },
);

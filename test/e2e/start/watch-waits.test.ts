/** `millrace watch` while nothing happens: it says why, and that it continues. */
import { spawnSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { mount, mounting } from '../harness/mounts.ts';
import { until } from '../harness/until.ts';
import { clientOf } from '../harness/world.ts';
import { createPlace, createPlaceOnDatabase, deliver, Typed } from './watch-typed.ts';

const LINE = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out'];

t.test('watch: it says that no node takes its strike, its files or its jobs, and why', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = clientOf(up);
  type Nodes = { readonly results: readonly { readonly id: number; readonly hostname: string }[] };
  // Its agent joins after the service is ready.
  const { id, hostname } = await until(
    'the node is there',
    async () => (await client.get<Nodes>('/v6/nodes/')).results[0],
  );
  const pause = (reason: string) =>
    client.patch(`/v6/nodes/${id}/`, { is_paused: true, pause_reason: reason });
  const resume = () => client.patch(`/v6/nodes/${id}/`, { is_paused: false });

  await pause('new memory');
  const typed = new Typed(cwd, [...LINE, '--server', up.url]);
  const untaken = `note: waiting: no node has taken it yet: ${hostname} is paused \\(new memory\\)`;
  await typed.shows(new RegExp(`^${untaken}$`, 'm'));
  await resume();
  await typed.shows(/^note: it continues$/m);
  await deliver(cwd, 'one', '1');
  await typed.shows(/^done {2}one -> one/m);

  await pause('a new disk');
  await typed.shows(new RegExp(`^note: waiting: no node takes work: ${hostname} is paused$`, 'm'));
  await resume();
  const { results: strikes } = await client.get<{ results: { name: string }[] }>('/v6/strikes/');
  const name = strikes[0]?.name;
  await client.patch(`/v6/job-types/${name}/1.0.0/`, { is_paused: true });
  await deliver(cwd, 'two', '2');
  await typed.shows(/^note: waiting: its job type is paused$/m);
  await client.patch(`/v6/job-types/${name}/1.0.0/`, { is_paused: false });
  await typed.shows(/^done {2}two -> two/m);
  t.equal(typed.output.match(/^note: waiting/gm)?.length, 3, typed.output);

  await rename(join(cwd, 'in'), join(cwd, 'elsewhere'));
  await typed.shows(
    /^note: waiting: no node reaches its workspace: .*'\S+\/in': there is no such file or directory \(ENOENT\)$/m,
  );
  await rename(join(cwd, 'elsewhere'), join(cwd, 'in'));
  await typed.shows(/\(ENOENT\)\n[\s\S]*^note: it continues$/m);
  t.equal(await typed.interrupt(), 0, typed.errors);
});

t.test('watch: it ends when its strike is deleted, and says so', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = clientOf(up);
  const typed = new Typed(cwd, [...LINE, '--server', up.url]);
  await typed.shows(/^watching /m);
  const { results } = await client.get<{ results: { id: number }[] }>('/v6/strikes/');
  const path = `/v6/strikes/${results[0]?.id}/`;
  await client.patch(path, { is_paused: true });
  t.equal((await fetch(new URL(path, up.url), { method: 'DELETE' })).status, 204);
  t.equal(await typed.exited, 5, typed.errors);
  t.match(typed.output, /^note: the strike in-\w+ was deleted meanwhile; the same line makes it again$/m);
});

t.test('watch: a data folder on a disk that is nearly full is named', mounting(), async (t) => {
  const { world, cwd, env } = await createPlaceOnDatabase(t);
  const small = join(world.folder, 'small');
  await mkdir(small);
  t.ok(mount('-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', small));
  t.teardown(() => spawnSync('umount', ['-l', small]));
  await writeFile(join(cwd, 'in/one'), '1');
  const typed = new Typed(cwd, [...LINE, '--data-dir', small], env);
  await typed.shows(
    /^note: waiting: no node has taken it yet: \S+ is degraded \(Low Disk Space: \d+ MiB are free/m,
  );
  t.equal(await typed.interrupt(), 0, typed.errors);
});

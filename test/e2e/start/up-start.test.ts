/** What `millrace up` gets of the shell that starts it, and of a disk that is full. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { processesOf } from '../harness/folder-processes.ts';
import { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { needsDisks, SmallDisk } from '../torture/small-disk.ts';

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  } catch {
    return []; // it has ended
  }
}

t.test('up: neither the database nor a task inherits descriptors of its shell', async (t) => {
  const world = await createWorld(t);
  const secret = join(world.folder, 'secret');
  writeFileSync(secret, 'secret');
  const shell = ['/bin/bash', '-c', `exec 7<${secret} 20<${secret} 63<${secret}; exec "$@"`, 'shell'];
  const up = await world.start('up', 'up', {}, shell);
  const client = clientOf(up);
  const script = '[ "$(ls /proc/self/fd | tr "\\n" " ")" = "0 1 2 3 " ]';
  const typeId = await createJobType(client, { name: 'looks', script, maxTries: 1 });
  await jobIs(client, await queueJob(client, typeId), ['COMPLETED']);
  const programs = processesOf(world.folder);
  t.ok(programs.some(({ commandLine }) => /postgres/.test(commandLine)));
  // What it has itself is closed by exec.
  for (const { pid, commandLine } of programs.filter(({ pid }) => pid !== up.pid))
    t.notOk(openFiles(pid).includes(secret), commandLine);
});

t.test(
  'up: on a full disk it waits, names the reason, and continues when there is room',
  needsDisks(),
  async (t) => {
    const world = await createWorld(t);
    const disk = new SmallDisk(join(world.folder, 'disk'), 400, 0o711);
    const folder = join(disk.folder, 'up');
    const { MILLRACE_JOIN_TOKEN: _, ...given } = world.options('up', 'up').env;
    const options = { ...world.options('up', 'up'), env: { ...given, MILLRACE_DATA_DIR: folder } };
    const waits = (up: Program) =>
      until('it waits', () => /"what":"the (join token|embedded database)".*disk_full/.test(up.log));

    disk.fill();
    const first = Program.launch(options);
    await waits(first);
    t.notOk(first.hasExited);
    disk.free();
    await first.ready();
    t.equal(await first.end('SIGTERM'), 0);
    const files = readdirSync(folder).sort();

    disk.fill();
    const logFile = join(world.folder, 'second.log');
    const second = Program.launch({ ...options, logFile });
    await waits(second);
    disk.free();
    await second.ready();
    t.equal(await second.end('SIGTERM'), 0);
    t.strictSame(readdirSync(folder).sort(), files, 'nothing is left of the starts in vain');
  },
);

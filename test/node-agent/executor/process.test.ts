/** The process executor: what the suite of all executors does not ask. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { systemClock as clock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS } from '../../../node-agent/config.ts';
import { readProcess } from '../../../node-agent/executor/proc.ts';
import { createProcessExecutor } from '../../../node-agent/executor/process/process.ts';
import { TaskSlots } from '../../../node-agent/executor/process/task-slots.ts';
import { Spawner } from '../../../node-agent/executor/spawner/spawner.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { silentLog as log } from '../../support/silent-log.ts';

t.test('process: processes that a task left are ended, and the next idle fork is not', async (t) => {
  const alive = setInterval(() => undefined, 60_000); // the spawner keeps no process alive
  const root = mkdtempSync(join(tmpdir(), 'millrace-process-'));
  const spawner = new Spawner(log);
  const slots = await TaskSlots.open(`millrace-test-process-${process.pid}`, AGENT_DEFAULTS.taskUsers);
  t.teardown(async () => {
    clearInterval(alive);
    await spawner.close();
    await slots.close();
    rmSync(root, { recursive: true, force: true });
  });
  const executor = createProcessExecutor({ profile: 'default', slots, spawner, clock, log });
  const run = async (executionId: number): Promise<{ supervisor: string; left: number }> => {
    const folder = taskFolder(join(root, String(executionId)));
    mkdirSync(folder.root, { mode: 0o700 });
    const identity = {
      executionId,
      jobId: 1,
      exeNum: 1,
      jobTypeName: 'probe',
      jobTypeVersion: '1',
      folder,
      logBytesMax: 1024,
    };
    const task = {
      ...identity,
      image: 'process:default',
      argv: ['/bin/sh', '-c', 'setsid sleep 60 & echo $PPID $!'],
      environment: { OUTPUT_DIR: folder.output },
      mounts: [],
      isRootReadOnly: false,
      resources: { cpus: 1, mem: 64 },
      note: '[]',
    };
    await executor.prepare(task);
    const { ended } = await executor.start(task);
    t.match(await ended, { how: 'exited', exitCode: 0 });
    await executor.release(task);
    const [supervisor = '', left] = readFileSync(folder.stdout, 'utf8').trim().split(' ');
    return { supervisor, left: Number(left) };
  };
  const [first, second] = [await run(1), await run(2)];
  t.equal(second.supervisor, first.supervisor);
  for (const { left } of [first, second]) t.ok((await readProcess(left))?.isZombie ?? true, 'it has ended');
});

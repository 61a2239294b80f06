/**
 * What the processes of a `hello` cost, by the programs that start tasks: the launcher, which is compiled at
 * installation, and Perl, which starts them where there was no compiler. Two tasks at once, as users of their own,
 * without the rest of an agent.
 *
 * Beside it `xargs`, whose processes keep their user and their rights.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  installedSpawners,
  PERL_SPAWNER,
  Spawner,
  type SpawnerCommand,
} from '../../node-agent/executor/spawner/spawner.ts';
import { createLogger } from '../../src/observe/log.ts';
import { ratioOf, runBench } from '../harness/bench.ts';
import { OWN_METER, rate } from '../harness/meter.ts';
import { runToEnd } from '../harness/program.ts';

const HELLO = ['/bin/echo', 'hello'];
const SLOTS = [0, 1];
const FIRST_USER = 1_999_990_000;

const log = createLogger({ level: 'warn' });
const isRoot = process.getuid?.() === 0;

/** Runs a task in each of the folders. */
async function runTasks(spawner: Spawner, folders: readonly string[]): Promise<void> {
  const left = folders.values();
  const inSlot = async (slot: number): Promise<void> => {
    for (const folder of left) {
      const { exited, release } = await spawner.start({
        folder,
        controlGroups: [],
        userId: isRoot ? FIRST_USER + slot : undefined,
        mounts: [],
        argv: HELLO,
        environment: { PATH: '/usr/bin:/bin' },
        note: '{}',
      });
      const exit = await exited;
      if (exit.how !== 'ended' || exit.exitCode !== 0)
        throw new Error(`a task ended: ${JSON.stringify(exit)}`);
      release();
    }
  };
  await Promise.all(SLOTS.map(inSlot));
}

await runBench(import.meta.filename, async (bench) => {
  const tasks = bench.parameter('tasks', 5, 1_000);
  const parent = mkdtempSync(join(tmpdir(), 'millrace-launchers-'));
  // The spawner keeps no process alive.
  const alive = setInterval(() => undefined, 60_000);
  let run = 0;
  const by = (command: SpawnerCommand) => () => {
    run += 1;
    const folders = Array.from({ length: tasks }, (_, n) => join(parent, `${run}-${n}`));
    for (const folder of folders) mkdirSync(join(folder, 'work'), { recursive: true });
    const spawner = new Spawner(log, [command]);
    return rate(tasks, OWN_METER, async () => {
      await runTasks(spawner, folders);
      // Its processes count once it has waited for them.
      await spawner.close();
    });
  };
  const [first = PERL_SPAWNER] = installedSpawners();
  const missing = first === PERL_SPAWNER ? 'there was no compiler' : undefined;
  const lines = `${Array.from({ length: tasks }, (_, n) => String(n)).join('\n')}\n`;
  const xargs = `xargs -P${SLOTS.length}`;
  try {
    const rows = await bench.compare({
      ...{ title: 'hello as a process', unit: 'tasks/s', each: 'task' },
      subjects: [
        { name: 'Perl', work: by(PERL_SPAWNER) },
        { name: 'launcher', isPeer: true, missing, work: by(first) },
        {
          ...{ name: xargs, isPeer: true },
          work: () =>
            rate(tasks, OWN_METER, () => runToEnd(['xargs', `-P${SLOTS.length}`, '-n1', ...HELLO], lines)),
        },
      ],
    });
    bench.aim({
      ...{ text: 'launcher / Perl', wanted: 1.3, bound: 'least', unit: 'x' },
      measured: ratioOf(rows, 'launcher', 'Perl'),
    });
  } finally {
    clearInterval(alive);
    rmSync(parent, { recursive: true, force: true });
  }
});

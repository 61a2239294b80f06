/** The spawner with real processes: what it answers, what outlives it, and its being killed. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readProcess, signalAll } from '../../../node-agent/executor/proc.ts';
import type { SpawnOrder } from '../../../node-agent/executor/spawn-order.ts';
import { Spawner } from '../../../node-agent/executor/spawner.ts';
import { createLogger } from '../../../src/observe/log.ts';

// The spawner keeps no process alive, as the agent's own work does.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

const log = createLogger({ level: 'error', name: 'test' });

function shell(script: string, environment: Record<string, string> = {}): Omit<SpawnOrder, 'id'> {
  return {
    program: '/bin/sh',
    argv: ['-c', script],
    environment: { PATH: '/usr/bin:/bin', ...environment },
  };
}

const parentOf = async (pid: number): Promise<number | undefined> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1]);
};

t.test(
  'spawner: a process leads a session of its own, has its own environment, and its end is told',
  async (t) => {
    const spawner = new Spawner(log);
    t.teardown(() => spawner.close());
    const [one, other, waiting] = await Promise.all([
      spawner.start(shell('[ "$A" = "x y" ] && [ -z "$HOME" ] && exit 7', { A: 'x y' })),
      spawner.start(shell('kill -9 $$')),
      spawner.start(shell('exec sleep 60')),
    ]);
    t.equal((await readProcess(waiting.pid))?.session, waiting.pid);
    t.equal(await one.exited, 7);
    t.equal(await other.exited, null, 'a signal');
    process.kill(waiting.pid, 'SIGINT');
    t.equal(await waiting.exited, null, 'it does not ignore an interrupt');
  },
);

t.test(
  'spawner: an order that cannot be carried out fails by a code that quotes nothing of it',
  async (t) => {
    const spawner = new Spawner(log);
    t.teardown(() => spawner.close());
    await t.rejects(spawner.start({ ...shell(''), program: '/nowhere/sh' }), { message: 'ENOENT' });
    await t.rejects(spawner.start(shell('', { SECRET: 'hidden\0' })), { message: 'ERR_INVALID_ARG_VALUE' });
    await t.rejects(spawner.start(shell('x'.repeat(3_000_000))), { message: 'E2BIG' });
    const { exited } = await spawner.start(shell('exit 3'));
    t.equal(await exited, 3, 'the spawner goes on');
  },
);

t.test(
  'spawner: killed, it leaves what it started to others, and the next order starts another',
  async (t) => {
    const spawner = new Spawner(log);
    t.teardown(() => spawner.close());
    const { pid, exited } = await spawner.start(shell('exec sleep 60'));
    t.teardown(() => signalAll([pid], 'SIGKILL'));
    const killed = (await parentOf(pid)) as number;
    process.kill(killed, 'SIGKILL');
    t.equal(await exited, 'unwatched');
    t.ok(await readProcess(pid), 'still runs');
    const next = await spawner.start(shell('exit 4'));
    t.equal(await next.exited, 4);
  },
);

t.test('spawner: signals of a terminal that are meant for the agent do not end it', async (t) => {
  const spawner = new Spawner(log);
  t.teardown(() => spawner.close());
  const { pid, exited } = await spawner.start(shell('read -r line < /dev/null; exec sleep 60'));
  const spawnerPid = (await parentOf(pid)) as number;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(spawnerPid, signal);
  const next = await spawner.start(shell('exit 5'));
  t.equal(await next.exited, 5);
  t.equal(await parentOf(pid), spawnerPid, 'the same spawner');
  process.kill(pid, 'SIGKILL');
  t.equal(await exited, null);
});

t.test('spawner: closed, it takes no order and leaves no process but what it started', async (t) => {
  const spawner = new Spawner(log);
  const { pid } = await spawner.start(shell('exec sleep 60'));
  t.teardown(() => signalAll([pid], 'SIGKILL'));
  const spawnerPid = (await parentOf(pid)) as number;
  await spawner.close();
  t.notOk(await readProcess(spawnerPid), 'gone');
  t.ok(await readProcess(pid), 'still runs');
  t.throws(() => spawner.start(shell('exit 0')), { message: 'closed' });
  await new Spawner(log).close();
});

/** The spawner with real processes, as Perl and as Node: what it answers, what outlives it, and its being killed. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readProcess, signalAll } from '../../../node-agent/executor/proc.ts';
import type { SpawnOrder } from '../../../node-agent/executor/spawn-order.ts';
import { NODE_SPAWNER, PERL_SPAWNER, Spawner } from '../../../node-agent/executor/spawner.ts';
import { TASK_TAKEN } from '../../../node-agent/executor/supervisor.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { eventually } from '../../support/agent/eventually.ts';

// The spawner keeps no process alive, as the agent's own work does.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

const log = createLogger({ level: 'fatal', name: 'test' });

type Order = Omit<SpawnOrder, 'id'>;

/** A supervisor whose command was just killed may still be noting that: then not yet. */
function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** An order in a folder of its own. */
function shell(t: Test, script: string, environment: Record<string, string> = {}): Order {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-spawner-'));
  t.teardown(() => eventually(() => isRemoved(folder), 'its folder gone'));
  mkdirSync(join(folder, 'work'));
  return {
    folder,
    controlGroups: [],
    userId: undefined,
    argv: ['/bin/sh', '-c', script],
    environment: { PATH: '/usr/bin:/bin', ...environment },
    note: '{"a\\n":"b"}',
  };
}

const noted = ({ folder }: Order, name: string): string => {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return 'nothing';
  }
};

const parentOf = async (pid: number): Promise<number | undefined> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1]);
};

/** The first process that a supervisor has, once it is there. */
async function commandOf(supervisor: number): Promise<number> {
  const children = () => readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8').trim();
  await eventually(() => children() !== '', 'the command');
  return Number(children().split(' ')[0]);
}

for (const [name, command] of Object.entries({ Perl: PERL_SPAWNER, Node: NODE_SPAWNER })) {
  const open = (t: Test): Spawner => {
    const spawner = new Spawner(log, [command]);
    t.teardown(() => spawner.close());
    return spawner;
  };

  t.test(
    `spawner in ${name}: a command has a session and an environment of its own, its end is noted`,
    async (t) => {
      const spawner = open(t);
      const well = shell(
        t,
        [
          'echo said; echo complained >&2; tr "\\0" "\\n" < /proc/$$/environ; umask; ulimit -c; pwd',
          '[ "$A" = "x y" ] && exit 7',
        ].join('; '),
        {
          A: 'x y',
          LD_LIBRARY_PATH: '/nowhere',
          'no-name.of a shell': 'kept',
        },
      );
      const signalled = shell(t, 'kill -9 $$');
      const waiting = shell(t, 'exec sleep 60');
      const [one, other, third] = await Promise.all(
        [well, signalled, waiting].map((order) => spawner.start(order)),
      );
      t.equal(await one?.exited, 0);
      t.equal(noted(well, 'exit'), '7\n');
      t.equal(noted(well, 'stderr'), 'complained\n');
      t.strictSame(
        noted(well, 'stdout')
          .split('\n')
          .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))
          .sort(),
        [
          '',
          '0',
          '0022',
          'A=x y',
          'LD_LIBRARY_PATH=/nowhere',
          'PATH=/usr/bin:/bin',
          join(well.folder, 'work'),
          'no-name.of a shell=kept',
          'said',
        ].sort(),
      );
      t.equal(Number.parseInt(noted(well, 'supervisor'), 10), one?.pid);
      t.equal(noted(well, 'supervisor').split('\n')[1], well.note);
      t.equal(await other?.exited, 0);
      t.equal(noted(signalled, 'exit'), '137\n');
      const pid = third?.pid as number;
      const task = await commandOf(pid);
      t.equal((await readProcess(task))?.session, pid);
      t.match(readFileSync(`/proc/${task}/status`, 'utf8'), /SigBlk:\t0+\nSigIgn:\t0+\n/);
      process.kill(task, 'SIGINT');
      t.equal(await third?.exited, 0);
      t.equal(noted(waiting, 'exit'), '130\n', 'it does not ignore an interrupt');
    },
  );

  t.test(`spawner in ${name}: a supervisor that is killed is told, and notes nothing`, async (t) => {
    const spawner = open(t);
    const order = shell(t, 'exec sleep 60');
    const { pid, exited } = await spawner.start(order);
    const task = await commandOf(pid);
    t.teardown(() => signalAll([task], 'SIGKILL'));
    process.kill(pid, 'SIGKILL');
    t.equal(await exited, null, 'a signal');
    t.equal(noted(order, 'exit'), 'nothing');
    t.ok(await readProcess(task), 'the command still runs');
  });

  t.test(`spawner in ${name}: of two supervisors for one task, one runs it`, async (t) => {
    const spawner = open(t);
    const order = shell(t, 'echo once; sleep 0.2');
    const both = await Promise.all([order, order].map((one) => spawner.start(one)));
    t.strictSame((await Promise.all(both.map(({ exited }) => exited))).sort(), [0, TASK_TAKEN]);
    t.equal(noted(order, 'stdout'), 'once\n');
  });

  t.test(`spawner in ${name}: a command that cannot begin says why, and quotes nothing of it`, async (t) => {
    const spawner = open(t);
    t.throws(() => spawner.start(shell(t, '', { SECRET: 'hidden\0' })), { message: 'EINVAL' });
    const end = async (order: Order): Promise<string> => {
      const outcome = await spawner.start(order).then(
        ({ exited }) => exited,
        (error: Error) => error.message,
      );
      return `${outcome} ${noted(order, 'exit')} ${noted(order, 'fault')}`;
    };
    t.match(
      await end(shell(t, 'x'.repeat(3_000_000))),
      /^(E2BIG|0 125\n cannot be started: Argument list too long\n$)/,
    );
    t.match(await end({ ...shell(t, ''), argv: ['/nowhere/sh'] }), /^0 127\n nothing$/);
    t.match(await end({ ...shell(t, ''), argv: ['/etc/passwd'] }), /^0 126\n nothing$/);
    const grouped = { ...shell(t, ''), controlGroups: ['/nowhere'] };
    t.match(await end(grouped), /^0 125\n cannot enter its control group\n$/);
    t.match(await end(shell(t, 'exit 125')), /^0 125\n nothing$/, 'its own code');
    const nowhere = { ...shell(t, 'exit 0'), folder: '/nowhere' };
    t.match(await end(nowhere), /^111 /);
    t.match(await end(shell(t, 'exit 3')), /^0 3\n nothing$/, 'the spawner goes on');
  });

  t.test(
    `spawner in ${name}: a task is an unprivileged user`,
    { skip: process.getuid?.() !== 0 && 'needs root' },
    async (t) => {
      const spawner = open(t);
      const order = { ...shell(t, 'id -u; id -g; id -G; cat /proc/self/status'), userId: 54_321 };
      await (await spawner.start(order)).exited;
      t.equal(noted(order, 'exit'), '0\n', noted(order, 'stderr'));
      const said = noted(order, 'stdout');
      t.match(said, /^54321\n54321\n54321\n/);
      t.match(said, /Groups:\s*\n/);
      t.match(
        said,
        /CapInh:\s+0+\nCapPrm:\s+0+\nCapEff:\s+0+\nCapBnd:\s+0+\nCapAmb:\s+0+\nNoNewPrivs:\s+1\n/,
      );
    },
  );

  t.test(
    `spawner in ${name}: killed, it leaves what it started to others, and the next order starts another`,
    async (t) => {
      const spawner = open(t);
      const { pid, exited } = await spawner.start(shell(t, 'exec sleep 60'));
      const task = await commandOf(pid);
      t.teardown(() => signalAll([task], 'SIGKILL'));
      process.kill((await parentOf(pid)) as number, 'SIGKILL');
      t.equal(await exited, 'unwatched');
      t.ok((await readProcess(pid)) && (await readProcess(task)), 'both still run');
      const next = shell(t, 'exit 4');
      t.equal(await (await spawner.start(next)).exited, 0);
      t.equal(noted(next, 'exit'), '4\n');
    },
  );

  t.test(
    `spawner in ${name}: signals of a terminal that are meant for the agent do not end it`,
    async (t) => {
      const spawner = open(t);
      const { pid, exited } = await spawner.start(shell(t, 'exec sleep 60'));
      const spawnerPid = (await parentOf(pid)) as number;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(spawnerPid, signal);
      const next = shell(t, 'exit 5');
      t.equal(await (await spawner.start(next)).exited, 0);
      t.equal(await parentOf(pid), spawnerPid, 'the same spawner');
      process.kill(await commandOf(pid), 'SIGKILL');
      t.equal(await exited, 0);
    },
  );

  t.test(
    `spawner in ${name}: closed, it takes no order and leaves no process but what it started`,
    async (t) => {
      const spawner = new Spawner(log, [command]);
      const { pid } = await spawner.start(shell(t, 'exec sleep 60'));
      const task = await commandOf(pid);
      t.teardown(() => signalAll([task], 'SIGKILL'));
      const spawnerPid = (await parentOf(pid)) as number;
      await spawner.close();
      t.notOk(await readProcess(spawnerPid), 'gone');
      t.ok(await readProcess(pid), 'still runs');
      t.throws(() => spawner.start(shell(t, 'exit 0')), { message: 'closed' });
      await new Spawner(log, [command]).close();
    },
  );
}

t.test('spawner: a program that does not get ready gives way to the next', async (t) => {
  const spawner = new Spawner(log, [['/nowhere/perl'], ['/bin/false'], PERL_SPAWNER]);
  t.teardown(() => spawner.close());
  const order = shell(t, 'exit 6');
  await t.rejects(spawner.start(order), { message: 'unwatched' });
  t.equal(await (await spawner.start(order)).exited, 0);
  t.equal(noted(order, 'exit'), '6\n');
});

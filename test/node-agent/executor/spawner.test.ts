/** The spawner with real processes, in C and in Perl: what it answers, what outlives it, and its being killed. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readProcess, signalAll } from '../../../node-agent/executor/proc.ts';
import { encodeOrder, type SuperviseRequest } from '../../../node-agent/executor/spawner/spawn-order.ts';
import { type Exit, PERL_SPAWNER, Spawner } from '../../../node-agent/executor/spawner/spawner.ts';
import { beginSupervised, exitOf } from '../../../node-agent/executor/spawner/supervisor.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { bothSpawners } from '../../support/agent/spawners.ts';

// The spawner keeps no process alive, as the agent's own work does.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

const log = createLogger({ level: 'fatal', name: 'test' });

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
function shell(t: Test, script: string, environment: Record<string, string> = {}): SuperviseRequest {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-spawner-'));
  t.teardown(() => eventually(() => isRemoved(folder), 'its folder gone'));
  mkdirSync(join(folder, 'work'));
  return {
    folder,
    controlGroups: [],
    userId: undefined,
    mounts: [],
    argv: ['/bin/sh', '-c', script],
    environment: { PATH: '/usr/bin:/bin', ...environment },
    note: '{"a\\n":"b"}',
  };
}

const noted = ({ folder }: SuperviseRequest, name: string): string => {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return 'nothing';
  }
};

/** How its command ended, as told or noted: the exit code, and why it did not begin. */
const endOf = ({ folder }: SuperviseRequest, exit: Exit | undefined): string => {
  const end = exitOf(exit, taskFolder(folder));
  return end === undefined ? `${exit?.how}` : `${end.exitCode} ${end.fault}`.trim();
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

for (const [name, command] of Object.entries(bothSpawners(t))) {
  const open = (t: Test): Spawner => {
    const spawner = new Spawner(log, [command]);
    t.teardown(() => spawner.close());
    return spawner;
  };

  t.test(
    `spawner in ${name}: a command has its own session and environment, and its end is recorded`,
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
      t.equal(endOf(well, await one?.exited), '7');
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
      t.equal(endOf(signalled, await other?.exited), '137');
      const pid = third?.pid as number;
      const task = await commandOf(pid);
      // Its start is told before it becomes the command.
      const nameOf = () => readFileSync(`/proc/${task}/comm`, 'utf8').trim();
      await eventually(() => nameOf() === 'sleep', 'the command to run');
      t.equal((await readProcess(task))?.session, pid);
      t.match(readFileSync(`/proc/${task}/status`, 'utf8'), /SigBlk:\t0+\nSigIgn:\t0+\n/);
      process.kill(task, 'SIGINT');
      t.equal(endOf(waiting, await third?.exited), '130', 'it does not ignore an interrupt');
    },
  );

  t.test(`spawner in ${name}: a killed supervisor is reported, and records nothing`, async (t) => {
    const spawner = open(t);
    const order = shell(t, 'exec sleep 60');
    const { pid, exited } = await spawner.start(order);
    const task = await commandOf(pid);
    t.teardown(() => signalAll([task], 'SIGKILL'));
    process.kill(pid, 'SIGKILL');
    t.strictSame(await exited, { how: 'killed' });
    t.equal(noted(order, 'exit'), 'nothing');
    t.ok(await readProcess(task), 'the command still runs');
  });

  const together = async (t: Test, order: SuperviseRequest): Promise<void> => {
    const spawner = open(t);
    const both = await Promise.all([order, order].map((one) => spawner.start(one)));
    const ends = await Promise.all(both.map(({ exited }) => exited));
    t.equal(ends.filter(({ how }) => how === 'taken').length, 1);
    t.same(
      ends.filter(({ how }) => how !== 'taken').map((end) => endOf(order, end)),
      ['0'],
    );
    t.equal(noted(order, 'stdout'), 'once\n');
    t.equal(noted(order, 'supervisor').split('\n')[1], order.note);
  };

  t.test(`spawner in ${name}: of two supervisors for one task, only one runs it`, async (t) => {
    await together(t, shell(t, 'echo once; sleep 0.2'));
  });

  t.test(`spawner in ${name}: of two, only one gets the spare file of a used folder`, async (t) => {
    const order = shell(t, 'echo once; sleep 0.2');
    for (const file of ['stdout', 'stderr']) writeFileSync(join(order.folder, file), '');
    writeFileSync(join(order.folder, 'spare'), `1 (x)\n${'secret'.repeat(1_000)}\n`);
    const { ino } = statSync(join(order.folder, 'spare'));
    await together(t, order);
    t.notMatch(noted(order, 'supervisor'), 'secret');
    t.equal(noted(order, 'spare'), 'nothing');
    // The one that got it runs the task, or was overtaken by the other, which made a file of its own.
    const having = readdirSync(order.folder).filter((name) => statSync(join(order.folder, name)).ino === ino);
    t.equal(having.length, 1);
    t.match(having[0], /^(supervisor|claim-\d+)$/);
    const claimed = statSync(join(order.folder, 'supervisor')).ino;

    // As if a later supervisor came while the task has made a file of that name.
    writeFileSync(join(order.folder, 'spare'), '');
    t.equal((await (await open(t).start(order)).exited).how, 'taken');
    t.equal(noted(order, 'supervisor').split('\n')[1], order.note);
    t.equal(statSync(join(order.folder, 'supervisor')).ino, claimed);
  });

  t.test(`spawner in ${name}: a supervisor takes over the spare file of a used folder`, async (t) => {
    const order = shell(t, 'exit 0');
    writeFileSync(join(order.folder, 'spare'), `1 (x)\n${'secret'.repeat(1_000)}\n`);
    const { ino } = statSync(join(order.folder, 'spare'));
    t.equal(endOf(order, await (await open(t).start(order)).exited), '0');
    t.equal(statSync(join(order.folder, 'supervisor')).ino, ino);
    t.notMatch(noted(order, 'supervisor'), 'secret');
    t.equal(noted(order, 'spare'), 'nothing');
  });

  t.test(`spawner in ${name}: a command that cannot start says why, without quoting it`, async (t) => {
    const spawner = open(t);
    t.throws(() => spawner.start(shell(t, '', { SECRET: 'hidden\0' })), { message: 'EINVAL' });
    const end = async (order: SuperviseRequest): Promise<string> => {
      return spawner.start(order).then(
        async ({ exited }) => endOf(order, await exited),
        (error: Error) => error.message,
      );
    };
    t.match(
      await end(shell(t, 'x'.repeat(3_000_000))),
      /^(E2BIG|125 cannot be started: Argument list too long)$/,
    );
    t.equal(await end({ ...shell(t, ''), argv: ['/nowhere/sh'] }), '127');
    t.equal(await end({ ...shell(t, ''), argv: ['/etc/passwd'] }), '126');
    const grouped = { ...shell(t, ''), controlGroups: ['/nowhere'] };
    t.equal(await end(grouped), '125 cannot enter its control group');
    t.equal(await end(shell(t, 'exit 125')), '125', 'its own code');
    const nowhere = { ...shell(t, 'exit 0'), folder: '/nowhere' };
    t.equal(await end(nowhere), 'taken');
    t.equal(await end(shell(t, 'exit 3')), '3', 'the spawner continues');
  });

  t.test(
    `spawner in ${name}: a task is an unprivileged user`,
    { skip: process.getuid?.() !== 0 && 'needs root' },
    async (t) => {
      const spawner = open(t);
      const order = { ...shell(t, 'id -u; id -g; id -G; cat /proc/self/status'), userId: 54_321 };
      const { exited } = await spawner.start(order);
      t.equal(endOf(order, await exited), '0', noted(order, 'stderr'));
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
    `spawner in ${name}: a command has the mounts of its order, and the host does not`,
    { skip: process.getuid?.() !== 0 && 'needs root' },
    async (t) => {
      const spawner = open(t);
      t.equal(await spawner.mountObstacle(), undefined);
      const order = shell(
        t,
        'cd ..; echo x > place/file && cat place/shown/seen; ls place; ls /proc/self/fd',
      );
      const at = (path: string) => join(order.folder, path);
      for (const path of ['place', 'shown']) mkdirSync(at(path));
      writeFileSync(at('shown/seen'), 'seen\n');
      const mounts = [
        { kind: 'tmpfs', source: 'size=1m,mode=1777', target: at('place') },
        { kind: 'folder', source: '', target: at('place/shown') },
        { kind: 'bind', source: at('shown'), target: at('place/shown') },
      ] as const;
      const { exited } = await spawner.start({ ...order, mounts });
      t.equal(endOf(order, await exited), '0', noted(order, 'stderr'));
      t.equal(noted(order, 'stdout'), 'seen\nfile\nshown\n0\n1\n2\n3\n');
      t.strictSame(readdirSync(at('place')), []);

      const lacking = shell(t, 'echo begun');
      const step = { kind: 'bind', source: '/nowhere', target: '/tmp' } as const;
      const end = endOf(lacking, await (await spawner.start({ ...lacking, mounts: [step] })).exited);
      t.match(end, /^125 cannot have temporary folders of its own: bind \/tmp/);
      t.notMatch(noted(lacking, 'stdout'), 'begun');
    },
  );

  t.test(
    `spawner in ${name}: after a kill its supervisors go on, and the next order starts another`,
    async (t) => {
      const spawner = open(t);
      const { pid, exited } = await spawner.start(shell(t, 'exec sleep 60'));
      const task = await commandOf(pid);
      t.teardown(() => signalAll([task], 'SIGKILL'));
      process.kill((await parentOf(pid)) as number, 'SIGKILL');
      t.strictSame(await exited, { how: 'unwatched' });
      t.ok((await readProcess(pid)) && (await readProcess(task)), 'both still run');
      const next = shell(t, 'exit 4');
      t.equal(endOf(next, await (await spawner.start(next)).exited), '4');
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
      t.equal(endOf(next, await (await spawner.start(next)).exited), '5');
      t.equal(await parentOf(pid), spawnerPid, 'the same spawner');
      process.kill(await commandOf(pid), 'SIGKILL');
      t.not((await exited).how, 'killed');
    },
  );

  t.test(`spawner in ${name}: once closed it takes no order, and leaves only its supervisors`, async (t) => {
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
  });

  t.test(`spawner in ${name}: a supervisor that was released runs the next task of its user`, async (t) => {
    const spawner = open(t);
    const run = async (order: SuperviseRequest): Promise<number> => {
      const { pid, exited, release } = await spawner.start(order);
      t.equal(endOf(order, await exited), '0', noted(order, 'stderr'));
      release();
      release();
      return pid;
    };
    const first = await run(shell(t, 'exit 0', { SECRET: 'of the first' }));
    const next = shell(t, '! grep -a "of the first" /proc/$PPID/environ /proc/$$/environ; echo $PPID');
    t.equal(await run(next), first);
    t.equal(noted(next, 'stdout'), `${first}\n`);
    const busy = await spawner.start(shell(t, 'exec sleep 60'));
    t.not(await run(shell(t, 'exit 0')), busy.pid, 'one task at a time');
    process.kill(await commandOf(busy.pid), 'SIGKILL');
    await busy.exited;
    const unrecorded = await spawner.start(shell(t, 'exit 0'));
    t.not(unrecorded.pid, busy.pid, 'one whose task is not recorded keeps its end');
  });

  t.test(
    `spawner in ${name}: an end that nobody recorded is written down when the spawner is killed`,
    async (t) => {
      const spawner = open(t);
      const orders = [
        shell(t, 'exit 8'),
        shell(t, 'exit 125'),
        { ...shell(t, ''), controlGroups: ['/nowhere'] },
      ];
      const all = await Promise.all(orders.map((order) => spawner.start(order)));
      await Promise.all(all.map(({ exited }) => exited));
      t.same(
        orders.map((order) => noted(order, 'exit')),
        ['nothing', 'nothing', 'nothing'],
      );
      process.kill((await parentOf(all[0]?.pid as number)) as number, 'SIGKILL');
      for (const { pid } of all)
        await eventually(async () => !(await readProcess(pid)), 'the supervisor gone');
      t.same(
        orders.map((order) => endOf(order, { how: 'unwatched' })),
        ['8', '125', '125 cannot enter its control group'],
      );
    },
  );

  t.test(`spawner in ${name}: an idle fork may be killed`, async (t) => {
    const spawner = open(t);
    const first = await spawner.start(shell(t, 'exit 0'));
    const end = await first.exited;
    first.release();
    const standby = await commandOf(first.pid);
    t.match(end, { standbyPid: standby });
    process.kill(standby, 'SIGKILL');
    const next = shell(t, 'exit 9');
    // Ordered from one that is about to be gone, it is not known whether it has begun: then it is ordered again.
    const { exited } = await beginSupervised(spawner, next);
    t.equal(endOf(next, await exited), '9');
  });

  t.test(`spawner in ${name}: a command survives an answer that a killed agent never read`, async (t) => {
    const [program, ...args] = command;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    child.stdout.destroy();
    const order = shell(t, 'echo begun; exit 7');
    child.stdin.write(encodeOrder({ ...order, id: 1, supervisor: 1 }));
    await eventually(() => noted(order, 'supervisor') !== 'nothing', 'the supervisor to have it');
    child.stdin.end();
    await eventually(() => noted(order, 'exit') !== 'nothing', 'its end noted');
    t.match(noted(order, 'exit'), /^7( \d+){4}\n$/, 'with what it used');
  });
}

t.test('spawner: a program that does not become ready is replaced by the next', async (t) => {
  const spawner = new Spawner(log, [['/nowhere/perl'], ['/bin/false'], PERL_SPAWNER]);
  t.teardown(() => spawner.close());
  const order = shell(t, 'exit 6');
  await t.rejects(spawner.start(order), { message: 'unwatched' });
  t.equal(endOf(order, await (await spawner.start(order)).exited), '6');
});

/**
 * How a container of the `oci` executor is closed in: the same for every runtime. What a runtime shows is kept, so that
 * the callers can hold the runtimes against each other.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { outOfMemoryKills } from '../../../node-agent/executor/cgroup.ts';
import type { MainTask } from '../../../node-agent/executor/executor.ts';
import { TaskFailure } from '../../../node-agent/task/task-failure.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { beginSignalled, type ExecutorBed, output, type Place, placeFor } from '../executor-bed.ts';
import { groupsOfTask, isLimitedToDevices, processesIn, readGroup } from './host-view.ts';

/** What containers of a runtime showed, by subject. Lines of mounts are `<path> <flags> <type>`. */
export type Shown = Map<string, string>;

export interface Containment {
  readonly bed: ExecutorBed;
  readonly shown: Shown;
  /** First user id of the host for users of containers, and how many there are. */
  readonly mappedUsers: { readonly first: number; readonly count: number };
  /** The program of syscalls.c; undefined without a compiler. */
  readonly syscalls: string | undefined;
}

type Case = (t: Test, place: Place, containment: Containment) => Promise<unknown>;

/** The output of a script that ends well. */
export async function said(t: Test, place: Place, script: string, more?: Partial<MainTask>): Promise<string> {
  const { task, ended } = await place.begin(script, more);
  t.match(await ended, { how: 'exited', exitCode: 0 }, readFileSync(task.folder.stderr, 'utf8'));
  return output(task);
}

const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
const NODES = 'fd full null ptmx pts random shm stderr stdin stdout tty urandom zero'.split(' ');
const MIB = 1024 * 1024;

/** With ids and names of folders that differ from container to container left out. */
function mountsOf(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => {
      const [, , , , at = '', flags = ''] = line.split(' ');
      const type = line.split(' - ')[1]?.split(' ')[0] ?? '';
      return `${at} ${flags} ${type}`;
    });
  return lines.sort().join('\n');
}

const CASES: Readonly<Record<string, Case>> = {
  'it has namespaces of its own': async (t, place, { shown }) => {
    const links = NAMESPACES.map((name) => `/proc/self/ns/${name}`);
    const text = await said(
      t,
      place,
      `for link in ${links.join(' ')}; do busybox readlink $link; done; busybox hostname`,
    );
    const lines = text.trim().split('\n');
    t.equal(lines.length, NAMESPACES.length + 1);
    for (const [index, link] of links.entries()) {
      t.match(lines[index], /^\w+:\[\d+\]$/);
      t.not(lines[index], readlinkSync(link), link);
    }
    shown.set('host name', lines.at(-1) as string);
  },

  'its users are mapped, and it has no rights': async (t, place, { mappedUsers, shown }) => {
    const { first, count } = mappedUsers;
    const text = await said(t, place, 'cat /proc/self/uid_map /proc/self/gid_map /proc/self/status');
    const [users, groups] = text.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    t.strictSame(
      [users, groups],
      [
        [0, first, count],
        [0, first, count],
      ],
    );
    const facts = text.split('\n').filter((line) => /^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp:)/.test(line));
    shown.set('rights', facts.join('\n'));
    t.match(text, /^Uid:(\s+65534){4}$/m);
    t.match(text, /^Gid:(\s+65534){4}$/m);
    t.match(text, /^Groups:\s*$/m);
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      t.match(text, new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    t.match(text, /^NoNewPrivs:\s+1$/m);
    t.match(text, /^Seccomp:\s+2$/m);
  },

  'what it sees of /proc and /sys is masked or read-only': async (t, place, { shown }) => {
    const mounts = mountsOf(await said(t, place, 'cat /proc/self/mountinfo'));
    shown.set('mounts', mounts);
    const at = (path: string) => mounts.split('\n').find((line) => line.startsWith(`${path} `)) ?? '';
    for (const path of ['/proc/sys', '/proc/fs', '/proc/irq', '/proc/bus', '/sys'])
      if (existsSync(path)) t.match(at(path), / ro,nosuid,nodev,noexec/, path);
    for (const path of ['/proc/acpi', '/sys/firmware', '/proc/scsi'])
      if (existsSync(path)) t.match(at(path), / ro,\S* tmpfs$/, path);
    t.match(at('/'), /^\/ rw,\S*nodev\S* overlay$/);
    t.match(at('/proc'), / rw,nosuid,nodev,noexec/);
    const masked = ['kcore', 'keys', 'interrupts', 'timer_list', 'sched_debug'].map(
      (name) => `/proc/${name}`,
    );
    t.equal(await said(t, place, `cat ${masked.join(' ')} 2>/dev/null; ls -A /sys/firmware; true`), '');
    t.match(await said(t, place, 'cat /proc/self/cgroup'), /^(\d+:[^:]*:\/\n)+$/, 'its groups are the root');
  },

  'it has the usual devices and no others': async (t, place, { shown }) => {
    const text = await said(
      t,
      place,
      'ls /dev; busybox stat -c "%n %F %t:%T %a" /dev/*; echo x > /dev/null; busybox head -c 3 /dev/zero | wc -c; ' +
        'busybox mknod /tmp/disk b 8 0 2>/dev/null || echo refused; ls -A /dev/pts /dev/shm',
    );
    t.strictSame(
      text
        .split('\n')
        .slice(0, text.split('\n').indexOf('zero') + 1)
        .filter((name) => name !== 'core' && name !== 'mqueue'),
      NODES,
    );
    t.match(text, /^refused$/m);
    shown.set('devices', text.replaceAll(/^core\n/gm, ''));
  },

  'its shared memory is as large as it asked for': async (t, place) => {
    const script = "busybox stat -f -c '%S %b' /dev/shm | { read s b; echo $((s * b / 1048576)); }";
    t.equal(await said(t, place, script), '64\n');
    const resources = { cpus: 1, mem: 64, sharedmem: 5 };
    t.equal(await said(t, place, script, { resources }), '5\n');
  },

  'its mounts have the rights that they are given': async (t, place, { shown }) => {
    const folder = join(place.folder, 'mounted');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const source = { type: 'host', hostPath: folder } as const;
    const mounts = ['/read', '/write', '/made/on/the/way'].map((containerPath, index) => {
      return { name: `M${index}`, containerPath, isReadOnly: index !== 1, source };
    });
    const script =
      'cat /proc/self/mountinfo; touch /read/x 2>/dev/null || echo read-only; touch /write/x; ls /read';
    const text = await said(t, place, script, { mounts, isRootReadOnly: true });
    const all = mountsOf(text.slice(0, text.indexOf('read-only')));
    shown.set('mounts of a task', all);
    t.match(all, /^\/read ro,nosuid,nodev,/m);
    t.match(all, /^\/write rw,nosuid,nodev,/m);
    t.match(all, /^\/made\/on\/the\/way ro,nosuid,nodev,/m);
    t.match(all, /^\/ ro,/m, 'the root is read-only');
    t.match(text, /read-only\nx\n$/);
  },

  'it gets no descriptor of anybody': async (t, place) => {
    const read = 'for pid in self 1; do busybox readlink /proc/$pid/fd/0; done; cat | wc -c';
    const text = await said(t, place, `ls /proc/self/fd; ${read}`);
    // The fourth is how `ls` reads the folder. runc relays standard input.
    t.match(text, /^0\n1\n2\n3\n((\/dev\/null|pipe:\[\d+\])\n){2}0\n$/);
  },

  'its outputs are pipes, which it can open again': async (t, place) => {
    const script =
      'echo one > /dev/stdout; echo two > /proc/self/fd/2; for n in 1 2; do busybox readlink /proc/self/fd/$n; done; ' +
      'busybox truncate -s 1000000000 /dev/stdout 2>/dev/null; head -c 300000 /dev/zero';
    const { task, ended } = await place.begin(script);
    t.match(await ended, { how: 'exited', exitCode: 0 });
    t.match(output(task).slice(0, -300_000), /^one\n(pipe:\[\d+\]\n){2}$/);
    t.equal(output(task).slice(-300_000), '\0'.repeat(300_000), 'what it wrote last');
    t.equal(readFileSync(task.folder.stderr, 'utf8'), 'two\n');
  },

  'its environment is that of the task and the image': async (t, place, { shown }) => {
    const text = await said(t, place, 'env -u SHLVL -u PWD env', {
      environment: { LINES: 'a\nb', EMPTY: '' },
    });
    shown.set('environment', text.split('\n').sort().join('\n'));
    t.match(text, /^HOME=\/$/m, 'of its user');
    t.match(await said(t, place, 'echo $HOME', { environment: { HOME: '/tmp' } }), '/tmp\n');
    t.match(await said(t, place, 'echo $HOME', { environment: { HOME: '' } }), '/\n');
  },

  'its limits are set before it begins': async (t, place, { shown }) => {
    const resources = { cpus: 0.5, mem: 48 };
    const task = place.task(
      'cat /proc/self/oom_score_adj; busybox grep core /proc/self/limits; sleep 600; true',
      {
        resources,
      },
    );
    await place.executor.pull(task.image, new AbortController().signal);
    await place.executor.prepare(task);
    const run = await place.executor.start(task);
    await eventually(() => output(task).includes('core'), 'it to begin');
    t.match(output(task), /^500\nMax core file size\s+0\s+0\s/);
    const groups = groupsOfTask(task);
    const limits = readGroup(groups);
    shown.set('limits', JSON.stringify(limits));
    t.match(limits, { memory: 48 * MIB, processes: 1024, quota: 50_000, period: 100_000 });
    t.ok(isLimitedToDevices(groups), 'few devices');
    if (limits.swap !== undefined) t.equal(limits.swap, 48 * MIB, 'no swap in addition');
    t.equal(processesIn(groups).length, 2, 'the shell and what it runs are in all groups');
    await run.signal('SIGKILL');
    t.match(await run.ended, { exitCode: 137, isKilled: true, isOutOfMemory: false });
    t.strictSame(processesIn(groups), []);
    await place.executor.release(task);
    t.strictSame(groupsOfTask(task), [], 'its groups are removed');
    rmSync(task.folder.root, { recursive: true }); // nothing is found of it any more
  },

  'what is ended for its memory is told apart, also below its program': async (t, place) => {
    const { task, ended } = await place.begin('(x=a; while :; do x=$x$x$x; done); exit 3', {
      resources: { cpus: 1, mem: 16 },
    });
    t.match(await ended, { how: 'exited', exitCode: 3, isOutOfMemory: true });
    t.ok(groupsOfTask(task).some((directory) => outOfMemoryKills(directory) > 0));
  },

  'its program is the first process, and takes over orphans': async (t, place) => {
    const orphan = '(sh -c "sleep 0.3; grep PPid /proc/self/status > /tmp/parent" & exit 0)';
    const script =
      `echo $$; ${orphan}; while ! [ -s /tmp/parent ]; do sleep 0.05; done; cat /tmp/parent; wait; ` +
      'sleep 0.1; grep -h "^State.*Z" /proc/[0-9]*/status; true';
    const text = await said(t, place, script);
    t.match(text, /^1\nPPid:\s+\d+\n$/, 'nothing that ended is left');
  },

  'signals and exit codes are those of the program': async (t, place) => {
    for (const [script, exitCode] of [
      ['exit 0', 0],
      ['exit 255', 255],
      ["sh -c 'kill -SEGV $$'; exit $?", 139],
    ] as const) {
      const { ended } = await place.begin(script);
      t.match(await ended, { how: 'exited', exitCode }, script);
    }
    const { task, ended, signal } = await beginSignalled(place, 'trap "echo told" TERM');
    await signal('SIGTERM');
    await eventually(() => output(task).includes('told'), 'it to be told');
    await signal('SIGKILL');
    t.match(await ended, { exitCode: 137, isOutOfMemory: false });
  },

  'killing its program ends everything in it': async (t, place) => {
    const stubborn = 'trap "" TERM HUP; while :; do sleep 1; done';
    const hidden = `(busybox setsid sh -c '${stubborn}' & exit 0)`;
    const { task, ended, signal } = await beginSignalled(place, hidden);
    const groups = groupsOfTask(task);
    await eventually(() => processesIn(groups).length > 2, 'what it hides');
    await signal('SIGKILL');
    await ended;
    t.strictSame(processesIn(groups), []);
  },

  'it ends with the process that watches it': async (t, place) => {
    const { task, ended } = await beginSignalled(place, '(sleep 600 & exit 0)');
    const groups = groupsOfTask(task);
    const pids = processesIn(groups);
    const parents = pids.map((pid) =>
      Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    );
    const [watcher] = parents.filter((pid) => !pids.includes(pid));
    process.kill(watcher as number, 'SIGKILL');
    const end = await ended;
    t.ok(end.how === 'lost' || end.isKilled, JSON.stringify(end));
    t.strictSame(processesIn(groups), []);
  },

  'a program that cannot be executed does not begin': async (t, place) => {
    const task = place.task('true');
    await place.executor.prepare(task);
    await place.executor.pull(task.image, new AbortController().signal);
    const folder = { name: 'M', containerPath: '/bin/sh', isReadOnly: true } as const;
    const source = { type: 'host', hostPath: '/etc/hostname' } as const;
    const failure = await place.executor
      .start({ ...task, mounts: [{ ...folder, source }] })
      .then(({ ended }) => ended)
      .catch((error: unknown) => error);
    // runc reports some of these failures as an exit code of the program.
    if (failure instanceof TaskFailure) t.match(failure, { errorName: 'docker-task-launch' });
    else t.ok((failure as { exitCode: number }).exitCode > 0);
  },

  'its system calls are filtered': async (t, place, { syscalls, shown }) => {
    if (syscalls === undefined) return t.comment('not run: there is no compiler');
    const mount = { name: 'M', containerPath: '/mounted', isReadOnly: true } as const;
    const source = { type: 'host', hostPath: '/usr/share' } as const;
    for (const [name, mounts] of [
      ['native', []],
      ['every', [{ ...mount, source }]],
    ] as const) {
      const task = place.task('/millrace/input/syscalls', { mounts });
      await place.executor.pull(task.image, new AbortController().signal);
      await place.executor.prepare(task);
      copyFileSync(syscalls, join(task.folder.input, 'syscalls'));
      chmodSync(join(task.folder.input, 'syscalls'), 0o555);
      t.match(await (await place.executor.start(task)).ended, { exitCode: 0 });
      const text = output(task);
      t.match(text, /^done$/m);
      shown.set(`system calls, ${name}`, text);
      t.match(text, /^clone 0 allowed$/m);
      t.match(text, /^socket 1 allowed$/m);
      t.match(text, /^netlink 0 allowed$/m);
      t.match(text, /^netlink 9 error \d+$/m, 'nothing to the audit of the host');
      t.match(text, /^socket 40 error \d+$/m, 'nothing to the host of a virtual machine');
      t.equal(text.match(/^clone [1-9]\d* error \d+$/gm)?.length, 7, 'no namespace');
      if (process.arch !== 'x64') continue;
      for (const denied of [165, 166, 161, 272, 308, 435, 321, 101, 250])
        t.match(text, new RegExp(`^call ${denied} error`, 'm'));
      t.match(text, /^call 1073741863 signal 31$/m, 'x32');
      t.equal(/^narrow 20 signal 31$/m.test(text), name === 'native', '32-bit programs');
    }
  },

  'it has a network of its own with loopback alone': async (t, place, { shown }) => {
    const text = await said(
      t,
      place,
      'ls /sys/class/net; ip link show lo; cat /proc/net/route; cat /etc/hosts',
    );
    t.match(text, /^lo\n/);
    t.match(text, /LOOPBACK,UP/);
    shown.set('network', text.replaceAll(/^\d+: /gm, ''));
  },
};

/** Runs all of it as one test each. */
export async function containmentConformance(t: Test, name: string, containment: Containment): Promise<void> {
  for (const [what, check] of Object.entries(CASES))
    await t.test(`${name}: ${what}`, async (t) => check(t, await placeFor(t, containment.bed), containment));
}

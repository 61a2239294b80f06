/** The runtimes of the `oci` executor, held to test/conformance/containment, and against each other. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock as clock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS } from '../../../node-agent/config.ts';
import { createOciExecutor } from '../../../node-agent/executor/oci/oci.ts';
import { Spawner } from '../../../node-agent/executor/spawner/spawner.ts';
import { containmentConformance, type Shown, said } from '../../conformance/containment/containment.ts';
import { HOSTILE_IMAGES, makeVictim, runHostile } from '../../conformance/containment/hostile-images.ts';
import { type ExecutorBed, placeFor } from '../../conformance/executor-bed.ts';
import { lightRuntime } from '../../support/agent/light-runtime.ts';
import { needsPrograms, testRegistry } from '../../support/registry.ts';
import { silentLog as log } from '../../support/silent-log.ts';

const { mappedUsers } = AGENT_DEFAULTS.containers;
const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: namespaces need root' };
const NEEDS = { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') };
const SYSCALLS = join(import.meta.dirname, '../../conformance/containment/syscalls.c');
// Neither the spawner nor the clock keeps a process alive.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

type Runtime = 'light' | 'runc';
const RUNTIMES: Readonly<Record<Runtime, object>> = { light: lightRuntime(), runc: {} };

function bedFor(t: Test, runtime: Runtime, image: string, more: object = {}): ExecutorBed {
  const images = join(t.testdir(), 'images');
  const containers = { ...AGENT_DEFAULTS.containers, runtime, ...more };
  return {
    open: async (workFolder) => {
      const spawner = new Spawner(log);
      t.teardown(() => spawner.close());
      const executor = createOciExecutor({ containers, workFolder, images, spawner, clock, log });
      t.teardown(() => executor.close?.());
      return executor;
    },
    image,
    script: (text) => [text],
    isolation: 'container',
  };
}

/** A program that tries all system calls; undefined without a compiler. */
function buildSyscalls(t: Test): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-syscalls-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'syscalls');
  return spawnSync('cc', ['-O1', '-static', '-o', program, SYSCALLS]).status === 0 ? program : undefined;
}

const shown = new Map<Runtime, Shown>();

for (const [runtime, needs] of Object.entries(RUNTIMES) as [Runtime, object][]) {
  t.test(`containment, by ${runtime}`, { ...NEEDS, ...needs }, async (t) => {
    const registry = await testRegistry(t);
    await registry.push('team/tool', '1.0');
    const image = `${registry.address}/team/tool:1.0`;
    const syscalls = buildSyscalls(t);
    const bed = bedFor(t, runtime, image);
    const own: Shown = new Map();
    await containmentConformance(t, runtime, { bed, shown: own, mappedUsers, syscalls });
    shown.set(runtime, own);

    await t.test(`${runtime}: root of the container has no rights either`, async (t) => {
      const place = await placeFor(t, bedFor(t, runtime, image, { user: '0:0' }));
      const script =
        'id -u; busybox grep Cap /proc/self/status; busybox mount -o remount,rw /sys 2>/dev/null || echo no; ' +
        'echo 1 > /proc/sys/kernel/sysrq 2>/dev/null || echo no; busybox chroot / true 2>/dev/null || echo no';
      t.match(await said(t, place, `{ ${script}; } 2>/dev/null`), /^0\n(Cap\w+:\s+0+\n){5}no\nno\nno\n$/);
    });

    await t.test(
      `${runtime}: a task that needs a network gets that of the host, and nothing else of it`,
      async (t) => {
        const place = await placeFor(t, bedFor(t, runtime, image, { network: 'host' }));
        const resources = { cpus: 1, mem: 64, network: 1 };
        const script =
          'for n in net pid; do busybox readlink /proc/self/ns/$n; done; touch /sys/x 2>/dev/null || echo read-only; ' +
          'busybox grep " /sys" /proc/self/mountinfo | busybox grep -vc " ro,"; cat /etc/resolv.conf';
        const { task, ended } = await place.begin(script, { resources });
        t.match(await ended, { how: 'exited', exitCode: 0 });
        const [net, pid, readOnly, writable] = readFileSync(task.folder.stdout, 'utf8').split('\n');
        t.equal(net, readlinkSync('/proc/self/ns/net'));
        t.not(pid, readlinkSync('/proc/self/ns/pid'));
        t.equal(readOnly, 'read-only');
        if (runtime === 'light') t.equal(writable, '0', 'in all its parts');
      },
    );

    for (const [name, hostile] of Object.entries(HOSTILE_IMAGES)) {
      await t.test(`${runtime}: a hostile image: ${name}`, async (t) => {
        const victim = makeVictim(t);
        const { alter, config } = hostile;
        await registry.push(
          `hostile/${name}`,
          '1',
          config?.(victim),
          alter && ((root) => alter(root, victim)),
        );
        const place = await placeFor(t, bedFor(t, runtime, `${registry.address}/hostile/${name}:1`));
        await runHostile(t, place, victim, hostile);
      });
    }
  });
}

t.test('containment: both runtimes show the same', NEEDS, async (t) => {
  const [light, runc] = [shown.get('light'), shown.get('runc')];
  if (light === undefined || runc === undefined) return t.comment('not run: one of them was not run');
  for (const [subject, text] of runc) {
    const other = light.get(subject) ?? '';
    if (!subject.startsWith('mounts')) {
      t.equal(other, text, subject);
      continue;
    }
    const [mounts, others] = [readMounts(text), readMounts(other)];
    t.strictSame([...others.keys()], [...mounts.keys()], subject);
    for (const [path, flags] of mounts)
      t.strictSame(
        flags.filter((flag) => !others.get(path)?.includes(flag)),
        [],
        `${subject}: ${path} is as closed`,
      );
  }
});

/** What a mount refuses, by path and type. */
function readMounts(text: string): Map<string, string[]> {
  const closed = ['ro', 'nosuid', 'nodev', 'noexec'];
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.map(([path, flags, type]) => [
      `${path} ${type}`,
      (flags ?? '').split(',').filter((flag) => closed.includes(flag)),
    ]),
  );
}

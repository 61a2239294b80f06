/** The parts of the light runtime that containers of one host do not show. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findNativeProgram } from '../../../node-agent/executor/native-programs.ts';
import { runtimeConfig } from '../../../node-agent/executor/oci/bundle.ts';
import { compileFilter, filterLines } from '../../../node-agent/executor/oci/light/filter.ts';
import { groupsOf } from '../../../node-agent/executor/oci/light/groups.ts';
import { encodeContainer } from '../../../node-agent/executor/oci/light/light-order.ts';
import { readSeccomp } from '../../../node-agent/executor/oci/seccomp.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { lightRuntime } from '../../support/agent/light-runtime.ts';
import { needsPrograms } from '../../support/registry.ts';

const UNIFIED = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((path) =>
  existsSync(join(path, 'cgroup.controllers')),
);
const RESOURCES = {
  devices: [],
  memory: { limit: 64, swap: 64 },
  pids: { limit: 10 },
  cpu: { quota: 50, period: 100 },
};

t.test('light runtime: limits of both versions of control groups', async (t) => {
  const second = groupsOf({ '': '/groups' }, 'one', RESOURCES);
  t.strictSame(second.paths, { '': '/groups/one' });
  t.strictSame(Object.fromEntries(second.limits), {
    '/groups/one/memory.max': '64',
    '/groups/one/memory.swap.max': '0',
    '/groups/one/pids.max': '10',
    '/groups/one/cpu.max': '50 100',
  });
  t.ok(second.devices.includes('1:3'));
  const places = { memory: '/m', pids: '/p', cpu: '/c', devices: '/d' };
  const first = groupsOf(places, 'one', { ...RESOURCES, memory: { limit: 64 } });
  const files = first.limits.map(([path, value]) => `${path} ${value}`);
  t.strictSame(files.slice(0, 5), [
    '/m/one/memory.limit_in_bytes 64',
    '/p/one/pids.max 10',
    '/c/one/cpu.cfs_period_us 100',
    '/c/one/cpu.cfs_quota_us 50',
    '/d/one/devices.deny a',
  ]);
  t.ok(files.includes('/d/one/devices.allow c 1:3 rwm'));
});

t.test('light runtime: a filter that it does not know is refused, not left out', async (t) => {
  const filter = {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 38,
    architectures: ['SCMP_ARCH_X86_64'],
  };
  const rule = { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW' };
  const twice = [0, 0].map((index) => ({ index, op: 'SCMP_CMP_EQ', value: 7 }));
  const lines = filterLines({ ...filter, syscalls: [rule, { ...rule, names: ['kill'], args: twice }] });
  const allow = 0x7fff0000;
  t.equal(
    lines,
    `default ${0x50000 + 38}\narchitecture x86_64\nrule ${allow} read\nrule ${allow} write\n` +
      `rule ${allow} kill 0 4 7 0\n`.repeat(2),
  );
  const wrong = [
    { ...filter, architectures: ['SCMP_ARCH_S390X'], syscalls: [] },
    { ...filter, syscalls: [{ ...rule, action: 'SCMP_ACT_NOTIFY' }] },
    { ...filter, syscalls: [{ ...rule, args: [{ index: 0, op: 'SCMP_CMP_LIKE', value: 1 }] }] },
  ];
  for (const one of wrong) t.throws(() => filterLines(one), /unknown/);
  t.throws(() => compileFilter('/bin/false', { ...filter, syscalls: [] }), /no seccomp filter/);
});

const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: namespaces need root' };
const hasUnified = UNIFIED === undefined ? { skip: 'not run: no control groups of version 2' } : {};

t.test(
  'light runtime: a program of the kernel limits devices with version 2',
  { ...hasUnified, ...needsPrograms('skopeo'), ...lightRuntime(), ...isRoot },
  async (t) => {
    const seccomp = (await readSeccomp(process.arch))?.every;
    if (seccomp === undefined) return t.comment('not run: no profile');
    const root = mkdtempSync('/var/tmp/millrace-light-');
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    const first = 2_000_100_000;
    for (const name of ['lower', 'upper', 'layer', 'input', 'output', 'bundle/rootfs']) {
      mkdirSync(join(root, name), { recursive: true });
      chownSync(join(root, name), first, first);
    }
    chmodSync(root, 0o711);
    const mounts = ['/usr', '/bin', '/lib', '/lib64']
      .filter((path) => existsSync(path))
      .map((path) => {
        return {
          name: path,
          containerPath: path,
          isReadOnly: true,
          source: { type: 'host', hostPath: path },
        } as const;
      });
    const script =
      'echo x > /dev/null && echo null; head -c 1 /dev/zero > /dev/null && echo zero; (: < /dev/full) && echo full';
    const config = runtimeConfig({
      task: {
        ...{ argv: ['/bin/sh', '-c', script], environment: {}, mounts, resources: {}, isRootReadOnly: false },
        folder: taskFolder(root),
      },
      facts: { entrypoint: [], command: [], environment: [], workingDirectory: '/' },
      ...{ lower: join(root, 'lower'), upper: join(root, 'upper'), overlayWork: join(root, 'layer') },
      user: { userId: 65_534, groupId: 65_534 },
      mappedUsers: { first, count: 65_536 },
      ...{ cgroup: 'unused', limitsSwap: false, seccomp, hasHostNetwork: false },
      ...{ hostsFile: '/etc/hosts', volumes: root },
    });
    const group = join(UNIFIED as string, `millrace-light-${process.pid}`);
    t.teardown(() => existsSync(group) && rmdirSync(group));
    const groups = { paths: { '': group }, limits: [], devices: ['1:3', '136:*'] };
    const bundle = join(root, 'bundle');
    const filter = compileFilter(findNativeProgram('filter') as string, seccomp);
    writeFileSync(join(bundle, 'order'), encodeContainer(config, groups, join(bundle, 'rootfs'), filter));
    const { stdout, stderr } = spawnSync(findNativeProgram('container') as string, [bundle], {
      encoding: 'utf8',
    });
    t.equal(readFileSync(join(bundle, 'fault'), 'utf8'), '');
    t.equal(stdout, 'null\n', 'only the one that is allowed');
    t.match(stderr, /\/dev\/zero.*not permitted/);
    t.match(stderr, /\/dev\/full.*not permitted/);

    rmdirSync(group);
    rmSync(join(bundle, 'fault')); // and `state` is there, as if the agent had given the container up
    const again = spawnSync(findNativeProgram('container') as string, [bundle], { encoding: 'utf8' });
    t.match(again, { status: 125, stdout: '' });
    t.match(readFileSync(join(bundle, 'fault'), 'utf8'), /state/);
    t.notOk(existsSync(group), 'a container that does not begin leaves no group');
  },
);

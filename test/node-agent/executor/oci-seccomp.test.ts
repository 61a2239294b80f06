import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readSeccomp } from '../../../node-agent/executor/oci/seccomp.ts';

interface Translated {
  readonly defaultAction: string;
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly { names: string[]; action: string; args?: object[] }[];
}

const PROFILE = {
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: 38,
  syscalls: [
    {
      names: ['read', 'mount', 'clone', 'clone3', 'unshare'],
      action: 'SCMP_ACT_ALLOW',
      args: [],
      includes: {},
    },
    { names: ['arch_prctl'], action: 'SCMP_ACT_ALLOW', includes: { arches: ['amd64', 'x32'] } },
    { names: ['breakpoint'], action: 'SCMP_ACT_ALLOW', includes: { arches: ['arm', 'arm64'] } },
    { names: ['settimeofday'], action: 'SCMP_ACT_ALLOW', includes: { caps: ['CAP_SYS_TIME'] } },
    { names: ['stime'], action: 'SCMP_ACT_ERRNO', errnoRet: 1, excludes: { caps: ['CAP_SYS_TIME'] } },
    {
      names: ['socket', 'shutdown'],
      action: 'SCMP_ACT_ALLOW',
      args: [{ index: 0, value: 16, op: 'SCMP_CMP_NE' }],
    },
    { names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: 22, args: [] },
    { names: ['bdflush'], action: 'SCMP_ACT_ALLOW', args: null, excludes: { arches: ['amd64'] } },
  ],
};

async function translated(
  architecture: string,
  folder: string,
  which: 'native' | 'every' = 'every',
): Promise<Translated> {
  const file = join(folder, 'seccomp.json');
  writeFileSync(file, JSON.stringify(PROFILE));
  return (await readSeccomp(architecture, ['/no/such/file', file]))?.[which] as Translated;
}

const allowed = ({ syscalls }: Translated) =>
  syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);

t.test('seccomp: rules of capabilities and of other processors do not count', async (t) => {
  const near = await translated('x64', t.testdir());
  t.match(near, { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 38 });
  t.ok(near.architectures.includes('SCMP_ARCH_X86_64'));
  t.same(allowed(near), ['read', 'arch_prctl', 'shutdown', 'clone', 'socket']);
  t.same(allowed(await translated('arm64', t.testdir())), [
    ...['read', 'breakpoint', 'shutdown', 'bdflush', 'clone', 'socket'],
  ]);
});

t.test('seccomp: calls that gain privileges are denied, whatever the profile allows', async (t) => {
  const near = await translated('x64', t.testdir());
  const refused = near.syscalls.find(({ names }) => names.includes('unshare'));
  t.match(refused, { action: 'SCMP_ACT_ERRNO' });
  for (const name of ['mount', 'setns', 'bpf', 'keyctl', 'ptrace']) t.ok(refused?.names.includes(name), name);
  const clone = near.syscalls.filter(({ names }) => names.includes('clone'));
  t.equal(clone.length, 1);
  t.match(clone[0]?.args, [{ op: 'SCMP_CMP_MASKED_EQ', valueTwo: 0 }], 'threads and children, no namespaces');
  t.notOk(
    near.syscalls.some(({ names }) => names.includes('clone3')),
    'left to the default: it does not exist',
  );
});

t.test('seccomp: no socket reaches the host of a virtual machine, whatever the profile allows', async (t) => {
  const near = await translated('x64', t.testdir());
  const rules = near.syscalls.filter(({ names }) => names.includes('socket'));
  t.same(
    rules.map(({ action }) => action),
    ['SCMP_ACT_ERRNO', 'SCMP_ACT_ALLOW'],
  );
  t.match(rules[1]?.args, [
    { index: 0, value: 40, op: 'SCMP_CMP_NE' },
    { index: 2, value: 9 },
  ]);
});

t.test('seccomp: an image without 32-bit programs gets no 32-bit system calls', async (t) => {
  const native = await translated('arm64', t.testdir(), 'native');
  t.same(native.architectures, ['SCMP_ARCH_AARCH64']);
  t.same(
    allowed(native),
    ['read', 'breakpoint', 'shutdown', 'clone', 'socket'],
    'without what only they know',
  );
  const every = await translated('arm64', t.testdir());
  t.same(every.architectures, ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM']);
  const refused = (filter: Translated) =>
    filter.syscalls.find(({ names }) => names.includes('unshare'))?.names;
  t.same(
    refused(every)?.filter((name) => !refused(native)?.includes(name)),
    ['umount'],
  );
});

t.test('seccomp: without a profile, or for an unknown processor, there is no filter', async (t) => {
  t.equal(await readSeccomp('x64', ['/no/such/file']), undefined);
  t.equal(await readSeccomp('s390x', [join(t.testdir(), 'x')]), undefined);
});

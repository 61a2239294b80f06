/**
 * System calls that containers of the `oci` executor may make: the profile that Debian's container tools bring, without
 * what only containers with privileges need.
 */
import { readFile } from 'node:fs/promises';

const PROFILES = ['/etc/containers/seccomp.json', '/usr/share/containers/seccomp.json'];

/**
 * The runtime compiles the filter at each start of a container: 13 of the 42 ms of processor time that a start took
 * with three architectures, 9 with two, 2 with one (2026-11-21, runc 1.1.5). x32, which next to nothing uses, is left
 * out; 32-bit programs are not.
 */
const ARCHITECTURES: Readonly<Record<string, { readonly name: string; readonly all: readonly string[] }>> = {
  x64: { name: 'amd64', all: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86'] },
  arm64: { name: 'arm64', all: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'] },
};

/** Ways to more rights within a namespace of one's own: what attacks on the kernel begin with. */
const WITHHELD = new Set(
  (
    'mount mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick umount umount2 pivot_root chroot ' +
    'unshare setns clone clone3 keyctl add_key request_key bpf perf_event_open userfaultfd process_vm_readv ' +
    'process_vm_writev ptrace name_to_handle_at open_by_handle_at quotactl'
  ).split(' '),
);
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x7e020000;
const EPERM = 1;

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly object[] | null;
  readonly errnoRet?: number;
  readonly includes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] } | null;
  readonly excludes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] } | null;
}

interface Profile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly syscalls: readonly Rule[];
}

/** As the runtime takes it; undefined where this host has no profile, or a processor that is not known. */
export async function readSeccomp(architecture: string, files = PROFILES): Promise<object | undefined> {
  const target = ARCHITECTURES[architecture];
  if (target === undefined) return undefined;
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return translate(JSON.parse(text) as Profile, target);
  }
  return undefined;
}

function translate(profile: Profile, target: { readonly name: string; readonly all: readonly string[] }) {
  const rules = profile.syscalls
    .filter((rule) => appliesTo(rule, target.name))
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !WITHHELD.has(name)) }))
    .filter(({ names }) => names.length > 0)
    .map(({ names, action, args, errnoRet }) => ({
      names,
      action,
      ...(args ? { args } : {}),
      ...(errnoRet === undefined ? {} : { errnoRet }),
    }));
  const argument = { index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' };
  // `clone3` hides its flags from filters: where it does not exist, libraries take `clone`.
  const own = [{ names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [argument] }];
  const withheld = [...WITHHELD].filter((name) => name !== 'clone' && name !== 'clone3');
  return {
    defaultAction: profile.defaultAction,
    ...(profile.defaultErrnoRet === undefined ? {} : { defaultErrnoRet: profile.defaultErrnoRet }),
    architectures: target.all,
    syscalls: [...rules, ...own, { names: withheld, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM }],
  };
}

/** Containers have no capabilities, so that what includes one never applies and what excludes one always does. */
function appliesTo({ includes, excludes }: Rule, architecture: string): boolean {
  if (includes?.caps?.length) return false;
  if (includes?.arches?.length && !includes.arches.includes(architecture)) return false;
  return !excludes?.arches?.includes(architecture);
}

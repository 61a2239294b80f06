/**
 * System calls that containers of the `oci` executor may make: the profile of Debian's container tools, without calls
 * that only privileged containers need.
 */
import { readFile } from 'node:fs/promises';

const PROFILES = ['/etc/containers/seccomp.json', '/usr/share/containers/seccomp.json'];

/**
 * runc compiles the filter at each start of a container, in a time that grows faster than its rules. With all
 * names, libseccomp 2.5.4 takes 7.4 ms of processor time for two architectures and 3.7 for one. It takes 1.9 for one
 * without the names that only 32-bit programs have, which make no difference to that filter (2026-11-22; a start of
 * runc 1.1.5 takes 24 in addition). Other orders of the rules and a binary tree were slower or equal. Therefore 32-bit
 * programs are allowed only where there may be one; elsewhere they are ended. x32, which is hardly used, is always left
 * out.
 */
const ARCHITECTURES: Readonly<Record<string, Target>> = {
  x64: { name: 'amd64', native: 'SCMP_ARCH_X86_64', narrow: 'SCMP_ARCH_X86' },
  arm64: { name: 'arm64', native: 'SCMP_ARCH_AARCH64', narrow: 'SCMP_ARCH_ARM' },
};

/** System calls that neither x86-64 nor arm64 has. */
const NARROW_ONLY = new Set(
  (
    '_llseek _newselect bdflush chown32 clock_adjtime64 clock_getres_time64 clock_gettime64 clock_nanosleep_time64 ' +
    'clock_settime64 fadvise64_64 fchown32 fcntl64 fstat64 fstatat64 fstatfs64 ftruncate64 futex_time64 getegid32 ' +
    'geteuid32 getgid32 getgroups32 getresgid32 getresuid32 getuid32 ipc lchown32 lstat64 mmap2 ' +
    'mq_timedreceive_time64 mq_timedsend_time64 nice oldfstat oldlstat oldolduname oldstat olduname pciconfig_iobase ' +
    'pciconfig_read pciconfig_write ppoll_time64 pselect6_time64 readdir recv recvmmsg_time64 rt_sigtimedwait_time64 ' +
    'sched_rr_get_interval_time64 semtimedop_time64 send sendfile64 setfsgid32 setfsuid32 setgid32 setgroups32 ' +
    'setregid32 setresgid32 setresuid32 setreuid32 setuid32 sgetmask sigaction signal sigpending sigprocmask ' +
    'sigreturn sigsuspend socketcall ssetmask stat64 statfs64 stime swapcontext syscall timer_gettime64 ' +
    'timer_settime64 timerfd timerfd_gettime64 timerfd_settime64 truncate64 ugetrlimit umount utimensat_time64 vm86 ' +
    'vm86old waitpid'
  ).split(' '),
);

/** Calls that give more rights within a namespace of one's own. Attacks on the kernel often begin with them. */
const WITHHELD = new Set(
  (
    'mount mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick umount umount2 pivot_root chroot ' +
    'unshare setns clone clone3 keyctl add_key request_key bpf perf_event_open userfaultfd process_vm_readv ' +
    'process_vm_writev ptrace name_to_handle_at open_by_handle_at quotactl'
  ).split(' '),
);
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x7e020000;
/** Sockets of virtual machines, which reach the host of this machine from every network namespace. */
const AF_VSOCK = 40;
/** The kernel's audit messages, as netlink knows them. The profile excludes them too. */
const NETLINK_AUDIT = 9;
const EPERM = 1;

export interface SeccompArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: string;
}

export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly SeccompArgument[] | null;
  readonly errnoRet?: number;
}

/** In the form of the runtime's configuration. */
export interface SeccompFilter {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly SeccompRule[];
}

interface Rule extends SeccompRule {
  readonly includes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] } | null;
  readonly excludes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] } | null;
}

interface Target {
  readonly name: string;
  readonly native: string;
  readonly narrow: string;
}

export interface Filters {
  /** Ends 32-bit programs. */
  readonly native: SeccompFilter;
  /** Allows 32-bit programs as well. */
  readonly every: SeccompFilter;
}

interface Profile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly syscalls: readonly Rule[];
}

/** Undefined if this host has no profile, or an unknown processor. */
export async function readSeccomp(architecture: string, files = PROFILES): Promise<Filters | undefined> {
  const target = ARCHITECTURES[architecture];
  if (target === undefined) return undefined;
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const profile = JSON.parse(text) as Profile;
    return { native: translate(profile, target, false), every: translate(profile, target, true) };
  }
  return undefined;
}

function translate(profile: Profile, target: Target, isForNarrow: boolean): SeccompFilter {
  const isKnown = (name: string): boolean => isForNarrow || !NARROW_ONLY.has(name);
  const rules = profile.syscalls
    .filter((rule) => appliesTo(rule, target.name))
    .map((rule) => ({
      ...rule,
      names: rule.names.filter((name) => !WITHHELD.has(name) && isKnown(name) && !allowsSockets(name, rule)),
    }))
    .filter(({ names }) => names.length > 0)
    .map(({ names, action, args, errnoRet }) => ({
      names,
      action,
      ...(args ? { args } : {}),
      ...(errnoRet === undefined ? {} : { errnoRet }),
    }));
  const argument = { index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' };
  // `clone3` hides its flags from filters: if it does not exist, libraries use `clone`.
  // As the rules for one call are alternatives, the profile's own would allow what this one leaves out.
  const sockets = [
    { index: 0, value: AF_VSOCK, op: 'SCMP_CMP_NE' },
    { index: 2, value: NETLINK_AUDIT, op: 'SCMP_CMP_NE' },
  ];
  const own = [
    { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [argument] },
    { names: ['socket'], action: 'SCMP_ACT_ALLOW', args: sockets },
  ];
  const withheld = [...WITHHELD].filter((name) => name !== 'clone' && name !== 'clone3' && isKnown(name));
  return {
    defaultAction: profile.defaultAction,
    ...(profile.defaultErrnoRet === undefined ? {} : { defaultErrnoRet: profile.defaultErrnoRet }),
    architectures: isForNarrow ? [target.native, target.narrow] : [target.native],
    syscalls: [...rules, ...own, { names: withheld, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM }],
  };
}

function allowsSockets(name: string, { action }: Rule): boolean {
  return name === 'socket' && action === 'SCMP_ACT_ALLOW';
}

/**
 * Containers have no capabilities, so a rule that includes one never applies and a rule that excludes one always does.
 */
function appliesTo({ includes, excludes }: Rule, architecture: string): boolean {
  if (includes?.caps?.length) return false;
  if (includes?.arches?.length && !includes.arches.includes(architecture)) return false;
  return !excludes?.arches?.includes(architecture);
}

/** Compiles the system-call filters of the light runtime, once a start of the agent; `filter.c` calls libseccomp. */
import { spawnSync } from 'node:child_process';
import type { SeccompFilter, SeccompRule } from '../seccomp.ts';

/** libseccomp's numbers. A number of an error is added to ERRNO. */
const ACTIONS: Readonly<Record<string, number>> = {
  SCMP_ACT_ALLOW: 0x7fff0000,
  SCMP_ACT_ERRNO: 0x00050000,
  SCMP_ACT_KILL: 0,
  SCMP_ACT_KILL_THREAD: 0,
  SCMP_ACT_KILL_PROCESS: 0x80000000,
  SCMP_ACT_TRAP: 0x00030000,
  SCMP_ACT_LOG: 0x7ffc0000,
};
const COMPARISONS: readonly string[] = ['', 'NE', 'LT', 'LE', 'EQ', 'GE', 'GT', 'MASKED_EQ'];
const ARCHITECTURES: Readonly<Record<string, string>> = {
  SCMP_ARCH_X86_64: 'x86_64',
  SCMP_ARCH_X86: 'x86',
  SCMP_ARCH_AARCH64: 'aarch64',
  SCMP_ARCH_ARM: 'arm',
};
const EPERM = 1;
const COMPILE_MS_MAX = 20_000;
/** One of the kernel's instructions; it refuses longer programs. */
const INSTRUCTION_BYTES = 8;
const INSTRUCTIONS_MAX = 4_096;

function known<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`the seccomp profile has an unknown ${name}`);
  return found;
}

function actionOf(name: string, errno: number | undefined): number {
  return known(ACTIONS, name) + (name === 'SCMP_ACT_ERRNO' ? (errno ?? EPERM) : 0);
}

/** Conditions for one argument each are all required. With two for the same, each is enough, as runc has it. */
function conditionsOf({ args }: SeccompRule): string[] {
  if (!args?.length) return [''];
  const texts = args.map(({ index, op, value, valueTwo }) => {
    const comparison = COMPARISONS.indexOf(op.replace('SCMP_CMP_', ''));
    if (comparison < 1) throw new Error(`the seccomp profile has an unknown ${op}`);
    return `${index} ${comparison} ${value} ${valueTwo ?? 0}`;
  });
  return new Set(args.map(({ index }) => index)).size < args.length ? texts : [texts.join(' ')];
}

/** The input of `filter.c`. */
export function filterLines(filter: SeccompFilter): string {
  const usual = actionOf(filter.defaultAction, filter.defaultErrnoRet);
  const lines = [`default ${usual}`];
  for (const name of filter.architectures) lines.push(`architecture ${known(ARCHITECTURES, name)}`);
  for (const rule of filter.syscalls) {
    const action = actionOf(rule.action, rule.errnoRet);
    if (action === usual) continue; // the library refuses what changes nothing
    for (const conditions of conditionsOf(rule))
      for (const name of rule.names) lines.push(`rule ${action} ${name} ${conditions}`.trim());
  }
  return `${lines.join('\n')}\n`;
}

/** The kernel's program. Throws with the reason if there is none. */
export function compileFilter(program: string, filter: SeccompFilter): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, [], {
    input: filterLines(filter),
    timeout: COMPILE_MS_MAX,
    env: {},
    cwd: '/',
  });
  if (status !== 0) throw new Error(`no seccomp filter: ${error?.message ?? String(stderr).trim()}`);
  if (stdout.length === 0 || stdout.length % INSTRUCTION_BYTES !== 0) throw new Error('no seccomp filter');
  if (stdout.length > INSTRUCTIONS_MAX * INSTRUCTION_BYTES) throw new Error('the seccomp filter is too long');
  return stdout;
}

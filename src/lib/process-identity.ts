/**
 * Identifies processes. Pids are reused, so a process is identified by its pid and start time. Reads /proc if it
 * exists, otherwise asks `ps`. Says nothing about what the process does.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** `startedAt` is opaque: equal for the same process, different for a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** The living process `pid`, or undefined when there is none. A zombie counts as ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const startedAt = existsSync('/proc/self/stat') ? procStart(pid) : psStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether the process identified earlier still lives. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Names the scope in which pids are unique here: boot and pid namespace. */
export function pidSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Without /proc there are no pid namespaces.
    return 'host';
  }
}

function procStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses and may contain anything, so fields are counted from the last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return state === 'Z' || state === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function psStart(pid: number): string | undefined {
  try {
    const out = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
    });
    const [state, ...started] = out.trim().split(/\s+/);
    return state === undefined || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

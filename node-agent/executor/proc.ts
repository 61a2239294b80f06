/** Processes in /proc (Linux). A process is identified by its pid and start time, because pids are reused. */
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';

export interface ProcessName {
  readonly pid: number;
  /** Clock ticks since the host booted. */
  readonly startTicks: string;
}

export interface ProcessStat extends ProcessName {
  readonly session: number;
  /** It has ended, but its parent has not collected it. */
  readonly isZombie: boolean;
}

/** Parses /proc/<pid>/stat; undefined if it is malformed. The command's name may contain blanks and brackets. */
export function parseProcessStat(line: string): ProcessStat | undefined {
  const after = line
    .slice(line.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
  const [pid, session, startTicks] = [Number.parseInt(line, 10), Number(after[3]), after[19]];
  if (!Number.isInteger(pid) || !Number.isInteger(session) || startTicks === undefined) return undefined;
  return { pid, session, startTicks, isZombie: after[0] === 'Z' || after[0] === 'X' };
}

/** Synchronous inside: the kernel answers from memory, for any process. */
export async function readProcess(pid: number): Promise<ProcessStat | undefined> {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined; // it is gone
  }
}

/** Whether this very process still runs. */
export async function isRunning(name: ProcessName): Promise<boolean> {
  const found = await readProcess(name.pid);
  return found !== undefined && found.startTicks === name.startTicks && !found.isZombie;
}

/** All processes that `accept` selects. Reads all of /proc: for the rare cases without a control group. */
export async function findProcesses(
  accept: (found: ProcessStat, uid: number) => boolean | Promise<boolean>,
): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const [found, owner] = await Promise.all([readProcess(pid), stat(`/proc/${pid}`).catch(() => undefined)]);
    if (found === undefined || owner === undefined || found.isZombie) continue;
    if (await accept(found, owner.uid)) pids.push(pid);
  }
  return pids;
}

/** Whether the process was started with this variable. False if its environment may not be read. */
export async function hasVariable(pid: number, assignment: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').includes(assignment);
}

/** Signals each; one that has ended meanwhile is no failure. */
export function signalAll(pids: readonly number[], signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended between the read and the signal.
    }
  }
}

/** Identifies the host's current boot; '' where the kernel does not say. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

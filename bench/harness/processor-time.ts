/**
 * Processor seconds that processes have used (Linux, /proc). On a machine that others use as well it is what
 * can be compared between runs, where times by the wall cannot.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Used {
  readonly parent: number;
  /** Seconds of the process itself, all its threads. */
  readonly own: number;
  /** Seconds of children that have ended and were waited for, and of theirs. */
  readonly children: number;
}

function usedBy(pid: number): Used | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it has ended
  }
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const seconds = (index: number): number => Number(fields[index]) / TICKS_PER_SECOND;
  return { parent: Number(fields[1]), own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) };
}

/** Seconds of the process and, apart from them, of its children that have ended. */
export function processorSeconds(pid: number): { readonly own: number; readonly children: number } {
  return usedBy(pid) ?? { own: 0, children: 0 };
}

/** Seconds of a process, of its children that have ended and of those that run. */
export function familySeconds(pid: number): number {
  const own = usedBy(pid);
  let seconds = (own?.own ?? 0) + (own?.children ?? 0);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const used = usedBy(Number(name));
    if (used?.parent === pid) seconds += used.own + used.children;
  }
  return seconds;
}

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
  return usedIn(`/proc/${pid}`);
}

function usedIn(folder: string): Used | undefined {
  let line: string;
  try {
    line = readFileSync(`${folder}/stat`, 'utf8');
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

/**
 * Nanoseconds that each thread of a process has used, by its id. The first thread has the process's id. Finer than the
 * ticks of the others where the kernel keeps them (`schedstat`).
 */
export function threadNanoseconds(pid: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const name of readdirSync(`/proc/${pid}/task`)) {
    const used = nanosecondsOf(`/proc/${pid}/task/${name}`);
    if (used !== undefined) threads.set(Number(name), used);
  }
  return threads;
}

function nanosecondsOf(folder: string): number | undefined {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It has ended, or the kernel keeps no such figures.
  }
  const used = usedIn(folder);
  return used === undefined ? undefined : used.own * 1e9;
}

/** Seconds of a process and of all below it: those that run, and those that have ended and were waited for. */
export function familySeconds(pid: number): number {
  const running = new Map<number, Used>();
  for (const name of readdirSync('/proc')) {
    const used = /^\d+$/.test(name) ? usedBy(Number(name)) : undefined;
    if (used !== undefined) running.set(Number(name), used);
  }
  let seconds = 0;
  for (const [descendant, { own, children }] of running) {
    let above: number | undefined = descendant;
    while (above !== undefined && above !== pid) above = running.get(above)?.parent;
    if (above === pid) seconds += own + children;
  }
  return seconds;
}

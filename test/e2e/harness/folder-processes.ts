/**
 * Processes that work for a folder, by what /proc says of them: programs of ours, tasks, an embedded server and its
 * children. (Supervisors in Perl name no folder: they end with the agent or with their task.) Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface FolderProcess {
  readonly pid: number;
  readonly commandLine: string;
  /** Whether it belongs to an execution: a task, or what a shell or a runtime runs it with. */
  readonly isTask: boolean;
}

/** All but this very process whose directory, arguments or environment name the folder. */
export function processesOf(folder: string): readonly FolderProcess[] {
  const found: FolderProcess[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const commandLine = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    if (commandLine.includes('e2e/harness/reaper.ts')) continue;
    const texts = [workingFolder(pid), commandLine, read(pid, 'environ')];
    if (!texts.some((text) => text.includes(folder))) continue;
    found.push({ pid, commandLine, isTask: texts.some((text) => text.includes('/executions/')) });
  }
  return found;
}

/** Ends all of them with -9, those included that they start meanwhile. Bounded: throws when some do not end. */
export function killProcessesOf(folder: string): void {
  for (let round = 0; round < 200; round += 1) {
    const found = processesOf(folder);
    if (found.length === 0) return;
    for (const { pid } of found) signal(pid, 'SIGKILL');
    // What was killed takes a moment to be gone; nothing else is to be done meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  throw new Error(`processes of ${folder} do not end: ${JSON.stringify(processesOf(folder))}`);
}

/** One that has ended meanwhile is no failure. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between being found and being signalled.
  }
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return ''; // ended meanwhile
  }
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; // ended meanwhile, or a zombie
  }
}

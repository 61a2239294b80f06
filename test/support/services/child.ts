/** A service's process: started with its output in a file, ended by its pid, forced after a grace time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { waitUntil } from '../../../src/lib/wait-until.ts';

/** In a separate process group, so that Ctrl-C reaches only its host, which ends it. */
export function startChild(program: string, args: readonly string[], logFile: string): ChildProcess {
  const output = openSync(logFile, 'w');
  try {
    const child = spawn(program, [...args], { stdio: ['ignore', output, output], detached: true });
    child.on('error', () => undefined); // it has no pid then, and never becomes ready
    return child;
  } finally {
    closeSync(output);
  }
}

export async function stopChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(force);
}

/** The first answer of `probe`, or undefined when the child ends or the time is over. */
export function whenReady<T>(
  child: ChildProcess,
  timeoutMs: number,
  probe: () => T | undefined | Promise<T | undefined>,
) {
  return waitUntil<T | 'ended'>(
    () => (child.pid === undefined || child.exitCode !== null ? 'ended' : probe()),
    { timeoutMs },
  ).then((answer) => (answer === 'ended' ? undefined : answer));
}

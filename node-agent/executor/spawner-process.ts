/**
 * The program of the spawner (see spawner.ts): starts supervisors for the agent that started it and says when
 * they end. It never outlives that agent; what it started does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { SpawnAnswer, SpawnOrder } from './spawn-order.ts';

const agentPid = process.ppid;

function answer(message: SpawnAnswer): void {
  // Nobody is told when the agent has gone; its next life finds the supervisors by itself.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function start({ id, program, argv, environment }: SpawnOrder): void {
  // An order of an agent that has been killed is its successor's to give again.
  if (process.ppid !== agentPid) process.exit();
  let child: ChildProcess;
  try {
    child = spawn(program, argv, { detached: true, stdio: 'ignore', cwd: '/', env: { ...environment } });
  } catch (error) {
    answer({ type: 'failed', id, reason: codeOf(error) });
    return;
  }
  child.once('error', (error) => answer({ type: 'failed', id, reason: codeOf(error) }));
  if (child.pid === undefined) return;
  answer({ type: 'started', id, pid: child.pid });
  child.once('exit', (exitCode) => answer({ type: 'exited', id, exitCode }));
}

/** The code alone: a message may quote what it complains of, and that may be secret. */
function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? 'unknown');
}

process.on('message', (order) => start(order as SpawnOrder));
process.on('disconnect', () => process.exit());
// Meant for the agent, which may take a while to end its work, when a terminal sends them to the whole group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

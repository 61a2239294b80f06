/**
 * Starts processes from a small process of its own. A fork copies the page tables of whoever forks and holds
 * its thread until the child has begun: in the agent that was 10 ms of its one thread for each task on a busy
 * machine, and 2.7 + 2.5 ms of processor time (agent and child) where the spawner takes 0.6 + 0.9
 * (2026-11-21, 158 and 63 MiB resident, two cores). A worker thread would fork the same large process; a
 * shell that forks was rejected, because what a shell starts in the background ignores SIGINT.
 *
 * All of a `hello` job took 28.8 ms of processor time before and 24.0 after (bench/hello-jobs.bench.ts), the
 * agent's own part 7.9 and 5.0.
 *
 * When the spawner is killed the next order starts another one; what it had started goes on unwatched.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../src/observe/log.ts';
import type { SpawnAnswer, SpawnOrder } from './spawn-order.ts';

/** `unwatched`: whether and how it ends has to be found out in another way. */
export type Exit = number | null | 'unwatched';

export interface Spawned {
  readonly pid: number;
  /** The exit code, null after a signal. Never rejects. */
  readonly exited: Promise<Exit>;
}

/** A process could not be started. `reason` is an error code. */
export class SpawnFailure extends Error {
  override readonly name = 'SpawnFailure';
}

interface Pending {
  /** Undefined once the process has started. */
  begin:
    | { readonly resolve: (spawned: Spawned) => void; readonly reject: (error: Error) => void }
    | undefined;
  readonly end: (exit: Exit) => void;
  readonly exited: Promise<Exit>;
}

const PROGRAM = fileURLToPath(new URL('./spawner-process.ts', import.meta.url));
// Little is alive at a time, and a small heap makes a cheap fork.
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'];

export class Spawner {
  readonly #log: Logger;
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Starts a process in a session of its own that outlives the agent. Throws SpawnFailure; with the reason
   * `unwatched` it may have begun all the same.
   */
  start(order: Omit<SpawnOrder, 'id'>): Promise<Spawned> {
    if (this.#isClosed) throw new SpawnFailure('closed');
    this.#child ??= this.#open();
    const child = this.#child;
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      let end: (exit: Exit) => void = () => undefined;
      const exited = new Promise<Exit>((settle) => {
        end = settle;
      });
      this.#pending.set(id, { begin: { resolve, reject }, end, exited });
      // A channel that is broken says so by its 'disconnect', which settles all that is pending.
      child.send({ ...order, id } satisfies SpawnOrder, undefined, undefined, () => undefined);
    });
  }

  /** Ends the spawner, not what it has started. Resolves when no order can take effect any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    if (child.connected) child.disconnect();
    await ended;
  }

  #open(): ChildProcess {
    const child = spawn(process.execPath, [...FLAGS, PROGRAM], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      cwd: '/',
      env: {},
    });
    child.on('message', (answer) => this.#heard(answer as SpawnAnswer));
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('disconnect', () => this.#lost(child, 'disconnected'));
    child.on('exit', (code, signal) => this.#lost(child, `ended with ${signal ?? code}`));
    // It must not keep a process that has nothing else to do.
    child.unref();
    child.channel?.unref();
    return child;
  }

  #heard(answer: SpawnAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (answer.type === 'started') {
      pending.begin?.resolve({ pid: answer.pid, exited: pending.exited });
      pending.begin = undefined;
      return;
    }
    this.#pending.delete(answer.id);
    if (answer.type === 'exited') pending.end(answer.exitCode);
    else pending.begin?.reject(new SpawnFailure(answer.reason));
  }

  #lost(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (!this.#isClosed) this.#log.warn('spawner ended', { reason, pending: this.#pending.size });
    child.kill('SIGKILL'); // one that nobody can talk to any more
    for (const { begin, end } of this.#pending.values()) {
      begin?.reject(new SpawnFailure('unwatched'));
      // After `close` the next life of the agent is the one that watches.
      if (!this.#isClosed) end('unwatched');
    }
    this.#pending.clear();
  }
}

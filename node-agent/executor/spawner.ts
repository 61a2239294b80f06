/**
 * Starts supervisors from a small process of its own, which forks for the agent. A fork copies the page tables of
 * whoever forks and holds its thread until the child has begun: in the agent that was 10 ms of its one thread for each
 * task on a busy machine (2026-11-21, 158 MiB resident, two cores). A worker thread would fork the same large process;
 * a shell that forks was rejected, because what a shell starts in the background ignores SIGINT.
 *
 * The program is Perl's where the host has it, which all of Debian's family do: it forks a supervisor out of 6 MiB and
 * gives the task its user, its groups and its limits itself, so that nothing but the task's command is ever executed.
 * Of a `hello` job its processes took 5.5 and 6.7 ms of processor time with the Node below, 3.9 and 3.4 with Perl
 * (bench/hello-jobs.bench.ts, 2026-11-22, in turn, two cores, load 5 to 7); executing `setpriv` alone takes 1.8.
 * Elsewhere it is a Node that starts a shell and `setpriv`: the same files, the same answers.
 *
 * When the spawner is killed the next order starts another one; what it had started goes on unwatched.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../src/observe/log.ts';
import { encodeOrder, isTellable, type SpawnOrder } from './spawn-order.ts';

/**
 * The supervisor's exit code, null after a signal. `unwatched`: whether and how it ends has to be found out in another
 * way.
 */
export type Exit = number | null | 'unwatched';

export interface Spawned {
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
}

/** A supervisor could not be started. The message is an error code. */
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

/** What runs as the spawner: a program and its arguments. */
export type SpawnerCommand = readonly [string, ...string[]];

const PERL = '/usr/bin/perl';
const inPerl = fileURLToPath(new URL('./spawner.pl', import.meta.url));
const inNode = fileURLToPath(new URL('./spawner-process.ts', import.meta.url));

export const PERL_SPAWNER: SpawnerCommand = [PERL, inPerl, process.arch];
// Little is alive at a time, and a small heap makes a cheap fork.
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'];
export const NODE_SPAWNER: SpawnerCommand = [process.execPath, ...FLAGS, inNode];

type Child = ChildProcessByStdio<Socket, Socket, null>;

export class Spawner {
  readonly #log: Logger;
  /** The first is used; one that does not get ready gives way to the next. */
  readonly #commands: SpawnerCommand[];
  readonly #pending = new Map<number, Pending>();
  #child: Child | undefined;
  #isReady = false;
  #nextId = 1;
  #isClosed = false;

  constructor(log: Logger, commands: readonly SpawnerCommand[] = [PERL_SPAWNER, NODE_SPAWNER]) {
    this.#log = log;
    this.#commands = commands.filter(([program]) => existsSync(program));
  }

  /**
   * Starts a supervisor in a session of its own that outlives the agent. Throws SpawnFailure; with the reason
   * `unwatched` it may have begun all the same.
   */
  start(order: Omit<SpawnOrder, 'id'>): Promise<Spawned> {
    if (this.#isClosed) throw new SpawnFailure('closed');
    if (!isTellable(order)) throw new SpawnFailure('EINVAL');
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
      // A spawner that is gone says so by its end, which settles all that is pending.
      child.stdin.write(encodeOrder({ ...order, id }));
    });
  }

  /** Ends the spawner, not what it has started. Resolves when no order can take effect any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.stdin.end();
    await ended;
  }

  #open(): Child {
    const [program, ...args] = this.#commands[0] as SpawnerCommand;
    this.#isReady = false;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/', env: {} }) as Child;
    let said = '';
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      const lines = (said + text).split('\n');
      said = lines.pop() ?? '';
      if (this.#child === child) for (const line of lines) this.#heard(line);
    });
    child.stdin.on('error', () => undefined); // its end says it
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('exit', (code, signal) => this.#lost(child, `ended with ${signal ?? code}`));
    // It must not keep a process that has nothing else to do.
    child.unref();
    child.stdin.unref();
    child.stdout.unref();
    return child;
  }

  #heard(line: string): void {
    const [what, id, fact = ''] = line.split(' ');
    if (what === 'ready') this.#isReady = true;
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return;
    if (what === 'started') {
      pending.begin?.resolve({ pid: Number(fact), exited: pending.exited });
      pending.begin = undefined;
      return;
    }
    this.#pending.delete(Number(id));
    if (what === 'exited') pending.end(fact === 'signal' ? null : Number(fact));
    else pending.begin?.reject(new SpawnFailure(fact));
  }

  #lost(child: Child, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (!this.#isClosed) this.#log.warn('spawner ended', { reason, pending: this.#pending.size });
    if (!this.#isReady && this.#commands.length > 1) this.#commands.shift();
    child.kill('SIGKILL'); // one that nobody can talk to any more
    for (const { begin, end } of this.#pending.values()) {
      begin?.reject(new SpawnFailure('unwatched'));
      // After `close` the next life of the agent is the one that watches.
      if (!this.#isClosed) end('unwatched');
    }
    this.#pending.clear();
  }
}

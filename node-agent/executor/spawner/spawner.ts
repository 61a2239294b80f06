/**
 * Starts supervisors from a small separate process, which forks for the agent. A fork copies the page tables of the
 * forking process and blocks its thread until the child has begun: in the agent that took 10 ms of its one thread for
 * each task on a busy machine (2026-11-21, 158 MiB resident, two cores). A worker thread would fork the same large
 * process; a shell that forks was rejected, because processes that a shell starts in the background ignore SIGINT.
 *
 * The program is `launcher.c`, if it was compiled at installation, else `spawner.pl`, which does the same in Perl, as
 * every system with git has it. Supervisors are forks that run one task after another, so that only the task's command
 * is ever executed. The processes of a `hello` take 1.01 ms of processor time with the launcher, 1.55 with Perl, and
 * 1.12 with `xargs` (`npm run bench -- launchers`, 2026-11-25, load 25). Tried before: a supervisor that Perl forked
 * for each task, which entered the control groups itself and wrote the exit code to a file, took 1.8 times as much as
 * Perl does now; a Node process that started a shell and `setpriv` for each task took three times as much.
 *
 * If the spawner is killed, the next order starts another one; the tasks that it had started continue unwatched.
 */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Used } from '../../../src/domain/task/task-result.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { findNativeProgram } from '../native-programs.ts';
import {
  encodeDismissal,
  encodeMounts,
  encodeOrder,
  isEncodable,
  type SuperviseRequest,
} from './spawn-order.ts';

/** How a supervisor's task ended, as the supervisor reports it. */
export type Exit =
  | {
      readonly how: 'ended';
      readonly exitCode: number;
      readonly endedMs: number;
      /** Why the command did not begin; empty if it did. */
      readonly fault: string;
      /** A process that has entered the task's control groups for the next task; 0: none. */
      readonly standbyPid: number;
      readonly used: Used;
    }
  /**
   * `taken`: another supervisor has the task. `killed`: the supervisor was killed, and the end is unknown. `unwatched`:
   * the end has to be found out in another way.
   */
  | { readonly how: 'taken' | 'killed' | 'unwatched' };

export interface Spawned {
  /** The process id of the supervisor. */
  readonly pid: number;
  /** When the command began. */
  readonly startedMs: number;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * The result is recorded: the supervisor may forget it and run another task, or with `isSpent` ends together with
   * everything that only its namespaces hold. Repeatable.
   */
  release(isSpent?: boolean): void;
}

/** A supervisor could not be started. The message is an error code. */
export class SpawnFailure extends Error {
  override readonly name = 'SpawnFailure';
}

interface Supervisor {
  readonly number: number;
  /** The program that forked it. */
  readonly child: Child;
  /** Identifies the user and place of its tasks. */
  readonly place: string;
  /** The order in progress. */
  orderId: number | undefined;
  isFree: boolean;
}

interface Pending {
  readonly supervisor: Supervisor;
  /** Undefined once the process has started. */
  begin:
    | { readonly resolve: (spawned: Spawned) => void; readonly reject: (error: Error) => void }
    | undefined;
  readonly end: (exit: Exit) => void;
  readonly exited: Promise<Exit>;
}

/** The command of the spawner: a program and its arguments. */
export type SpawnerCommand = readonly [string, ...string[]];

const PERL = '/usr/bin/perl';
const inPerl = fileURLToPath(new URL('./spawner.pl', import.meta.url));

export const PERL_SPAWNER: SpawnerCommand = [PERL, inPerl, process.arch];

/** The commands of this installation, the fastest first; some may not exist. */
export function installedSpawners(): readonly SpawnerCommand[] {
  const launcher = findNativeProgram('launcher');
  return launcher === undefined ? [PERL_SPAWNER] : [[launcher], PERL_SPAWNER];
}

/** limit: idle supervisors. */
const FREE_MAX = 16;

type Child = ChildProcessByStdio<Socket, Socket, null>;

export class Spawner {
  readonly #log: Logger;
  /** The first one is used; if it does not get ready, the next is tried. */
  readonly #commands: SpawnerCommand[];
  readonly #pending = new Map<number, Pending>();
  /** The supervisors of the present program, by number. */
  readonly #supervisors = new Map<number, Supervisor>();
  #child: Child | undefined;
  #isReady = false;
  #nextId = 1;
  #isClosed = false;

  constructor(log: Logger, commands: readonly SpawnerCommand[] = installedSpawners()) {
    this.#log = log;
    this.#commands = commands.filter(([program]) => existsSync(program));
  }

  /** Why no task can be started on this host; undefined if tasks can. */
  get obstacle(): string | undefined {
    if (this.#commands.length > 0) return undefined;
    return `there is neither ${PERL} nor a launcher, which an installation compiles if it finds cc`;
  }

  /** Why supervisors cannot have their own mounts on this host; undefined if they can. */
  async mountObstacle(): Promise<string | undefined> {
    let verdict = this.obstacle ?? 'no spawner answers';
    for (const [program, ...args] of this.#commands) {
      verdict = await outputOf(program, [...args, 'probe']);
      if (verdict === 'yes') return undefined;
      if (verdict.startsWith('no ')) return verdict.slice('no '.length);
    }
    return verdict;
  }

  /**
   * Lets a supervisor, in a session of its own that outlives the agent, start a command. Throws SpawnFailure; with the
   * reason `unwatched` the command may have begun all the same.
   */
  start(request: SuperviseRequest): Promise<Spawned> {
    if (this.#isClosed) throw new SpawnFailure('closed');
    if (this.obstacle !== undefined) throw new SpawnFailure(this.obstacle);
    if (!isEncodable(request)) throw new SpawnFailure('EINVAL');
    this.#child ??= this.#open();
    const supervisor = this.#supervisorFor(request, this.#child);
    const id = this.#newId();
    supervisor.orderId = id;
    return new Promise((resolve, reject) => {
      let end: (exit: Exit) => void = () => undefined;
      const exited = new Promise<Exit>((settle) => {
        end = settle;
      });
      this.#pending.set(id, { supervisor, begin: { resolve, reject }, end, exited });
      // If the spawner has ended, the handler of its exit settles all pending orders.
      supervisor.child.stdin.write(encodeOrder({ ...request, id, supervisor: supervisor.number }));
    });
  }

  /** Ends the spawner, not its tasks. Resolves when no order can take effect any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    for (const supervisor of [...this.#supervisors.values()])
      if (supervisor.isFree) this.#dismiss(supervisor);
    child.stdin.end();
    await ended;
  }

  #newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #supervisorFor({ controlGroups, userId, mounts }: SuperviseRequest, child: Child): Supervisor {
    const place = `${userId ?? ''} ${controlGroups.join(' ')} ${encodeMounts(mounts)}`;
    for (const free of this.#supervisors.values()) {
      if (!free.isFree || free.place !== place) continue;
      free.isFree = false;
      return free;
    }
    const made = { number: this.#newId(), child, place, orderId: undefined, isFree: false };
    this.#supervisors.set(made.number, made);
    return made;
  }

  #release(supervisor: Supervisor, isSpent = false): void {
    if (supervisor.orderId !== undefined || this.#supervisors.get(supervisor.number) !== supervisor) return;
    if (isSpent) {
      this.#dismiss(supervisor);
      return;
    }
    supervisor.isFree = true;
    const free = [...this.#supervisors.values()].filter(({ isFree }) => isFree);
    if (free.length > FREE_MAX) this.#dismiss(free[0] as Supervisor);
  }

  #dismiss(supervisor: Supervisor): void {
    this.#supervisors.delete(supervisor.number);
    supervisor.child.stdin.write(encodeDismissal(supervisor.number));
  }

  #open(): Child {
    const [program, ...args] = this.#commands[0] as SpawnerCommand;
    this.#isReady = false;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/', env: {} }) as Child;
    let partial = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      if (this.#child === child) for (const line of lines) this.#heard(line);
    });
    child.stdin.on('error', () => undefined); // the handler of its exit reports it
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('exit', (code, signal) => this.#lost(child, `ended with ${signal ?? code}`));
    // It must not keep this process alive.
    child.unref();
    child.stdin.unref();
    child.stdout.unref();
    return child;
  }

  #heard(line: string): void {
    const [what, number, ...facts] = line.split(' ');
    if (what === 'ready') this.#isReady = true;
    else if (what === 'gone') this.#gone(Number(number));
    else if (what === 'started') this.#started(Number(number), Number(facts[0]), Number(facts[1]));
    else this.#settle(Number(number), what as string, facts);
  }

  #started(id: number, pid: number, startedMs: number): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) this.#begun(pending, pid, startedMs);
  }

  #begun(pending: Pending, pid: number, startedMs: number): void {
    const { exited, supervisor, begin } = pending;
    begin?.resolve({ pid, startedMs, exited, release: (isSpent) => this.#release(supervisor, isSpent) });
    pending.begin = undefined;
  }

  #settle(id: number, what: string, facts: readonly string[]): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.supervisor.orderId = undefined;
    pending.end(exitOf(what, facts));
    // A supervisor that found the task taken has begun no command.
    this.#begun(pending, 0, Date.now());
  }

  #gone(number: number): void {
    const supervisor = this.#supervisors.get(number);
    this.#supervisors.delete(number);
    const pending = supervisor?.orderId === undefined ? undefined : this.#pending.get(supervisor.orderId);
    if (supervisor?.orderId === undefined || pending === undefined) return;
    this.#pending.delete(supervisor.orderId);
    pending.begin?.reject(new SpawnFailure('unwatched'));
    pending.end({ how: 'killed' });
  }

  #lost(child: Child, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#supervisors.clear();
    if (!this.#isClosed) this.#log.warn('spawner_ended', { reason, pending: this.#pending.size });
    if (!this.#isReady && this.#commands.length > 1) this.#commands.shift();
    child.kill('SIGKILL'); // it can no longer be reached
    for (const { begin, end } of this.#pending.values()) {
      begin?.reject(new SpawnFailure('unwatched'));
      // After `close` the agent's next run watches them.
      if (!this.#isClosed) end({ how: 'unwatched' });
    }
    this.#pending.clear();
  }
}

const PROBE_MS_MAX = 20_000;

/** The output of a program, or why there is none. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: {}, timeout: PROBE_MS_MAX };
    execFile(program, args, options, (error, stdout) => resolve(error?.message ?? stdout.trim()));
  });
}

const BLOCK_BYTES = 512;

/** From the supervisor's figures: microseconds of processors, KiB of the largest process, blocks read and written. */
export function processesUsed([processorUs, memoryKib, read, written]: readonly number[]): Used {
  return {
    source: 'rusage',
    memoryBytes: (memoryKib ?? 0) * 1024,
    processorUs: processorUs ?? 0,
    readBytes: (read ?? 0) * BLOCK_BYTES,
    writtenBytes: (written ?? 0) * BLOCK_BYTES,
  };
}

function exitOf(what: string, [exitCode, endedMs, standbyPid, ...more]: readonly string[]): Exit {
  if (what !== 'ended') return { how: 'taken' };
  const code = Number(exitCode);
  const [ended, standby] = [Number(endedMs), Number(standbyPid)];
  const [used, fault] = [processesUsed(more.slice(0, 4).map(Number)), more.slice(4).join(' ')];
  return { how: 'ended', exitCode: code, endedMs: ended, standbyPid: standby, used, fault };
}

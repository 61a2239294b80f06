/**
 * What a call costs this thread, as numbers that do not depend on the machine: how often each block of code was run
 * (V8's precise coverage, of our code and of packages alike), and how many bytes were looked at by built-ins that
 * take time by the length of what they are given (expressions, searches, copies), which coverage does not see. What is
 * served in a thread of its own can be counted with it.
 */
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { ThreadCounter } from './thread-counter.ts';
import { watchBuiltins } from './watched-builtins.ts';

export interface Work {
  /** Blocks of code that were run. */
  readonly blocks: number;
  /** Characters and items that built-ins went through. */
  readonly touched: number;
  /** The functions that were run most, for whoever has to find out why. */
  readonly most: readonly string[];
}

/** How long the thread is watched, and what it may do meanwhile (timers, heartbeats) and still count as at rest. */
const QUIET_MS = 30;
const QUIET_BLOCKS = 4_000;

export class WorkCounter {
  readonly #session = new Session();
  readonly #threads: ThreadCounter | undefined;
  #touched = 0;
  #restore: () => void = () => undefined;

  private constructor(threads: string | undefined) {
    this.#session.connect();
    this.#threads = threads === undefined ? undefined : new ThreadCounter(this.#session, threads);
  }

  /**
   * Before anything that is to be counted has run: blocks of functions that are compiled already are not counted.
   * `threads`: a part of the address of the program of threads that are counted as well, those that start from now on.
   */
  static async start({ threads }: { readonly threads?: string } = {}): Promise<WorkCounter> {
    if (!isMainThread) throw new Error('work is counted on the main thread');
    const counter = new WorkCounter(threads);
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await counter.#threads?.start();
    counter.#restore = watchBuiltins((size) => {
      counter.#touched += size;
    });
    return counter;
  }

  /** What `work` costs, with all that this thread does meanwhile. */
  async count(work: () => Promise<unknown> | unknown): Promise<Work> {
    await this.#threads?.take();
    await this.#session.post('Profiler.takePreciseCoverage');
    this.#touched = 0;
    await work();
    let touched = this.#touched;
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const scripts = [...result];
    for (const thread of (await this.#threads?.take()) ?? []) {
      touched += thread.touched;
      scripts.push(...thread.scripts);
    }
    return { touched, ...sumOf(scripts) };
  }

  /** The same with what follows from it, until this thread has nothing to do any more. */
  async countAll(work: () => Promise<unknown> | unknown): Promise<Work> {
    let { blocks, touched, most } = await this.count(work);
    for (let isQuiet = false; !isQuiet; ) {
      const more = await this.count(() => sleep(QUIET_MS));
      isQuiet = more.blocks < QUIET_BLOCKS;
      blocks += more.blocks;
      touched += more.touched;
      if (more.blocks > blocks / 2) most = more.most;
    }
    return { blocks, touched, most };
  }

  async stop(): Promise<void> {
    this.#restore();
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }
}

function sumOf(scripts: readonly Profiler.ScriptCoverage[]): Pick<Work, 'blocks' | 'most'> {
  let blocks = 0;
  const counts: { readonly name: string; readonly count: number }[] = [];
  for (const { url, functions } of scripts) {
    if (url.startsWith('node:') || url.includes('/test/') || url.includes('/tap')) continue;
    for (const { functionName, ranges } of functions) {
      const count = ranges.reduce((sum, range) => sum + range.count, 0);
      if (count === 0) continue;
      blocks += count;
      counts.push({ name: `${functionName} (${url.split('/').slice(-2).join('/')})`, count });
    }
  }
  counts.sort((one, other) => other.count - one.count);
  return { blocks, most: counts.slice(0, 5).map(({ name, count }) => `${count} ${name}`) };
}

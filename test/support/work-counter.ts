/**
 * The cost of a call in this thread, as numbers that do not depend on the machine: how often each block of code was run
 * (V8's precise coverage, of our code and of packages alike), and how many characters and items were input of built-ins
 * whose time depends on its length (expressions, searches, copies), which coverage does not show. Threads can be
 * included.
 */
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { getCompileCacheDir } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { ThreadCounter } from './thread-counter.ts';
import { watchBuiltins } from './watched-builtins.ts';

export interface Work {
  /** The number of executed blocks of code. */
  readonly blocks: number;
  /** The characters and items that built-ins have read. */
  readonly touched: number;
  /** The functions with the most executed blocks, for diagnosis. */
  readonly most: readonly string[];
}

/** How long the thread is watched, and the work that it may do meanwhile (timers, heartbeats) to count as idle. */
const QUIET_MS = 30;
const QUIET_BLOCKS = 4_000;

/** The part of what one thing may cost that things which are counted together are expected to cost. */
const EXPECTED_PART = 0.7;

/** How many things to count together, at most `most`, where the last ones took so many steps each. */
export function countedTogether(steps: number, stepsMax: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor((EXPECTED_PART * stepsMax) / Math.max(1, steps))));
}

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
   * Has to be called before the counted code runs, because blocks of functions that are already compiled are not
   * counted. `threads`: a part of the URL of the program of threads that are counted too, if they start from now on.
   */
  static async start({ threads }: { readonly threads?: string } = {}): Promise<WorkCounter> {
    if (!isMainThread) throw new Error('work is counted on the main thread');
    // Functions that come from there are compiled already.
    if (getCompileCacheDir() !== undefined)
      throw new Error('work is counted without a cache of compiled code');
    const counter = new WorkCounter(threads);
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await counter.#threads?.start();
    counter.#restore = watchBuiltins((size) => {
      counter.#touched += size;
    });
    return counter;
  }

  /** The cost of `work`, including everything else that this thread does meanwhile. */
  async count(work: () => Promise<unknown> | unknown): Promise<Work> {
    await this.#threads?.take();
    await this.#session.post('Profiler.takePreciseCoverage');
    this.#touched = 0;
    return this.countOn(work);
  }

  /** The same with what this thread did since the last count, in half of the time. */
  async countOn(work: () => Promise<unknown> | unknown): Promise<Work> {
    await work();
    let touched = this.#touched;
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const scripts = [...result];
    for (const thread of (await this.#threads?.take()) ?? []) {
      touched += thread.touched;
      scripts.push(...thread.scripts);
    }
    const sum = sumOf(scripts);
    // The sum was made with built-ins too.
    this.#touched = 0;
    return { touched, ...sum };
  }

  /** The same, but for what built-ins of this thread read before `work`: what is sent is made with them. */
  async countNext(work: () => Promise<unknown> | unknown): Promise<Work> {
    this.#touched = 0;
    return this.countOn(work);
  }

  /** The same, including work that follows, until this thread is idle. */
  async countAll(work: () => Promise<unknown> | unknown): Promise<Work> {
    let { blocks, touched, most } = await this.count(work);
    for (let isQuiet = false; !isQuiet; ) {
      const more = await this.countOn(() => sleep(QUIET_MS));
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

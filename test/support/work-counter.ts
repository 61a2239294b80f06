/**
 * What a call costs this thread, as numbers that do not depend on the machine: how often each block of code was run
 * (V8's precise coverage, of our code and of packages alike), and how many bytes were looked at by built-ins that
 * take time by the length of what they are given (expressions, searches, copies), which coverage does not see.
 */
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

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
  #touched = 0;
  readonly #restore: (() => void)[] = [];

  /** Before anything that is to be counted has run: blocks of functions that are compiled already are not counted. */
  static async start(): Promise<WorkCounter> {
    if (!isMainThread) throw new Error('work is counted on the main thread');
    const counter = new WorkCounter();
    counter.#session.connect();
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    counter.#watchBuiltins();
    return counter;
  }

  /** What `work` costs, with all that this thread does meanwhile. */
  async count(work: () => Promise<unknown> | unknown): Promise<Work> {
    await this.#session.post('Profiler.takePreciseCoverage');
    this.#touched = 0;
    await work();
    const touched = this.#touched;
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let blocks = 0;
    const counts: { readonly name: string; readonly count: number }[] = [];
    for (const { url, functions } of result) {
      if (url.startsWith('node:') || url.includes('/test/') || url.includes('/tap')) continue;
      for (const { functionName, ranges } of functions) {
        const count = ranges.reduce((sum, range) => sum + range.count, 0);
        if (count === 0) continue;
        blocks += count;
        counts.push({ name: `${functionName} (${url.split('/').slice(-2).join('/')})`, count });
      }
    }
    counts.sort((one, other) => other.count - one.count);
    return { blocks, touched, most: counts.slice(0, 5).map(({ name, count }) => `${count} ${name}`) };
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
    for (const restore of this.#restore) restore();
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  #watchBuiltins(): void {
    this.#watch(RegExp.prototype, 'exec', (given, [text], found) => {
      if (found === null) return String(text).length;
      const { index, 0: match } = found as RegExpExecArray;
      // One that goes on from its last match has not looked at what is before.
      return (given as RegExp).global ? match.length : index + match.length;
    });
    this.#watch(RegExp.prototype, 'test', (_given, [text]) => String(text).length);
    for (const name of ['includes', 'split', 'replace', 'replaceAll', 'normalize', 'toLowerCase'] as const)
      this.#watch(String.prototype, name, lengthOf);
    for (const holder of [String.prototype, Array.prototype] as const) {
      this.#watch(holder, 'indexOf', (given, [, from = 0], found) => {
        return ((found as number) < 0 ? lengthOf(given) : (found as number)) - Math.max(0, from as number);
      });
    }
    for (const name of ['includes', 'concat', 'join', 'sort', 'flat', 'find', 'some', 'filter'] as const)
      this.#watch(Array.prototype, name, lengthOf);
    this.#watch(Array.prototype, 'slice', (_given, _asked, made) => lengthOf(made));
    for (const name of ['keys', 'values', 'entries', 'fromEntries'] as const)
      this.#watch(Object, name, (_holder, _asked, made) => lengthOf(made));
    this.#watch(JSON, 'stringify', (_holder, _asked, made) => lengthOf(made));
  }

  /** Counts what a method goes through: `size` is told what it is called on, with what, and what it gave. */
  #watch<T extends object>(holder: T, name: keyof T & string, size: Size): void {
    const original = holder[name] as (...asked: unknown[]) => unknown;
    const add = (size: number) => {
      this.#touched += size;
    };
    const watched = function (this: unknown, ...asked: unknown[]): unknown {
      const made = original.apply(this, asked);
      add(size(this, asked, made));
      return made;
    };
    const put = (value: unknown) =>
      Object.defineProperty(holder, name, { value, configurable: true, writable: true });
    put(watched);
    this.#restore.push(() => put(original));
  }
}

type Size = (given: unknown, asked: readonly unknown[], made: unknown) => number;

/** The length of a text or an array; 0 for anything else, such as an object with keys. */
function lengthOf(given: unknown): number {
  return typeof given === 'string' || Array.isArray(given) ? given.length : 0;
}

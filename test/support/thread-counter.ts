/** Counts the work of other threads as `WorkCounter` does for its own, through the inspector of each thread. */
import type { Profiler } from 'node:inspector';
import type { Session } from 'node:inspector/promises';
import { watchBuiltins } from './watched-builtins.ts';

export interface ThreadWork {
  readonly scripts: readonly Profiler.ScriptCoverage[];
  readonly touched: number;
}

/** The answer of a thread to a command. */
interface Answer {
  readonly id?: number;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

/** Evaluated in the thread before its program begins. */
const WATCH = `globalThis.touchedByBuiltins = 0;
(${watchBuiltins})((size) => { globalThis.touchedByBuiltins += size; });`;
const TAKE =
  '(() => { const made = globalThis.touchedByBuiltins; globalThis.touchedByBuiltins = 0; return made; })()';

export class ThreadCounter {
  readonly #session: Session;
  readonly #part: string;
  /** Threads that are counted, by their sessions. */
  readonly #threads = new Set<string>();
  readonly #asked = new Map<string, { resolve(answer: object): void; reject(error: Error): void }>();
  #lastId = 0;

  /** `part`: a part of the URL of the threads' program. */
  constructor(session: Session, part: string) {
    this.#session = session;
    this.#part = part;
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      void this.#attached(sessionId, workerInfo.url);
    });
    session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => this.#detached(sessionId));
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
      this.#answered(sessionId, JSON.parse(message) as Answer);
    });
  }

  /** Attaches to threads that start from now on, which wait for that. */
  async start(): Promise<void> {
    await this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: true });
  }

  /** The work of each thread since the last call, without those that have ended. */
  async take(): Promise<readonly ThreadWork[]> {
    const taken = await Promise.all(
      [...this.#threads].map(async (sessionId): Promise<readonly ThreadWork[]> => {
        try {
          const { result: scripts } = (await this.#ask(sessionId, 'Profiler.takePreciseCoverage')) as {
            result: Profiler.ScriptCoverage[];
          };
          const evaluated = await this.#ask(sessionId, 'Runtime.evaluate', { expression: TAKE });
          const { result } = evaluated as { result: { value: number } };
          return [{ scripts, touched: result.value }];
        } catch {
          return [];
        }
      }),
    );
    return taken.flat();
  }

  async #attached(sessionId: string, url: string): Promise<void> {
    if (url.includes(this.#part)) {
      this.#threads.add(sessionId);
      await this.#ask(sessionId, 'Profiler.enable');
      await this.#ask(sessionId, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      await this.#ask(sessionId, 'Runtime.evaluate', { expression: WATCH });
    }
    await this.#ask(sessionId, 'Runtime.runIfWaitingForDebugger');
  }

  #detached(sessionId: string): void {
    this.#threads.delete(sessionId);
    for (const [key, { reject }] of this.#asked) {
      if (!key.startsWith(`${sessionId} `)) continue;
      this.#asked.delete(key);
      reject(new Error('the thread has ended'));
    }
  }

  #ask(sessionId: string, method: string, params: object = {}): Promise<object> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(`${sessionId} ${id}`, { resolve, reject });
      const message = JSON.stringify({ id, method, params });
      this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(reject);
    });
  }

  #answered(sessionId: string, { id, result = {}, error }: Answer): void {
    const key = `${sessionId} ${id}`;
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  }
}

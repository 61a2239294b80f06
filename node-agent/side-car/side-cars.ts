/**
 * Reads side-cars on one thread, which starts when it is first needed and ends when it is not any more. A side-car
 * is left out with a warning when it is none, is too large, or takes too long: the file it speaks of is good without.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import type { ReadSideCar } from './worker.ts';

export type { ReadSideCar };

// limit: of one side-car; the thread does one after the other.
const DEADLINE_MS = 10_000;
const IDLE_MS = 30_000;

export class SideCarReader {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #stopIdle: (() => void) | undefined;

  constructor(clock: Clock, deadlineMs = DEADLINE_MS) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  /** Never rejects. One at a time: who asks waits for those before it. */
  read(text: string): Promise<ReadSideCar> {
    const answer = this.#last.then(() => this.#ask(text));
    this.#last = answer;
    return answer;
  }

  async #ask(text: string): Promise<ReadSideCar> {
    this.#stopIdle?.();
    this.#worker ??= startWorker();
    const worker = this.#worker;
    worker.ref();
    const answer = await new Promise<ReadSideCar>((resolve) => {
      const fail = (warning: string) => {
        this.#worker = undefined;
        void worker.terminate();
        resolve({ feature: '', warning });
      };
      const cancel = this.#clock.after(this.#deadlineMs, () => fail('takes too long to read'));
      worker.removeAllListeners();
      worker.once('error', (error: Error) => {
        cancel();
        fail(`could not be read: ${error.message.slice(0, 200)}`);
      });
      worker.once('message', (read: ReadSideCar) => {
        cancel();
        resolve(read);
      });
      worker.postMessage(text);
    });
    if (this.#worker === worker) {
      worker.unref();
      this.#stopIdle = this.#clock.after(IDLE_MS, () => void this.#end());
    }
    return answer;
  }

  /** Ends the thread. What is read afterwards starts another. */
  async close(): Promise<void> {
    this.#stopIdle?.();
    await this.#last;
    await this.#end();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function startWorker(): Worker {
  // limit: a document of 10 MiB is a few times that in memory.
  const resourceLimits = { maxOldGenerationSizeMb: 512 };
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits });
}

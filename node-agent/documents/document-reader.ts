/**
 * Reads documents of tasks in one thread, which starts when it is first needed and ends when it is idle. A side-car
 * that is invalid, too large, or takes too long is ignored with a warning: the file that it describes is kept without
 * it.
 */
import { Worker } from 'node:worker_threads';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import type { Clock } from '../clock.ts';
import type { ReadJsonOutputs } from './json-outputs.ts';
import type { DocumentQuestion, ReadSideCar } from './worker.ts';

export type { ReadSideCar };

// limit: for one document; the thread reads them one after another.
const DEADLINE_MS = 10_000;
const IDLE_MS = 30_000;

interface Failed {
  readonly failure: string;
}

export class DocumentReader {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #stopIdle: (() => void) | undefined;

  constructor(clock: Clock, deadlineMs = DEADLINE_MS) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  /** Never rejects. The thread owns `bytes` from then on. */
  async readSideCar(bytes: Uint8Array): Promise<ReadSideCar> {
    const read = await this.#read<ReadSideCar>({ type: 'sideCar', bytes });
    return 'failure' in read ? { feature: '', warning: read.failure } : read;
  }

  /** As above for `seed.outputs.json`; undefined: the task has written none. */
  async readJsonOutputs(
    bytes: Uint8Array | undefined,
    outputs: readonly OutputJson[],
  ): Promise<ReadJsonOutputs> {
    const read = await this.#read<ReadJsonOutputs>({ type: 'jsonOutputs', bytes, outputs });
    if (!('failure' in read)) return read;
    return { error: 'invalid-results-manifest', detail: `seed.outputs.json ${read.failure}` };
  }

  /** Documents are read one at a time, in the order of the calls. */
  #read<Answer extends object>(question: DocumentQuestion): Promise<Answer | Failed> {
    const answer = this.#last.then(() => this.#ask<Answer>(question));
    this.#last = answer;
    return answer;
  }

  async #ask<Answer extends object>(question: DocumentQuestion): Promise<Answer | Failed> {
    this.#stopIdle?.();
    this.#worker ??= startWorker();
    const worker = this.#worker;
    worker.ref();
    const answer = await new Promise<Answer | Failed>((resolve) => {
      const fail = (failure: string) => {
        this.#worker = undefined;
        void worker.terminate();
        resolve({ failure });
      };
      const cancel = this.#clock.after(this.#deadlineMs, () => fail('takes too long to read'));
      worker.removeAllListeners();
      worker.once('error', (error: Error) => {
        cancel();
        fail(`could not be read: ${error.message.slice(0, 200)}`);
      });
      worker.once('message', (read: Answer) => {
        cancel();
        resolve(read);
      });
      worker.postMessage(
        question,
        question.bytes === undefined ? [] : [question.bytes.buffer as ArrayBuffer],
      );
    });
    if (this.#worker === worker) {
      worker.unref();
      this.#stopIdle = this.#clock.after(IDLE_MS, () => void this.#end());
    }
    return answer;
  }

  /** Ends the thread. A later read starts another one. */
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
  // limit: a document of 10 MiB takes several times that in memory.
  const resourceLimits = { maxOldGenerationSizeMb: 512 };
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits });
}

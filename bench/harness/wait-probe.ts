/**
 * Somebody else, who asks for the smallest answer again and again while something is under way, and tells how long it
 * waited at most. In a thread of its own: what this program itself does meanwhile is no wait.
 */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';

/** Between an answer and the next question: what asks all the time is a load of its own. */
const PAUSE_MS = 1;

/** What the thread begins with. */
interface ProbeData {
  readonly url: string;
}

export class WaitProbe {
  readonly #worker: Worker;

  /** `url`: of an answer that takes no row and no body. */
  constructor(url: string) {
    const workerData: ProbeData = { url };
    this.#worker = new Worker(fileURLToPath(import.meta.url), { workerData });
  }

  /** The longest wait while `work` continues, in milliseconds. */
  async longestDuring(work: () => Promise<unknown>): Promise<number> {
    await this.#ask('begin');
    try {
      await work();
    } catch (error) {
      await this.#ask('end');
      throw error;
    }
    return await this.#ask('end');
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(what: 'begin' | 'end'): Promise<number> {
    const answer = once(this.#worker, 'message');
    this.#worker.postMessage(what);
    const [longestMs] = await answer;
    return longestMs;
  }
}

function probe(port: MessagePort, { url }: ProbeData): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let [isProbing, longestMs] = [false, 0];
  let probing = Promise.resolve();
  const answered = () =>
    new Promise<void>((resolve, reject) => {
      const request = httpRequest(url, { agent }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end();
    });
  const ask = async (): Promise<void> => {
    const beganMs = performance.now();
    await answered();
    longestMs = Math.max(longestMs, performance.now() - beganMs);
  };
  const askOn = async (): Promise<void> => {
    while (isProbing) {
      await ask();
      await sleep(PAUSE_MS);
    }
  };
  port.on('message', async (what: 'begin' | 'end') => {
    if (what === 'begin') {
      await ask(); // the connection is there before anything is measured
      [isProbing, longestMs] = [true, 0];
      probing = askOn();
    } else {
      isProbing = false;
      await probing;
    }
    port.postMessage(longestMs);
  });
}

if (!isMainThread && parentPort !== null) probe(parentPort, workerData as ProbeData);

/**
 * A thread that performs an ingest from its beginning to its end whenever it is asked, while the thread that asks
 * stands still: another agent that does the same work between two file calls of the first.
 */
import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type IngestPorts, performIngest } from '../../../node-agent/ingest/ingest-file.ts';
import type { IngestItem } from '../../../node-agent/ingest/ingest-item.ts';
import { createHostBroker } from '../../../src/storage/host.ts';

interface Order {
  readonly roots: Readonly<Record<string, string>>;
  readonly item: IngestItem;
}

export class OtherRun {
  readonly #worker: Worker;
  readonly #isDone: Int32Array;

  private constructor(worker: Worker, isDone: Int32Array) {
    this.#worker = worker;
    this.#isDone = isDone;
  }

  static async start(): Promise<OtherRun> {
    const isDone = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL(import.meta.url), { workerData: isDone });
    await once(worker, 'message');
    return new OtherRun(worker, isDone);
  }

  /** Returns when the ingest has been performed, and lets nothing else of this thread run meanwhile. */
  performNow(order: Order): void {
    Atomics.store(this.#isDone, 0, 0);
    this.#worker.postMessage(order);
    if (Atomics.wait(this.#isDone, 0, 0, 60_000) === 'timed-out')
      throw new Error('the other run does not end');
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function perform({ roots, item }: Order): Promise<void> {
  const ports: IngestPorts = {
    nowMs: () => Date.now(),
    reached: async (uuid) =>
      createHostBroker({
        workspaceUuid: uuid,
        root: roots[uuid] ?? '',
        agentId: 'other',
        beforeStep: () => undefined,
      }),
    recordResult: async () => undefined,
  };
  await performIngest(item, ports);
}

if (parentPort !== null && workerData instanceof Int32Array) {
  const isDone = workerData;
  parentPort.on('message', (order: Order) => {
    void perform(order).then(() => {
      Atomics.store(isDone, 0, 1);
      Atomics.notify(isDone, 0);
    });
  });
  parentPort.postMessage('ready');
}

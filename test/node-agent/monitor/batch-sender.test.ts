/** When batches leave, on a clock of the test's own. */
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { BatchSender } from '../../../node-agent/monitor/batch-sender.ts';
import { FileTracker, type SeenFile } from '../../../node-agent/monitor/file-tracker.ts';
import type { MonitorClock } from '../../../node-agent/monitor/monitor-clock.ts';

const FULL = 4;

class HandClock implements MonitorClock {
  #nowMs = 0;
  #due: { atMs: number; run: () => void }[] = [];
  nowMs = () => this.#nowMs;
  monotonicMs = () => this.#nowMs;

  timer(afterMs: number, run: () => void): () => void {
    const one = { atMs: this.#nowMs + afterMs, run };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  }

  async to(nowMs: number): Promise<void> {
    this.#nowMs = nowMs;
    const due = this.#due.filter(({ atMs }) => atMs <= nowMs);
    this.#due = this.#due.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
    await immediate();
  }
}

function senderWorld() {
  const clock = new HandClock();
  const tracker = new FileTracker({ transferSuffix: '', stableMs: 0, sinceMs: 0, filesMax: 100 });
  const sent: { readonly atMs: number; readonly count: number }[] = [];
  let acknowledge = (): void => undefined;
  let count = 0;
  const sender = new BatchSender(tracker, clock, {
    ...{ filesPerBatch: FULL, lingerMs: 5, everyMs: 25 },
    onBatch: (files: readonly SeenFile[]) => {
      sent.push({ atMs: clock.nowMs(), count: files.length });
      return new Promise((resolve) => {
        acknowledge = resolve;
      });
    },
    onRefused: () => undefined,
  });
  const arrive = (files: number): void => {
    for (; files > 0; files--) {
      count += 1;
      const identity = `1.1.${count}.1`;
      const times = { mtimeMs: 1, mtimeUs: 1, ctimeUs: 1, birthUs: 1 };
      const facts = {
        size: 1,
        linkCount: 1,
        allocatedBytes: 0,
        uid: 0,
        inode: `1:${count}`,
        device: '1',
        identity,
        ...times,
      };
      tracker.observe(
        `f${count}`,
        { kind: 'file', ...facts },
        { nowMs: clock.nowMs(), wallMs: 0, watermarkMs: undefined },
      );
    }
    sender.wake();
  };
  const acknowledged = async (): Promise<void> => {
    acknowledge();
    await immediate();
  };
  return { clock, sent, arrive, acknowledged };
}

t.test('batch sender: the first file after a pause waits a moment for others', async (t) => {
  const { clock, sent, arrive, acknowledged } = senderWorld();
  arrive(1);
  await clock.to(4);
  arrive(1);
  t.strictSame(sent, []);
  await clock.to(5);
  await acknowledged();
  await clock.to(1_000);
  arrive(1);
  await clock.to(1_005);
  t.strictSame(sent, [
    { atMs: 5, count: 2 },
    { atMs: 1_005, count: 1 },
  ]);
});

t.test('batch sender: batches that are not full are sent at intervals', async (t) => {
  const { clock, sent, arrive, acknowledged } = senderWorld();
  arrive(1);
  await clock.to(5);
  await clock.to(8);
  arrive(1);
  await acknowledged();
  await clock.to(29);
  t.equal(sent.length, 1);
  await clock.to(30);
  t.strictSame(sent[1], { atMs: 30, count: 1 });
  arrive(1);
  await clock.to(90);
  await acknowledged();
  await clock.to(94);
  t.equal(sent.length, 2, 'an acknowledgement that took longer is waited for, and a moment');
  await clock.to(95);
  t.strictSame(sent[2], { atMs: 95, count: 1 });
});

t.test('batch sender: full batches are sent at once', async (t) => {
  const { clock, sent, arrive, acknowledged } = senderWorld();
  arrive(2 * FULL);
  await clock.to(0);
  await acknowledged();
  await clock.to(1);
  t.strictSame(
    sent.map(({ count }) => count),
    [FULL, FULL],
  );
});

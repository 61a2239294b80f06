/** Which queues are read for which strikes, with a double of the queues. */
import t from 'tap';
import { waitUntil } from '../../src/lib/wait-until.ts';
import type { Deliver, QueueOrder, Reading } from '../../src/notifications/queue.ts';
import { QueueReaders } from '../../src/notifications/readers.ts';
import { silentLog } from '../support/silent-log.ts';

const order = (strikeId: number, queueName = 'q'): QueueOrder => ({ strikeId, queueName, queueType: 'nats' });

class PlayedQueues {
  readonly open: string[] = [];
  readonly log: string[] = [];
  failures = 0;
  readonly #ends = new Map<string, (error: unknown) => void>();
  deliver: Deliver | undefined;

  async read({ strikeId, queueName }: QueueOrder, deliver: Deliver): Promise<Reading> {
    const name = `${strikeId}/${queueName}`;
    if (this.failures-- > 0) throw new Error('away');
    this.log.push(`open ${name}`);
    this.open.push(name);
    this.deliver = deliver;
    const ended = new Promise<unknown>((resolve) => this.#ends.set(name, resolve));
    const close = async (): Promise<void> => {
      this.open.splice(this.open.indexOf(name), 1);
      this.log.push(`close ${name}`);
    };
    return { ended, close };
  }

  async forget({ strikeId, queueName }: QueueOrder): Promise<void> {
    this.log.push(`forget ${strikeId}/${queueName}`);
  }

  end(name: string): void {
    this.#ends.get(name)?.(new Error('gone'));
  }
}

function world(t: { teardown(close: () => Promise<void>): void }) {
  const queues = new PlayedQueues();
  const ours = new Set([1, 2]);
  const delivered: unknown[] = [];
  const readers = new QueueReaders({
    kinds: { nats: queues },
    deliver: async (strikeId, objects) => void delivered.push([strikeId, objects.length]),
    isOurs: (strikeId) => ours.has(strikeId),
    log: silentLog,
    checkMs: 10,
  });
  t.teardown(() => readers.close());
  return { queues, readers, ours, delivered };
}

async function until(condition: () => boolean): Promise<void> {
  const found = await waitUntil(condition, { timeoutMs: 10_000, everyMs: 5 });
  if (found === undefined) throw new Error('not in time');
}

t.test('queue readers: a strike has one reader, even if it is ordered several times', async (t) => {
  const { queues, readers, delivered } = world(t);
  for (let time = 0; time < 3; time += 1) readers.keep(order(1));
  readers.keep(order(2));
  await until(() => queues.open.length === 2);
  t.strictSame(queues.log, ['open 1/q', 'open 2/q']);
  await queues.deliver?.([]);
  t.strictSame(delivered, [[2, 0]]);
});

t.test(
  'queue readers: another queue of a strike replaces the first, which is closed and then forgotten',
  async (t) => {
    const { queues, readers } = world(t);
    readers.keep(order(1));
    await until(() => queues.open.length === 1);
    readers.keep(order(1, 'other'));
    await readers.forget(order(1));
    await until(() => queues.open.includes('1/other') && queues.open.length === 1);
    t.ok(queues.log.indexOf('close 1/q') < queues.log.indexOf('forget 1/q'), queues.log.join());
  },
);

t.test('queue readers: the reader of a strike that moved to another coordinator is closed', async (t) => {
  const { queues, readers, ours } = world(t);
  readers.keep(order(1));
  readers.keep(order(2));
  await until(() => queues.open.length === 2);
  ours.delete(1);
  await until(() => queues.open.length === 1);
  t.strictSame(queues.open, ['2/q']);
  t.strictSame(readers.strikeIds(), [2]);
});

t.test('queue readers: a queue that cannot be opened, or ends, is opened again', async (t) => {
  const { queues, readers } = world(t);
  queues.failures = 1;
  readers.keep(order(1));
  await until(() => queues.open.length === 1);
  queues.end('1/q');
  await until(() => queues.log.length === 3);
  t.strictSame(queues.log, ['open 1/q', 'close 1/q', 'open 1/q']);
});

t.test('queue readers: an order that is dropped while its queue is away opens nothing', async (t) => {
  const { queues, readers } = world(t);
  queues.failures = 1_000;
  readers.keep(order(1));
  readers.drop(1);
  readers.drop(1);
  await readers.close();
  t.strictSame(queues.log, []);
});

t.test('queue readers: orders of an unknown queue type, or after the close, open nothing', async (t) => {
  const { queues, readers } = world(t);
  readers.keep({ ...order(1), queueType: 'sqs' });
  await readers.forget({ ...order(1), queueType: 'sqs' });
  await readers.close();
  readers.keep(order(1));
  t.strictSame(readers.strikeIds(), []);
  t.strictSame(queues.log, []);
});

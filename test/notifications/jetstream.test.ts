/** Reading notifications from a real nats-server with JetStream. */
import { connect, type NatsConnection } from 'nats';
import t, { type Test } from 'tap';
import type { SeenObject } from '../../src/domain/notification/s3-event.ts';
import { KernelError } from '../../src/kernel/mod.ts';
import { waitUntil } from '../../src/lib/wait-until.ts';
import { JetStreamQueues, streamName } from '../../src/notifications/jetstream.ts';
import type { QueueOrder } from '../../src/notifications/queue.ts';
import { s3Event } from '../support/s3/s3-events.ts';
import { needs, serviceUrl } from '../support/services/services.ts';
import { silentLog } from '../support/silent-log.ts';

const WITHIN_MS = 20_000;
let queueCount = 0;

/** A queue for one test, and what is needed to read it. */
async function world(t: Test, options: { readonly ackWaitMs?: number } = {}) {
  const url = await serviceUrl('nats');
  const nats = await connect({ servers: new URL(url).host });
  const queueName = `test.${process.pid}.q${++queueCount}`;
  const queues = new JetStreamQueues({ url, log: silentLog, ...options });
  t.teardown(() => queues.close());
  const order: QueueOrder = { strikeId: queueCount, queueName, queueType: 'nats' };
  const manager = await nats.jetstreamManager();
  t.teardown(async () => {
    for (const subject of [queueName, `${queueName}.dead`])
      await manager.streams.delete(streamName(subject)).catch(() => undefined);
    await nats.close();
  });
  const got: string[] = [];
  const take = async (objects: readonly SeenObject[]) => void got.push(...objects.map(({ path }) => path));
  const pending = async () => {
    const consumer = await manager.consumers.info(streamName(queueName), `millrace-strike-${order.strikeId}`);
    return consumer.num_pending + consumer.num_ack_pending;
  };
  return { url, nats, queueName, queues, order, manager, got, take, pending };
}

t.test(
  'jetstream: messages from before the first reading arrive, and are acknowledged after their commit',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, got, take, pending } = await world(t);
    await queues.publish(queueName, s3Event({ key: 'a' }, { key: 'b' }));
    await queues.publish(queueName, s3Event({ key: 'c' }));
    const reading = await queues.read(order, take);
    await until('three arrived', () => got.length === 3);
    t.strictSame(got, ['a', 'b', 'c']);
    await until('all is acknowledged', async () => (await pending()) === 0);
    await queues.publish(queueName, s3Event({ key: 'd' }));
    await until('a fourth arrived', () => got.length === 4);
    await reading.close();
    t.equal(await reading.ended, undefined);
  },
);

t.test(
  'jetstream: messages of a reader that dies before their commit are delivered again',
  needs('nats'),
  async (t) => {
    const { url, queues, queueName, order, got, take, pending } = await world(t, { ackWaitMs: 1_000 });
    for (const key of ['a', 'b']) await queues.publish(queueName, s3Event({ key }));
    const asked: string[] = [];
    // A commit that never ends, as when the process is killed.
    const dead = new JetStreamQueues({ url, log: silentLog, ackWaitMs: 1_000 });
    await dead.read(order, (objects) => {
      asked.push(...objects.map(({ path }) => path));
      return new Promise(() => undefined);
    });
    await until('it was given out', () => asked.length > 0);
    t.equal(await pending(), 2);
    await dead.close();
    await queues.read(order, take);
    await until('both came again', () => new Set(got).size === 2);
    await until('all is acknowledged', async () => (await pending()) === 0);
  },
);

t.test(
  'jetstream: messages are delivered again while the database is away, and are not moved to the dead subject',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, got, take, manager } = await world(t);
    let failures = 0;
    await queues.read(order, async (objects) => {
      if (failures++ < 2) throw new KernelError({ code: 'UNAVAILABLE', message: 'away' });
      await take(objects);
    });
    await queues.publish(queueName, s3Event({ key: 'a' }));
    await until('it arrived', () => got.length === 1);
    t.equal(failures, 3);
    await t.rejects(manager.streams.info(streamName(`${queueName}.dead`)));
  },
);

t.test(
  'jetstream: an unreadable message is moved to the dead subject with a reason, and others arrive',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, got, take, pending, manager } = await world(t);
    await queues.read(order, take);
    const bad = ['rubbish', '{"Records":[{}]}', s3Event({ key: 'good' }, { key: '../bad' })];
    for (const text of bad) await queues.publish(queueName, text);
    await until('the good one arrived', () => got.includes('good'));
    await until('all are ended', async () => (await pending()) === 0);
    const dead = streamName(`${queueName}.dead`);
    const { state } = await manager.streams.info(dead);
    t.equal(state.messages, 3);
    const reasons: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(dead, { seq });
      t.equal(message.header.get('Millrace-Strike'), String(order.strikeId));
      reasons.push(message.header.get('Millrace-Reason'));
    }
    t.match(reasons, [/not JSON/, /eventName/, /'\.\.' segment/]);
  },
);

t.test('jetstream: a message whose delivery fails does not hold up others', needs('nats'), async (t) => {
  const { queues, queueName, order, got, take } = await world(t);
  for (const key of ['a', 'bad', 'c']) await queues.publish(queueName, s3Event({ key }));
  const reading = await queues.read(order, async (objects) => {
    if (objects.some(({ path }) => path === 'bad'))
      throw new KernelError({ code: 'HANDLER_FAILED', message: 'a bug' });
    await take(objects);
  });
  await until('the others arrived', () => got.length === 2);
  t.strictSame(got, ['a', 'c']);
  await reading.close();
});

t.test(
  'jetstream: a message is not delivered again while its commit is under way',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, pending } = await world(t, { ackWaitMs: 1_500 });
    let deliveries = 0;
    await queues.read(order, async () => {
      deliveries += 1;
      // Several times the period after which a silent reader's message is delivered again.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });
    await queues.publish(queueName, s3Event({ key: 'a' }));
    await until('it was given out', () => deliveries > 0);
    await until('it is acknowledged', async () => (await pending()) === 0);
    t.equal(deliveries, 1);
  },
);

t.test('jetstream: each of two strikes gets all messages of their queue', needs('nats'), async (t) => {
  const { queues, queueName, order, got, take } = await world(t);
  await queues.read(order, take);
  await queues.read({ ...order, strikeId: order.strikeId + 1_000 }, take);
  await queues.publish(queueName, s3Event({ key: 'a' }));
  await until('it arrived twice', () => got.length === 2);
});

t.test(
  'jetstream: an existing stream with the subject is used, and no other is created',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, got, take, manager } = await world(t);
    const name = `theirs-${process.pid}`;
    await manager.streams.add({ name, subjects: [`${queueName.split('.').slice(0, 2).join('.')}.*`] });
    t.teardown(() => manager.streams.delete(name));
    await queues.publish(queueName, s3Event({ key: 'a' }));
    await queues.read(order, take);
    await until('it arrived', () => got.length === 1);
    await t.rejects(manager.streams.info(streamName(queueName)));
  },
);

t.test(
  'jetstream: the consumer of a strike is removed when it no longer reads the queue',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, take, manager } = await world(t);
    await queues.forget(order);
    const reading = await queues.read(order, take);
    await reading.close();
    await queues.forget(order);
    await queues.forget(order);
    t.strictSame(await manager.consumers.list(streamName(queueName)).next(), []);
  },
);

t.test(
  'jetstream: the removal of the stream ends the reading, which can begin again',
  needs('nats'),
  async (t) => {
    const { queues, queueName, order, got, take, manager } = await world(t);
    const reading = await queues.read(order, take);
    await manager.streams.delete(streamName(queueName));
    t.type(await within(reading.ended), Error);
    await queues.read(order, take);
    await queues.publish(queueName, s3Event({ key: 'a' }));
    await until('it arrived', () => got.length === 1);
  },
);

t.test('jetstream: many messages arrive once each, in batches', needs('nats'), async (t) => {
  const { nats, queues, queueName, order, got, pending } = await world(t);
  const count = 2_000;
  await publishMany(nats, queues, queueName, count);
  let batches = 0;
  await queues.read(order, async (objects) => {
    batches += 1;
    got.push(...objects.map(({ path }) => path));
  });
  await until('all arrived', () => got.length >= count);
  await until('all are acknowledged', async () => (await pending()) === 0);
  t.equal(new Set(got).size, count);
  t.equal(got.length, count);
  t.ok(batches < count / 4, `${batches} batches`);
});
t.test('jetstream: an unreachable server is reported without its password', async (t) => {
  const url = 'nats://joe:hunter2@127.0.0.1:1';
  const queues = new JetStreamQueues({ url, log: silentLog });
  const order: QueueOrder = { strikeId: 1, queueName: 'q', queueType: 'nats' };
  await t.rejects(queues.read(order, async () => undefined));
  const error: unknown = await queues.publish('q', '{}').catch((error: unknown) => error);
  t.match(error, { code: 'BUS_UNAVAILABLE' });
  t.notMatch(String(error), /hunter2/);
  await queues.close();
});

async function publishMany(
  nats: NatsConnection,
  queues: JetStreamQueues,
  queueName: string,
  count: number,
): Promise<void> {
  await queues.publish(queueName, s3Event({ key: 'f0' }));
  const client = nats.jetstream();
  const texts = Array.from({ length: count - 1 }, (_, index) => s3Event({ key: `f${index + 1}` }));
  await Promise.all(texts.map((text) => client.publish(queueName, text)));
}

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const found = await waitUntil(condition, { timeoutMs: WITHIN_MS, everyMs: 20 });
  if (found === undefined) throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
}

async function within<T>(promise: Promise<T>): Promise<T> {
  let settled: { readonly value: T } | undefined;
  promise.then((value) => {
    settled = { value };
  });
  await until('it has ended', () => settled !== undefined);
  return (settled as unknown as { readonly value: T }).value;
}

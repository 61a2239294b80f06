/** Reading notifications from a double of SQS. The service of AWS was not tried. */
import t, { type Test } from 'tap';
import type { SeenObject } from '../../src/domain/notification/s3-event.ts';
import { KernelError } from '../../src/kernel/mod.ts';
import { waitUntil } from '../../src/lib/wait-until.ts';
import type { QueueOrder } from '../../src/notifications/queue.ts';
import { SqsQueues } from '../../src/notifications/sqs.ts';
import { sqsDouble } from '../support/fakes/sqs.ts';
import { s3Event } from '../support/s3/s3-events.ts';
import { silentLog } from '../support/silent-log.ts';

const ORDER: QueueOrder = {
  ...{ strikeId: 1, queueName: 'files', queueType: 'sqs', region: 'eu-west-1' },
  keys: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'hush-hush' },
};

async function world(t: Test) {
  const sqs = await sqsDouble('files');
  t.teardown(() => sqs.close());
  const queues = new SqsQueues({ log: silentLog, endpoint: sqs.endpoint, waitS: 0 });
  const got: string[] = [];
  const take = async (objects: readonly SeenObject[]) => void got.push(...objects.map(({ path }) => path));
  return { sqs, queues, got, take };
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const found = await waitUntil(condition, { timeoutMs: 20_000, everyMs: 10 });
  if (found === undefined) throw new Error(`not in time: ${what}`);
}

t.test('sqs: messages are read with the keys of the strike, and deleted after the commit', async (t) => {
  const { sqs, queues, got, take } = await world(t);
  for (let index = 0; index < 25; index += 1) sqs.send(s3Event({ key: `f${index}` }));
  const reading = await queues.read(ORDER, take);
  await until('all are deleted', () => sqs.held() === 0);
  await reading.close();
  t.equal(await reading.ended, undefined);
  t.equal(new Set(got).size, 25);
  t.equal(got.length, 25);
  t.ok(sqs.authorizations.every((text) => /Credential=AKIAEXAMPLE\/\d+\/eu-west-1\/sqs/.test(text)));
  t.notOk(sqs.authorizations.some((text) => text.includes('hush-hush')));
  const receive = sqs.calls.find(({ action }) => action === 'ReceiveMessage')?.call;
  t.match(receive, { MaxNumberOfMessages: 10, VisibilityTimeout: 120 });
});

t.test('sqs: a message whose commit failed is delivered again', async (t) => {
  const { sqs, queues, got, take } = await world(t);
  sqs.send(s3Event({ key: 'a' }));
  let failures = 0;
  const reading = await queues.read(ORDER, async (objects) => {
    if (failures++ === 0) throw new KernelError({ code: 'UNAVAILABLE', message: 'away' });
    await take(objects);
  });
  await until('it was hidden for a while', () =>
    sqs.calls.some(
      ({ action, call }) => action === 'ChangeMessageVisibility' && call.VisibilityTimeout === 1,
    ),
  );
  t.equal(sqs.held(), 1);
  sqs.reveal();
  await until('it is deleted', () => sqs.held() === 0);
  t.strictSame(got, ['a']);
  await reading.close();
});

t.test('sqs: an unreadable message is hidden, and others arrive', async (t) => {
  const { sqs, queues, got, take } = await world(t);
  sqs.send('rubbish');
  sqs.send(s3Event({ key: 'a' }));
  const reading = await queues.read(ORDER, take);
  await until('the good one is deleted', () => sqs.held() === 1);
  await until('the bad one is hidden for long', () =>
    sqs.calls.some(
      ({ action, call }) => action === 'ChangeMessageVisibility' && call.VisibilityTimeout === 900,
    ),
  );
  t.equal(sqs.visible(), 0);
  t.strictSame(got, ['a']);
  await reading.close();
});

t.test('sqs: a missing queue is reported without secrets', async (t) => {
  const { queues, take } = await world(t);
  const error: unknown = await queues.read({ ...ORDER, queueName: 'nobody' }, take).catch((error) => error);
  t.match(error, /QueueDoesNotExist/);
  t.notMatch(String(error), /hush-hush/);
});

t.test('sqs: a refused reading ends with the reason', async (t) => {
  const { sqs, queues, take } = await world(t);
  const reading = await queues.read(ORDER, take);
  sqs.before = () => {
    throw new Error('AccessDenied');
  };
  t.match(await reading.ended, /AccessDenied/);
  await reading.close();
});

t.test('sqs: closing does not wait for further messages', async (t) => {
  const { sqs, take } = await world(t);
  const queues = new SqsQueues({ log: silentLog, endpoint: sqs.endpoint, waitS: 20 });
  const reading = await queues.read(ORDER, take);
  await reading.close();
  t.equal(await reading.ended, undefined);
  await queues.forget();
});

/** Notifications over HTTP: straight to the strikes without NATS, through a real nats-server with one. */
import { connect } from 'nats';
import t, { type Test } from 'tap';
import { notificationRoutes } from '../../../src/api/notifications/routes.ts';
import { openNotifications } from '../../../src/coordinator/notifications.ts';
import { KernelError } from '../../../src/kernel/mod.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { streamName } from '../../../src/notifications/jetstream.ts';
import { makeCaller } from '../../support/http.ts';
import { s3Event } from '../../support/s3/s3-events.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { silentLog } from '../../support/silent-log.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

const TOKEN = 'a-token-of-a-store';

interface Notified {
  readonly to: string;
  readonly message: { readonly objects: readonly { readonly path: string }[] };
}

interface Given {
  readonly token?: string;
  readonly natsUrl?: string;
}

/** One database for all; each test has queues of its own. */
const world = await platformWorld(t);
await world.recipeType('takes-file', [{ name: 'F', media_types: [], required: true, multiple: false }]);
const broker = { type: 'objstore', bucket_name: 'inbox' };
await world.post('/v6/workspaces/', { title: 'bucket', configuration: { broker } });

async function begin(t: Test, given: Given = {}) {
  const asked: Notified[] = [];
  const failing: { error?: Error } = {};
  const notifications = await openNotifications({
    ...{
      sql: world.store.db.sql,
      encryption: encryptionOf(Buffer.alloc(32, 1)),
      self: 'here',
      log: silentLog,
    },
    natsUrl: given.natsUrl === undefined ? undefined : new Secret(given.natsUrl),
    token: given.token === undefined ? undefined : new Secret(given.token),
    system: {
      async ask(to, message) {
        asked.push({ to: `${to.kind}/${to.key}`, message: message as unknown as Notified['message'] });
        if (failing.error !== undefined) throw failing.error;
        return { files: 1 } as never;
      },
      ownerOf: () => undefined,
    },
  });
  t.teardown(() => notifications.close());
  const caller = makeCaller(notificationRoutes, { notifications: notifications.http });
  const tell = (queue: string, body: unknown, headers: Record<string, string> = {}) =>
    caller.call('POST', `/v6/notifications/${queue}/`, body, headers);
  return { asked, failing, tell };
}

async function strikeOf(monitor: object): Promise<number> {
  const configuration = {
    workspace: 'bucket',
    monitor: { type: 'objstore', ...monitor },
    files_to_ingest: [{ filename_regex: '.*' }],
    recipe: { name: 'takes-file' },
  };
  const made = await world.post('/v6/strikes/', { title: 'S', configuration });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.id;
}

t.test('notifications: without NATS they are answered after each strike of the queue has them', async (t) => {
  const { asked, tell } = await begin(t);
  const ids = [await strikeOf({ queue_name: 'q-in' }), await strikeOf({ queue_name: 'q-in' })];
  await strikeOf({ queue_name: 'other' });
  await strikeOf({ queue_name: 'q-in', queue_type: 'sqs' });

  const taken = await tell('q-in', s3Event({ key: 'a' }, { key: 'folder', size: 0 }, { key: '../b' }));

  t.equal(taken.status, 202, taken.text);
  t.match(taken.json, { objects: 1, skipped: 1, problems: [/'\.\.' segment/] });
  t.match(
    asked,
    ids.map((id) => ({ to: `strike/${id}`, message: { type: 'notified', objects: [{ path: 'a' }] } })),
  );
});

t.test('notifications: a queue that no strike reads is 404, in any spelling', async (t) => {
  const { tell } = await begin(t);
  await strikeOf({ queue_name: 'q2' });
  await strikeOf({ queue_name: 'sqs-only', queue_type: 'sqs' });
  for (const queue of ['nobody', 'Q2', 'q2%20', '%2e%2e', 'q2.dead', 'sqs-only', `${'x'.repeat(2_000)}`]) {
    t.equal((await tell(queue, s3Event({ key: 'a' }))).status, 404, queue.slice(0, 20));
  }
});

t.test('notifications: a wrong one is refused with every problem; a test event is accepted', async (t) => {
  const { asked, tell } = await begin(t);
  await strikeOf({ queue_name: 'q3' });
  for (const [body, count] of [
    ['{}', 1],
    ['{"Records":5}', 1],
    ['{"Records":[{},7,{"eventName":5}]}', 3],
    ['{"Message":"rubbish"}', 1],
    [s3Event({ key: '/a' }, { key: '../b' }), 2],
  ] as const) {
    const refused = await tell('q3', body);
    t.equal(refused.status, 400, body);
    t.equal(refused.json.errors.length, count);
    t.ok(refused.json.errors.every((one: { name: string }) => one.name === 'INVALID_NOTIFICATION'));
  }
  for (const body of ['', '[]', '7', '{', 'null']) t.equal((await tell('q3', body)).status, 400, body);
  const text = { 'content-type': 'text/plain' };
  t.equal((await tell('q3', s3Event({ key: 'a' }), text)).status, 415);
  const large = { Records: [], padding: 'x'.repeat(300_000) };
  t.equal((await tell('q3', large)).status, 413);
  t.equal((await tell('q3', { Event: 's3:TestEvent' })).status, 202);
  t.equal((await tell('q3', { Records: [] })).status, 202);
  t.strictSame(asked, []);
});

t.test('notifications: a configured token is required, in the forms that stores can send', async (t) => {
  const { tell } = await begin(t, { token: TOKEN });
  await strikeOf({ queue_name: 'q4' });
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const authorization of [
    ...['', 'Bearer', 'Bearer ', `Bearer ${TOKEN}x`, `Bearer x ${TOKEN}`, TOKEN, `Digest ${TOKEN}`],
    ...[basic(`${TOKEN}:`), basic('minio:other'), 'Basic %%%'],
  ]) {
    const refused = await tell('q4', s3Event({ key: 'a' }), authorization === '' ? {} : { authorization });
    t.equal(refused.status, 401, authorization);
    t.match(refused.json, { code: 'UNAUTHENTICATED' });
    t.notOk(refused.text.includes(TOKEN));
  }
  t.equal((await tell('nobody', '{}')).status, 401, 'nothing is reported before');
  for (const authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, basic(`minio:${TOKEN}`)]) {
    t.equal((await tell('q4', s3Event({ key: 'a' }), { authorization })).status, 202);
  }
});

t.test(
  'notifications: paused strikes are skipped; unavailable ones cause an error, so that the store repeats',
  async (t) => {
    const { asked, failing, tell } = await begin(t);
    const id = await strikeOf({ queue_name: 'q5' });
    failing.error = new KernelError({ code: 'STATE_CONFLICT', message: 'it is being paused' });
    t.equal((await tell('q5', s3Event({ key: 'a' }))).status, 202);
    failing.error = new KernelError({ code: 'UNAVAILABLE', message: 'away' });
    const refused = await tell('q5', s3Event({ key: 'a' }));
    t.equal(refused.status, 503);
    asked.length = 0;
    await world.store.rows('update strike set is_paused = true where id = $1', [id]);
    t.equal((await tell('q5', s3Event({ key: 'a' }))).status, 202);
    t.strictSame(asked, []);
  },
);

t.test(
  'notifications: with NATS they are stored there before they are answered',
  needs('nats'),
  async (t) => {
    const natsUrl = await serviceUrl('nats');
    const { asked, tell } = await begin(t, { natsUrl });
    const queue = `http.${process.pid}`;
    await strikeOf({ queue_name: queue });
    const text = s3Event({ key: 'a+b' });

    t.equal((await tell(queue, text)).status, 202);
    t.equal((await tell(queue, { Event: 's3:TestEvent' })).status, 202);

    const nats = await connect({ servers: new URL(natsUrl).host });
    t.teardown(() => nats.close());
    const { streams } = await nats.jetstreamManager();
    t.teardown(() => streams.delete(streamName(queue)));
    t.equal((await streams.info(streamName(queue))).state.messages, 1);
    const stored = await streams.getMessage(streamName(queue), { seq: 1 });
    t.strictSame(stored.json(), JSON.parse(text));
    t.strictSame(asked, []);
  },
);

t.test('notifications: while NATS is away they go to each strike of the queue', async (t) => {
  const { asked, tell } = await begin(t, { natsUrl: 'nats://127.0.0.1:1' });
  await strikeOf({ queue_name: 'q7' });
  const taken = await tell('q7', s3Event({ key: 'a' }));
  t.equal(taken.status, 202);
  t.match(asked, [{ message: { type: 'notified', objects: [{ path: 'a' }] } }]);
});

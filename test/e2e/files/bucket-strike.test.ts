/** Strikes that watch a bucket of a real S3 server: told by NATS, told over HTTP, and found by listing. */
import { connect } from 'nats';
import t from 'tap';
import { streamName } from '../../../src/notifications/jetstream.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { type TestBucket, testBucket } from '../../support/s3/bucket.ts';
import { type EventOf, s3Event } from '../../support/s3/s3-events.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { type IngestRecord, ingestOf } from '../harness/object-store.ts';
import { startPair } from '../harness/pair.ts';
import type { Program } from '../harness/program.ts';
import { listed } from '../harness/quiet.ts';
import { stays, until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const DAY_MS = 86_400_000;
const TOKEN = 'a-token-of-a-store';

interface Watching {
  readonly strikeId: number;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** A strike of the bucket that starts an empty recipe with each file; it lists once a day. */
async function watch(client: InterfaceClient, bucket: TestBucket, queueName: string): Promise<Watching> {
  const { name, endpoint, credentials } = bucket;
  const broker = { type: 'objstore', bucket_name: name, endpoint, credentials };
  const workspace = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Bucket',
    configuration: { broker },
  });
  const FILE = { name: 'FILE', required: true, multiple: false, media_types: [] };
  const recipe = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Nothing',
    definition: { input: { files: [FILE], json: [] }, nodes: {} },
  });
  const configuration = {
    workspace: workspace.name,
    monitor: { type: 'objstore', queue_name: queueName, list_every_ms: DAY_MS },
    files_to_ingest: [{ filename_regex: '.*\\.txt$', data_types: ['text'] }],
    recipe: { name: recipe.name },
  };
  const { id } = await client.post<{ id: number }>('/v6/strikes/', { title: 'Bucket', configuration });
  return { strikeId: id, configuration };
}

/** Puts an object; answers what its event says. */
async function put(
  { client, name }: TestBucket,
  key: string,
  content = `content of ${key}`,
): Promise<EventOf> {
  const { etag } = await client.putObject(name, key, content);
  return { bucket: name, key, size: Buffer.byteLength(content), etag };
}

const ingestsOf = async (client: InterfaceClient): Promise<string[]> => {
  const ingests = await listed<IngestRecord & { file_path: string }>(client, '/v6/ingests/');
  return ingests.map((one) => `${one.file_path} ${one.status}`).sort();
};

t.test(
  'bucket strike: each object is ingested once, however it is notified and whatever is killed',
  needs('s3'),
  async (t) => {
    const bucket = await testBucket(t);
    const natsUrl = await serviceUrl('nats');
    const queue = `e2e.${process.pid}.${bucket.name}`;
    const nats = await connect({ servers: new URL(natsUrl).host });
    t.teardown(async () => {
      const manager = await nats.jetstreamManager();
      await manager.streams.delete(streamName(queue)).catch(() => undefined);
      await nats.close();
    });
    const world = await createWorld(t);
    const grpc = `127.0.0.1:${await freePort()}`;
    const env = { DATABASE_URL: await migratedDatabase(t), NATS_URL: natsUrl, MILLRACE_GRPC: grpc };
    const startCoordinator = () => world.start('coordinator', 'coordinator', env);
    let coordinator: Program = await startCoordinator();
    await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
    const { strikeId, configuration } = await watch(clientOf(coordinator), bucket, queue);
    await until('the queue is read', () => coordinator.log.includes('notification_queue_read'));
    const publish = (text: string) => nats.jetstream().publish(queue, text);

    const keys = Array.from({ length: 60 }, (_, index) => `in/${index % 7}/a b+${index}.txt`);
    const told: Promise<unknown>[] = [];
    for (const [index, key] of keys.entries()) {
      const event = await put(bucket, key);
      told.push(publish(s3Event(event, { ...event, bucket: 'another-bucket' })));
      // Again, much later than others.
      if (index % 3 === 0) told.push(publish(s3Event(event)));
      if (index % 30 === 15) {
        await Promise.all(told.splice(0));
        await coordinator.end('SIGKILL');
        coordinator = await startCoordinator();
      }
    }
    for (const key of keys.slice(0, 20).reverse()) told.push(publish(s3Event(await put(bucket, key))));
    told.push(publish('rubbish'));
    await Promise.all(told);
    const client = clientOf(coordinator);
    const wanted = keys.map((key) => `${key} INGESTED`).sort();
    const all = async () => (await ingestsOf(client)).filter((one) => one.endsWith('INGESTED')).length >= 60;
    await until('all are ingested', all);
    t.strictSame(await ingestsOf(client), wanted);

    // Nobody tells of these.
    await put(bucket, 'lost/1.txt');
    await put(bucket, 'lost/2.txt');
    await put(bucket, 'lost/ignored.bin');
    t.ok(await stays(async () => (await ingestsOf(client)).length === 60, 500));
    const monitor = { ...(configuration.monitor as object), list_every_ms: 1_000 };
    await client.patch(`/v6/strikes/${strikeId}/`, { configuration: { ...configuration, monitor } });
    await until('the lost ones are ingested', async () => (await client.count('/v6/recipes/')) === 62);
    const found = [
      ...wanted,
      'lost/1.txt INGESTED',
      'lost/2.txt INGESTED',
      'lost/ignored.bin DEFERRED',
    ].sort();
    await until('the third is recorded', async () => (await ingestsOf(client)).length === found.length);
    t.strictSame(await ingestsOf(client), found);
    t.ok(await stays(async () => (await ingestsOf(client)).length === found.length, 2_500), 'listed again');
    t.equal(await client.count('/v6/files/'), 62);
    const strike = await client.get<{ job: { status: string } }>(`/v6/strikes/${strikeId}/`);
    t.equal(strike.job.status, 'RUNNING');

    const changed = await put(bucket, keys[0] as string, 'other content');
    await publish(s3Event(changed));
    await until('new content is a new file', async () => (await client.count('/v6/recipes/')) === 63);
    const manager = await nats.jetstreamManager();
    const dead = await manager.streams.info(streamName(`${queue}.dead`));
    t.equal(dead.state.messages, 1);
    await manager.streams.delete(streamName(`${queue}.dead`));
    const info = async () => manager.consumers.info(streamName(queue), `millrace-strike-${strikeId}`);
    await until('all is acknowledged', async () => {
      const { num_pending, num_ack_pending } = await info();
      return num_pending + num_ack_pending === 0;
    });
  },
);

t.test(
  'bucket strike: without NATS the store sends notifications over HTTP, with its token',
  needs('s3'),
  async (t) => {
    const bucket = await testBucket(t);
    const { client, coordinator } = await startPair(t, {
      coordinator: { MILLRACE_NOTIFICATION_TOKEN: TOKEN },
    });
    await watch(client, bucket, 'uploads');
    const running = async () => {
      const { results } = await client.get<{ results: { job: { status: string } }[] }>('/v6/strikes/');
      return results[0]?.job.status === 'RUNNING';
    };
    await until('the strike runs', running);
    const tell = (text: string, token: string) =>
      fetch(new URL('/v6/notifications/uploads/', client.base), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: text,
      });
    const event = s3Event(await put(bucket, 'in/a.txt'));
    t.equal((await tell(event, 'another')).status, 401);
    t.equal((await tell(event, TOKEN)).status, 202);
    t.equal((await tell(event, TOKEN)).status, 202);
    t.match(await ingestsOf(client), [/^in\/a\.txt /], 'it is recorded before it is answered');
    await ingestOf(client, 'a.txt', 'INGESTED');
    t.strictSame(await ingestsOf(client), ['in/a.txt INGESTED']);
    t.notOk(coordinator.log.includes(TOKEN));
  },
);

t.test('bucket strike: a store that pushes its own events is understood', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const { client } = await startPair(t);
  await watch(client, bucket, 'pushed');
  const isPushing = await pushTo(bucket, new URL('/v6/notifications/pushed/', client.base).href);
  // MinIO's targets are its own settings: there is no call that makes one.
  if (!isPushing) return t.comment('this S3 server makes no topics');
  const keys = ['in/plain.txt', 'in/ü a+b 100%.txt'];
  for (const key of keys) await bucket.client.putObject(bucket.name, key, 'content');
  // Sent in parts.
  await bucket.client.putObject(bucket.name, 'in/large.txt', Buffer.alloc(80 * 1_024 * 1_024, 'x'));
  const wanted = [...keys, 'in/large.txt'].map((key) => `${key} INGESTED`).sort();
  await until('all are ingested', async () => (await client.count('/v6/recipes/')) === 3);
  t.strictSame(await ingestsOf(client), wanted);
});

/** Has the store push events of the bucket; false when it has no call for that (Ceph has). */
async function pushTo({ client, name }: TestBucket, endpoint: string): Promise<boolean> {
  const call = async (options: Parameters<typeof client.makeRequestAsync>[0], body: string) => {
    const response = await client.makeRequestAsync(options, body, [200], 'us-east-1');
    return Buffer.concat(await response.toArray()).toString('utf8');
  };
  const topic = { Action: 'CreateTopic', Name: name, 'push-endpoint': endpoint };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const made = await call({ method: 'POST', headers }, new URLSearchParams(topic).toString()).catch(() => '');
  const arn = /<TopicArn>(.*?)<\/TopicArn>/.exec(made)?.[1];
  if (arn === undefined) return false;
  const configuration = `<TopicConfiguration><Id>all</Id><Topic>${arn}</Topic><Event>s3:ObjectCreated:*</Event>`;
  const document =
    '<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
    `${configuration}</TopicConfiguration></NotificationConfiguration>`;
  await call({ method: 'PUT', bucketName: name, query: 'notification' }, document);
  return true;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import { migratedDatabase } from '../../support/db.ts';
import { keysOf, testBucket } from '../../support/s3/bucket.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { createBucketWork, download, drop, ingestOf, linesOf, sha256 } from '../harness/object-store.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test(
  'objstore: files are ingested into a bucket, read and stored by a job, and downloaded',
  needs('s3'),
  async (t) => {
    const bucket = await testBucket(t);
    const { world, client, agent, coordinator } = await startPair(t);
    await createBucketWork(world, client, bucket);
    const content = 'one\ntwo\nthree\n';
    drop(world, 'a.txt', content);

    const ingest = await ingestOf(client, 'a.txt', 'INGESTED');
    const done = async () => (await client.count('/v6/recipes/?is_completed=true')) === 1;
    await until('the recipe is complete', done);
    await until('it has moved', () => !existsSync(join(world.at.arrivals, 'a.txt')));
    const files = await listed<StoredFile>(client, '/v6/files/');
    t.strictSame(await keysOf(bucket.client, bucket.name), files.map((file) => file.file_path).sort());

    const product = files.find((file) => file.id !== ingest.source_file?.id);
    t.equal((await download(client, { id: ingest.source_file?.id ?? 0 })).toString(), content);
    t.equal((await download(client, { id: product?.id ?? 0 })).toString(), 'three\ntwo\none\n');

    const where = new URL(`/v6/files/${product?.id}/content/`, client.base);
    const answer = await fetch(where, { redirect: 'manual' });
    t.equal(answer.status, 307, 'the object store serves it itself');
    const location = answer.headers.get('location') ?? '';
    t.ok(location.startsWith(bucket.endpoint));
    const part = await fetch(location, { headers: { range: 'bytes=6-8' } });
    t.equal(part.status, 206);
    t.equal(await part.text(), 'two');
    where.searchParams.set('stream', 'true');
    const streamed = await fetch(where, { redirect: 'manual' });
    t.equal(streamed.status, 200, 'unless the client asks for a stream');
    t.equal(await streamed.text(), 'three\ntwo\none\n');

    const secret = bucket.credentials.secret_access_key;
    t.notOk(`${agent.log}${coordinator.log}`.includes(secret), 'no log tells the secret');
    t.strictSame(filesWith(world.folder, secret), [], 'nor does any file of the programs');
  },
);

t.test('objstore: an agent killed in the middle of a large copy completes it', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const coordinator = await world.start('coordinator', 'coordinator', env);
  const client = clientOf(coordinator);
  const startAgent = () => world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  let agent = await startAgent();
  await createBucketWork(world, client, bucket);

  const large = linesOf(48 * 1_024 * 1_024);
  const hash = drop(world, 'large.txt', large);
  // Its parts are being sent: the key is taken, and the file is not there yet.
  // A hidden one is the agent's probe of the server: killed then, it would leave that for an hour.
  const isBegun = async () => (await keysOf(bucket.client, bucket.name)).some((key) => !key.startsWith('.'));
  await until('the copy has begun', isBegun);
  await agent.end('SIGKILL');
  t.ok(existsSync(join(world.at.arrivals, 'large.txt')), 'the source is where it was');
  agent = await startAgent();

  const ingest = await ingestOf(client, 'large.txt', 'INGESTED');
  const stored = await download(client, { id: ingest.source_file?.id ?? 0 });
  t.equal(sha256(stored), hash);
  await until(
    'the recipe is complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 1,
  );
  const gone = () => !existsSync(join(world.at.arrivals, 'large.txt'));
  t.ok(await until('the source is gone', gone));
  const files = await listed<StoredFile>(client, '/v6/files/');
  t.strictSame(await keysOf(bucket.client, bucket.name), files.map((file) => file.file_path).sort());
  const left: unknown[] = [];
  for await (const upload of bucket.client.listIncompleteUploads(bucket.name, '', true)) left.push(upload);
  t.strictSame(left, [], 'no parts are left');
});

/** Files below a folder that hold the text; the database is none of the programs' own. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

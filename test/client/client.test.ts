/** The client against a running service: records, lists, contents, changes and refusals. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Client } from '../../src/client/client.ts';
import { RefusedError } from '../../src/client/errors.ts';
import { createNodeClient } from '../../src/client/node.ts';
import { createWorld, type World } from '../e2e/harness/world.ts';
import { migratedDatabase } from '../support/db.ts';

async function workspace(client: Client, world: World, name: string) {
  mkdirSync(join(world.folder, name), { recursive: true });
  return client.post('/v6/workspaces/', {
    body: {
      title: name,
      name,
      configuration: { broker: { type: 'host', host_path: join(world.folder, name) }, http: 'write' },
    },
  });
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

t.test('client: records, lists, contents, changes and refusals of a service', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = createNodeClient({ server: up.url });

  await t.test('a list reads its pages one after the other, and yields each record once', async (t) => {
    for (let number = 1; number <= 7; number += 1) await workspace(client, world, `place-${number}`);
    const list = client.list('/v6/workspaces/', { pageSize: 3 });
    const names = (await collect(list)).map(({ name }) => name);
    t.strictSame(
      names,
      [1, 2, 3, 4, 5, 6, 7].map((number) => `place-${number}`),
    );
    t.equal(list.count, 7);
    t.match(list.cursor, /^[0-9a-z-]+$/);
    t.equal(await client.count('/v6/workspaces/'), 7);
    const own = client.list('/v6/job-types/running/', { pageSize: 1 });
    t.strictSame(await collect(own), [], 'a list with an order of its own');
  });

  await t.test('a repeated request with the same key creates nothing', async (t) => {
    const body = {
      title: 'Keyed',
      configuration: { broker: { type: 'host' as const, host_path: world.folder } },
    };
    const first = await client.post('/v6/workspaces/', { body, key: 'one' });
    const again = await client.post('/v6/workspaces/', { body, key: 'one' });
    t.equal(again.id, first.id);
    const { status, headers } = await client.call('POST', '/v6/workspaces/', { body, key: 'one' });
    t.equal(status, 201);
    t.match(headers.get('location'), `/v6/workspaces/${first.id}/`);
  });

  await t.test('a refusal has its status, code, request and every problem with its field', async (t) => {
    const body = { title: 7, nmae: 'x', configuration: { broker: { type: 'host' } } };
    const error = await client.request('POST', '/v6/workspaces/', { body }).catch((error: unknown) => error);
    t.ok(error instanceof RefusedError);
    if (!(error instanceof RefusedError)) return;
    t.match({ status: error.status, code: error.code }, { status: 400, code: /^[A-Z_]+$/ });
    t.ok(error.requestId);
    const paths = error.problems.map(({ path }) => path);
    t.ok(paths.includes('title'), JSON.stringify(error.problems));
    t.ok(paths.includes('nmae'), JSON.stringify(error.problems));
    await t.rejects(client.get('/v6/jobs/{id}/', { path: { id: 9_999 } }), {
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  await t.test('contents are uploaded and downloaded as streams', async (t) => {
    const content = randomBytes(3_000_000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < content.length; at += 100_000)
          controller.enqueue(content.subarray(at, at + 100_000));
        controller.close();
      },
    });
    const path = 'a b/ümlaut #1?.bin';
    const stored = await client.upload({ workspace: 'place-1', path, content: pieces, isRecorded: true });
    t.match(stored, { path, file_size: content.length, sha256 });
    for (const place of [{ fileId: stored.file_id ?? 0 }, { workspace: 'place-1', path }]) {
      const download = await client.download(place);
      t.equal(download.size, content.length);
      t.equal(download.sha256, sha256);
      t.ok(Buffer.concat(await collect(download.content)).equals(content));
    }
    const beginning = await client.download(
      { fileId: stored.file_id ?? 0 },
      { firstBytes: 1_000, isStreamed: true },
    );
    t.equal(beginning.size, 1_000);
    t.ok(Buffer.concat(await collect(beginning.content)).equals(content.subarray(0, 1_000)));
    const again = client.upload({ workspace: 'place-1', path, content: new Uint8Array(3) });
    await t.rejects(again, { status: 409, code: 'CONFLICT' });
  });

  await t.test('changes omit versions that a list has shown already', async (t) => {
    const list = client.list('/v6/workspaces/');
    const versions = new Map<number, number>();
    for await (const { id, object_version: version } of list) versions.set(id, version);
    const [first = 0] = versions.keys();
    await client.patch('/v6/workspaces/{id}/', { path: { id: first }, body: { title: 'Renamed' } });
    const seen: string[] = [];
    const ended = new AbortController();
    const changes = client.changes({
      filters: { kind: ['workspace'] },
      after: '0',
      versionOf: ({ id }) => versions.get(id),
      signal: ended.signal,
    });
    for await (const { id, what } of changes) {
      seen.push(`${id} ${what}`);
      break;
    }
    t.strictSame(seen, [`${first} edited`], 'of all changes only the one that is newer than the list');
    t.match(changes.cursor, /-/);
    ended.abort(new Error('enough'));
    await t.rejects(collect(client.changes({ signal: ended.signal })), { message: 'enough' });
  });

  await t.test('a wrong filter and an unknown cursor are refused', async (t) => {
    await t.rejects(collect(client.changes({ filters: { kind: ['jbo' as 'job'] } })), {
      name: 'RefusedError',
      status: 400,
    });
    const gone = client.changes({ after: '000000000000-1-p-1' });
    await t.rejects(collect(gone), { status: 410, code: 'CHANGES_GONE' });
  });

  await t.test('a signal ends waiting calls', async (t) => {
    const ended = new AbortController();
    const waiting = collect(client.changes({ signal: ended.signal }));
    setImmediate(() => ended.abort(new Error('enough')));
    await t.rejects(waiting, { message: 'enough' });
    await t.rejects(client.get('/v6/version/', { signal: ended.signal }), { message: 'enough' });
  });
});

/** Files that clients send: they appear when they are whole, and never over another. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { keysOf, testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { begin, inDirectory, LARGE, sha256, uploadsOf, writablePlace } from './places.ts';

t.test('put: a file is stored whole, recorded on request, and never over another', async (t) => {
  const { put, at, place, names, client } = await inDirectory(t, {
    coordinator: { MILLRACE_UPLOAD_MIB_MAX: '32' },
  });
  const stored = await put('d/e/large.bin', LARGE);
  t.match(stored, { status: 201, json: { path: 'd/e/large.bin', file_size: LARGE.length, file_id: null } });
  t.equal(stored.json.sha256, sha256(LARGE));
  t.match(stored.headers.get('location'), '/v6/workspaces/place/files/d/e/large.bin');
  t.equal(sha256(readFileSync(join(place, 'd/e/large.bin'))), sha256(LARGE));
  t.strictSame(names(), ['d', 'd/e', 'd/e/large.bin'], 'nothing else is left');

  t.match(await put('d/e/large.bin', 'other'), { status: 409, json: { code: 'CONFLICT' } });
  t.match(await put('d/e/large.bin', LARGE), { status: 409 }, 'not with the same content either');
  t.match(await put('d', 'a directory is there'), { status: 409 });
  t.equal(sha256(readFileSync(join(place, 'd/e/large.bin'))), sha256(LARGE), 'it is as it was');
  t.match(await put('d/e/large.bin/below', 'x'), { status: 400, json: { code: 'PATH_NOT_ALLOWED' } });
  t.match(await put('a%00b', 'x'), { status: 400 });
  symlinkSync(join(place, '../outside'), join(place, 'out'));
  t.match(await put('out/of/it', 'x'), {
    status: 400,
    json: {
      code: 'PATH_NOT_ALLOWED',
      detail: "cannot enter 'out': no directory; links are not followed (ENOTDIR)",
    },
  });
  for (const hostile of ['.millrace-workspace', 'a/.b', 'x'.repeat(256), 'a%2F..%2F..%2Fb', '/a', 'a/']) {
    t.match(await put(hostile, 'x'), { status: 400, json: { code: 'PATH_NOT_ALLOWED' } }, hostile);
  }
  t.match(await put('part', 'x', { headers: { 'content-range': 'bytes 0-0/9' } }), {
    status: 400,
    json: { errors: [{ path: 'Content-Range' }] },
  });
  t.match(await put('coded', 'x', { headers: { 'content-encoding': 'gzip' } }), { status: 415 });
  t.match(await put('too-large', Buffer.alloc(33 * 1_024 * 1_024)), {
    status: 413,
    json: { code: 'TOO_LARGE' },
  });
  const endless = new ReadableStream({ pull: (stream) => stream.enqueue(LARGE) });
  t.match(await put('too-large', endless, { duplex: 'half' } as RequestInit), { status: 413 });
  t.match(await put('empty', ''), { status: 201, json: { file_size: 0, sha256: sha256('') } });

  const recorded = await put('d/ü 1.csv?record=true', 'a,b\n');
  t.match(recorded, { status: 201, json: { file_size: 4 } });
  t.match(await client.get(`/v6/files/${recorded.json.file_id}/`), {
    ...{ file_type: 'SOURCE', file_name: 'ü 1.csv', file_path: 'd/ü 1.csv', media_type: 'text/csv' },
    ...{ sha256: sha256('a,b\n'), file_size: 4, is_deleted: false },
  });
  t.equal(await (await fetch(at('d/ü%201.csv'))).text(), 'a,b\n');
  t.strictSame(names(), ['d', 'd/e', 'd/e/large.bin', 'd/ü 1.csv', 'empty', 'out']);
});

t.test('put: a workspace takes files as soon as it is created', async (t) => {
  const { agent, client, world } = await startPair(t);
  const place = join(world.folder, 'new');
  mkdirSync(place);
  agent.signal('SIGSTOP');
  const configuration = { broker: { type: 'host', host_path: place }, http: 'write' };
  const { id } = await client.post<{ id: number }>('/v6/workspaces/', { title: 'New', configuration });
  let isAnswered = false;
  const sent = fetch(new URL('/v6/workspaces/new/files/a', client.base), {
    method: 'PUT',
    body: 'a',
  }).finally(() => {
    isAnswered = true;
  });
  for (let times = 0; times < 20; times += 1) await client.get(`/v6/workspaces/${id}/`);
  t.notOk(isAnswered, 'it waits while the agent has not looked for the workspace');
  agent.signal('SIGCONT');
  t.equal((await sent).status, 201);
  t.equal(readFileSync(join(place, 'a'), 'utf8'), 'a');
});

t.test('put: only where the workspace takes files, and not under /api/', async (t) => {
  const { put, at, place, client, id, names } = await inDirectory(t);
  const api = await fetch(new URL(`/api${at('a').pathname}`, at('a')), { method: 'PUT', body: 'x' });
  t.equal(api.status, 404);
  for (const http of ['read', 'none']) {
    await client.patch(`/v6/workspaces/${id}/`, {
      configuration: { broker: { type: 'host', host_path: place }, http },
    });
    t.match(
      await put('a', 'x'),
      { status: 403, json: { code: 'FORBIDDEN', detail: /takes no files/ } },
      http,
    );
  }
  t.strictSame(names(), []);
});

t.test('put: a client that disconnects leaves nothing, and one that only waits is cut off', async (t) => {
  const { at, names, put } = await inDirectory(t);
  const held = () => names().some((name) => name.startsWith('.millrace-upload-'));
  const gone = await begin(at('gone'), LARGE.length);
  gone.write(LARGE.subarray(0, 5_000_000));
  await until('a part of it is held', held);
  gone.destroy();
  await until('nothing is held', () => names().length === 0);

  const idle = await begin(at('idle'), LARGE.length);
  idle.write('a little');
  await until('a part of it is held', held);
  await new Promise((resolve) => idle.once('close', resolve));
  await until('nothing is held', () => names().length === 0);
  t.match(await put('idle', 'whole'), { status: 201 }, 'the name is free');
});

t.test('put: the death of an agent is reported, and its next start removes the partial file', async (t) => {
  const { at, names, agent, world, coordinator } = await inDirectory(t);
  const socket = await begin(at('a'), LARGE.length);
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  socket.write(LARGE.subarray(0, 5_000_000));
  await until('a part of it is held', () => names().length === 1);
  await agent.end('SIGKILL');
  t.match(await answer, /^HTTP\/1.1 503 /);
  socket.destroy();
  t.notOk(names().includes('a'));
  const { MILLRACE_COORDINATORS: coordinators = '' } = agent.options.env;
  await world.start('agent', 'agent', { MILLRACE_COORDINATORS: coordinators });
  await until('nothing is held', () => names().length === 0);
  t.notOk(coordinator.hasExited);
});

t.test('put: an object is stored whole, and never over another', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const { name, endpoint, credentials } = bucket;
  const { world, client } = await startPair(t);
  const { put, at } = await writablePlace(client, {
    ...{ type: 'objstore', bucket_name: name, endpoint, credentials },
  });
  const keys = async () => (await keysOf(bucket.client, name)).filter((key) => !key.startsWith('.'));
  t.match(await put('d/large.bin', LARGE), { status: 201, json: { sha256: sha256(LARGE) } });
  t.match(await put('small.txt?record=true', 'abc'), { status: 201, json: { file_size: 3 } });
  for (const path of ['d/large.bin', 'small.txt']) t.match(await put(path, 'other'), { status: 409 }, path);
  t.match(await put('small.txt', 'abc'), { status: 409 }, 'not with the same content either');
  t.strictSame(await keys(), ['d/large.bin', 'small.txt']);
  t.equal(sha256(Buffer.from(await (await fetch(at('d/large.bin'))).arrayBuffer())), sha256(LARGE));

  const gone = await begin(at('gone'), LARGE.length);
  gone.write(LARGE.subarray(0, 5_000_000));
  const uploads = () => readdirSync(uploadsOf({ world }));
  await until('a part of it is held', () => uploads().length > 0);
  gone.destroy();
  await until('nothing is held', () => uploads().length === 0);
  t.strictSame(await keys(), ['d/large.bin', 'small.txt']);
});

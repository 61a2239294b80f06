import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { Content } from '../../src/storage/content.ts';
import { createObjstoreBroker } from '../../src/storage/s3/objstore.ts';
import {
  type BrokerFixture,
  entries,
  listed,
  localFile,
  storageConformance,
} from '../conformance/storage.ts';
import { keysOf, type TestBucket, testBucket } from '../support/s3/bucket.ts';
import { s3Double, unconditional } from '../support/s3/s3-double.ts';
import { needs } from '../support/services/services.ts';

const PART = 8 * 1_024 * 1_024;
const KEYS = { accessKeyId: 'a-key', secretAccessKey: 'a-secret-nobody-may-see' };

function brokerOf({ name, endpoint, credentials }: TestBucket, more: object = {}) {
  const keys = {
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
  };
  return createObjstoreBroker({ bucket: name, endpoint, keys, ...more });
}

async function makeFixture(t: Test): Promise<BrokerFixture & { bucket: TestBucket }> {
  const bucket = await testBucket(t);
  const put = async (path: string, content: string) => {
    await bucket.client.putObject(bucket.name, path, content);
  };
  return { broker: brokerOf(bucket), put, bucket };
}

async function uploadsOf({ client, name }: TestBucket): Promise<string[]> {
  const keys: string[] = [];
  const uploads = client.listIncompleteUploads(name, '', true) as AsyncIterable<{ key: string }>;
  for await (const { key } of uploads) keys.push(key);
  return keys;
}

/** Content whose second reading fails beyond an offset. The first reading is for its hash. */
function breaking(whole: Buffer, at: number): Content {
  let opened = 0;
  return {
    size: whole.length,
    async open({ offset, length = whole.length - offset }) {
      opened += 1;
      if (opened > 1 && offset >= at) throw new Error('killed');
      return Readable.from([whole.subarray(offset, offset + length)]);
    },
  };
}

t.test('objstore: the conformance suite of brokers', needs('s3'), async (t) => {
  storageConformance(t, makeFixture);
});

t.test('objstore: a large file is stored in parts, verified, and found by its id', needs('s3'), async (t) => {
  const { broker, bucket } = await makeFixture(t);
  const whole = randomBytes(2 * PART + 12_345);
  const file = await localFile(t, whole);
  const told: number[] = [];
  const stored = await broker.store(file, 'a/large', { id: 7, onProgress: (bytes) => told.push(bytes) });
  t.match(stored, { path: 'a/large', size: whole.length, isDuplicate: false });
  t.strictSame(
    told,
    told.toSorted((one, other) => one - other),
    'progress never decreases',
  );
  t.equal(told.at(-1), whole.length);
  t.ok((await buffer(await broker.openRead('a/large'))).equals(whole));
  t.match(await broker.stat('a/large'), { sha256: stored.sha256, size: whole.length });
  t.match(await broker.storedBy('a/large', 7), { path: 'a/large', sha256: stored.sha256 });
  t.equal(await broker.storedBy('a/large', 8), undefined);
  t.match(await broker.store(file, 'a/large', { id: 7 }), { path: 'a/large', isDuplicate: false }, 'again');
  t.match(await broker.store(file, 'a/large', { id: 8 }), { path: 'a/large', isDuplicate: true });
  whole[PART] = (whole[PART] ?? 0) ^ 1;
  const other = await localFile(t, whole);
  t.match(await broker.store(other, 'a/large', { id: 9 }), { path: 'a/9/large', isDuplicate: false });
  t.strictSame(await keysOf(bucket.client, bucket.name), ['a/9/large', 'a/large']);
  t.strictSame(await uploadsOf(bucket), []);
});

t.test(
  'objstore: a failed store leaves nothing, and one that was killed is completed by a repeat',
  needs('s3'),
  async (t) => {
    const { broker, bucket } = await makeFixture(t);
    const { client, name } = bucket;
    const whole = randomBytes(2 * PART);
    await t.rejects(broker.store(breaking(whole, PART), 'big', { id: 1 }), { message: 'killed' });
    t.strictSame(await keysOf(client, name), []);
    t.strictSame(await uploadsOf(bucket), []);

    // What a killed process leaves: a reserved key, and an upload under way.
    const holder = { 'millrace-id': '1', 'millrace-pending': 'a run that is gone' };
    await client.putObject(name, 'big', '', 0, holder);
    await client.initiateNewMultipartUpload(name, 'big', {});
    t.equal(await broker.stat('big'), undefined, 'a reserved key is not a file');
    t.strictSame(await listed(broker, { recursive: true }), []);
    t.equal(await broker.remove('big'), 'absent');

    const file = await localFile(t, 'small');
    t.match(
      await broker.store(file, 'big', { id: 2 }),
      { path: '2/big' },
      'another file does not get the reserved key',
    );
    const good = breaking(whole, whole.length + 1);
    t.match(await broker.store(good, 'big', { id: 1 }), { path: 'big', isDuplicate: false });
    t.strictSame(await uploadsOf(bucket), []);
    t.ok((await buffer(await broker.openRead('big'))).equals(whole));
    t.match(
      (await entries(broker, { recursive: true })).map(({ path }) => path),
      ['2/big', 'big'],
    );
  },
);

t.test('objstore: abandoning removes what the same work left, but no stored file', needs('s3'), async (t) => {
  const { broker, bucket } = await makeFixture(t);
  const { client, name } = bucket;
  await client.putObject(name, 'x', '', 0, { 'millrace-id': '1', 'millrace-pending': 'gone' });
  await client.initiateNewMultipartUpload(name, 'x', {});
  await broker.abandon('x', 2);
  t.strictSame(await keysOf(client, name), ['x'], 'it belongs to other work');
  await broker.abandon('x', 1);
  t.strictSame(await keysOf(client, name), []);
  t.strictSame(await uploadsOf(bucket), []);
  await broker.store(await localFile(t, 'kept'), 'x', { id: 1 });
  await broker.abandon('x', 1);
  t.strictSame(await keysOf(client, name), ['x'], 'a stored file is kept');
});

t.test('objstore: a file that changes between its two readings is not stored', needs('s3'), async (t) => {
  const { broker, bucket } = await makeFixture(t);
  for (const size of [100, PART + 1]) {
    const open: Content['open'] = async ({ offset, length = size - offset }) =>
      Readable.from([randomBytes(Math.min(length, size - offset))]);
    await t.rejects(broker.store({ size, open }, 'x', { id: 1 }), { code: 'STATE_CONFLICT' });
  }
  t.strictSame(await keysOf(bucket.client, bucket.name), []);
});

t.test('objstore: an object is removed only if it has the expected identity', needs('s3'), async (t) => {
  const { broker, put } = await makeFixture(t);
  await put('f', 'one');
  const identity = (await broker.stat('f'))?.identity ?? '';
  await put('f', 'two');
  t.equal(await broker.remove('f', identity), 'absent');
  t.equal(await text(await broker.openRead('f')), 'two');
  t.equal(await broker.remove('f', (await broker.stat('f'))?.identity), 'removed');
});

t.test(
  'objstore: keys that are not valid paths are not listed, and all others work',
  needs('s3'),
  async (t) => {
    const { broker, put } = await makeFixture(t);
    const odd = ['a//b', '.hidden', 'd/.hidden/x', 'd/', '../up', 'e/../x', './y'];
    const plain = [
      '007',
      '1e5',
      '0x1F',
      '1.10',
      'a b+c%20&<>"\'',
      'q/ü',
      `${'n'.repeat(200)}/${'m'.repeat(200)}`,
    ];
    for (const key of [...odd, ...plain]) await put(key, key.endsWith('/') ? '' : key);
    t.strictSame((await listed(broker, { recursive: true })).sort(), plain.toSorted());
    for (const key of plain) t.equal(await text(await broker.openRead(key)), key);
    for (const key of plain) await broker.remove(key);
    await t.rejects(broker.stat(`${'ä'.repeat(120)}/`.repeat(5)), { code: 'PATH_NOT_ALLOWED' });
  },
);

t.test('objstore: a list of many pages is complete', needs('s3'), async (t) => {
  const { broker, put } = await makeFixture(t);
  const names = Array.from({ length: 1_050 }, (_, n) => `n/${String(n).padStart(4, '0')}`);
  for (let at = 0; at < names.length; at += 50) {
    await Promise.all(names.slice(at, at + 50).map((name) => put(name, 'x')));
  }
  t.strictSame(await listed(broker, { recursive: true }), names);
  t.strictSame(await listed(broker, { recursive: true, after: 'n/1001' }), names.slice(1_002));
});

t.test('objstore: a file of a bucket that is mounted is found on the host', needs('s3'), async (t) => {
  const { bucket } = await makeFixture(t);
  const mountPath = t.testdir({});
  const broker = brokerOf(bucket, { mountPath });
  t.equal(await broker.mountedFile('a/f'), undefined);
  await mkdir(dirname(join(mountPath, 'a/f')), { recursive: true });
  await writeFile(join(mountPath, 'a/f'), 'x');
  t.strictSame(await broker.mountedFile('a/f'), { hostPath: join(mountPath, 'a/f'), size: 1 });
  await symlink(join(mountPath, 'a/f'), join(mountPath, 'a/link'));
  t.equal(await broker.mountedFile('a/link'), undefined, 'a link is not used');
});

/** The address of a server that answers each connection with `text`. */
async function listening(t: Test, text: string): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(text)).listen(
    0,
    '127.0.0.1',
  );
  t.teardown(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('objstore: each failure has a readable reason without secrets', needs('s3'), async (t) => {
  const { bucket } = await makeFixture(t);
  const secret = bucket.credentials.secret_access_key;
  const wrong = { keys: { accessKeyId: bucket.credentials.access_key_id, secretAccessKey: `${secret}x` } };
  const cases: readonly [object, RegExp][] = [
    [{ bucket: 'no-such-bucket' }, /the bucket 'no-such-bucket' does not exist/],
    [wrong, /refuses access to the bucket/],
    [{ keys: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, /refuses access to the bucket/],
    [{ endpoint: 'http://127.0.0.1:1' }, /cannot be used: ECONNREFUSED/],
    [
      { endpoint: await listening(t, 'no HTTP\r\n\r\n') },
      /cannot be used: no HTTP is spoken there \(HPE_INVALID/,
    ],
    [{ endpoint: bucket.endpoint.replace('http:', 'https:') }, /cannot be used: no TLS is spoken there \(/],
    [{ endpoint: 'http://no-such-host.invalid' }, /cannot be used: (ENOTFOUND|EAI_AGAIN)/],
  ];
  for (const [more, reason] of cases) {
    const broker = brokerOf(bucket, more);
    const reach = await broker.check();
    t.match(reach, { isReachable: false, isUnmarked: false, reason });
    t.notOk(reach.reason.includes(secret));
    if (JSON.stringify(more).includes('endpoint')) continue;
    await t.rejects(broker.openRead('x'), { code: 'WORKSPACE_UNAVAILABLE' });
    await t.rejects(broker.stat('x'), { code: 'WORKSPACE_UNAVAILABLE' });
    await t.rejects(entries(broker, { recursive: true }), { code: 'WORKSPACE_UNAVAILABLE' });
    await t.rejects(broker.store(await localFile(t, 'x'), 'x', { id: 1 }), { code: 'WORKSPACE_UNAVAILABLE' });
  }
});

t.test('objstore: on a server without conditional writes every file is stored below its id', async (t) => {
  const objects = new Map();
  const endpoint = await s3Double(t, unconditional(objects));
  const broker = createObjstoreBroker({ bucket: 'old', endpoint, keys: KEYS });
  t.match(await broker.store(await localFile(t, 'one'), 'd/f', { id: 1 }), {
    path: 'd/1/f',
    isDuplicate: false,
  });
  t.match(await broker.store(await localFile(t, 'two'), 'd/f', { id: 2 }), {
    path: 'd/2/f',
    isDuplicate: false,
  });
  t.match(await broker.store(await localFile(t, 'one'), 'd/f', { id: 1 }), {
    path: 'd/1/f',
    isDuplicate: false,
  });
  t.strictSame([...objects.keys()], ['d/1/f', 'd/2/f'], 'the probe was removed');
});

t.test(
  'objstore: failed requests are repeated, and silent ones end at the time limit or at an abort',
  async (t) => {
    let asked = 0;
    const stumbling = await s3Double(t, (_, response) => {
      asked += 1;
      response.writeHead(asked < 3 ? 503 : 200).end();
    });
    const patient = createObjstoreBroker({ bucket: 'bbb', endpoint: stumbling, keys: KEYS });
    t.match(await patient.check(), { isReachable: true });
    t.equal(asked, 3);

    const silent = await s3Double(t, () => undefined);
    const options = { bucket: 'bbb', endpoint: silent, keys: KEYS, answerMsMax: 20 };
    await t.rejects(createObjstoreBroker(options).stat('x'), {
      code: 'WORKSPACE_UNAVAILABLE',
      message: /NoAnswer/,
    });
    const abort = new AbortController();
    const storing = createObjstoreBroker({ ...options, answerMsMax: 60_000 }).store(
      await localFile(t, 'x'),
      'x',
      {
        id: 1,
        signal: abort.signal,
        onProgress: () => setImmediate(() => abort.abort(new Error('stop'))),
      },
    );
    await t.rejects(storing, { message: 'stop' });
  },
);

t.test('objstore: a body that is cut off is an error', async (t) => {
  const endpoint = await s3Double(t, (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('short');
    setImmediate(() => response.destroy());
  });
  const broker = createObjstoreBroker({ bucket: 'bbb', endpoint, keys: KEYS });
  await t.rejects(text(await broker.openRead('x')), { code: 'WORKSPACE_UNAVAILABLE' });
});

t.test('objstore: an object whose answer was lost is removed when its own work is abandoned', async (t) => {
  const objects = new Map<string, { body: Buffer; headers: Record<string, string> }>();
  const carryOut = unconditional(objects);
  const endpoint = await s3Double(t, (request, response, body) => {
    const isLost = request.method === 'PUT' && request.url?.includes('/d/') === true;
    if (!isLost) return carryOut(request, response, body);
    // The connection breaks before the answer.
    const unheard = { writeHead: () => unheard, end: () => response.destroy() };
    carryOut(request, unheard as unknown as typeof response, body);
  });
  const broker = createObjstoreBroker({ bucket: 'old', endpoint, keys: KEYS, retryMs: 1 });
  await t.rejects(broker.store(await localFile(t, 'one'), 'd/f', { id: 1 }), {
    code: 'WORKSPACE_UNAVAILABLE',
  });
  t.strictSame([...objects.keys()], ['d/1/f'], 'it was stored');
  await broker.abandon('d/f', 1);
  await broker.abandon('d/f', 2, true);
  t.strictSame(
    [...objects.keys()],
    ['d/1/f'],
    'stored objects are kept unless their removal is requested, and so are those of other work',
  );
  await broker.abandon('d/f', 1, true);
  t.strictSame([...objects.keys()], []);
});

/** Uploads that can be resumed: tus 1.0, by a client that others have written and by hand. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { keysOf, testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { inDirectory, LARGE, namesIn, sha256, uploadsOf, writablePlace } from './places.ts';
import { base64, begun, create, patch, requestLog, tus, upload, uploadsAt } from './tus-client.ts';

const MIB = 1_048_576;

t.test('uploads: a tus client sends files whole, in pieces, and empty', async (t) => {
  const { name, client, place, names, at } = await inDirectory(t);
  const endpoint = uploadsAt(client.base, name);
  const whole = await upload({
    ...{ endpoint, bytes: LARGE },
    options: { metadata: { filename: 'd/ü 1.csv', filetype: 'text/csv', record: 'true' } },
  });
  t.equal(sha256(readFileSync(join(place, 'd/ü 1.csv'))), sha256(LARGE));
  const [, id = ''] = /\/1-([0-9a-f-]{36})\/$/.exec(whole) ?? [];
  t.equal(whole, new URL(`/v6/workspaces/${name}/uploads/1-${id}/`, client.base).href);
  const { json } = await tus('GET', whole);
  t.match(json, { path: 'd/ü 1.csv', file_size: LARGE.length, offset: LARGE.length, is_stored: true });
  t.match(await client.get(`/v6/files/${json.file_id}/`), {
    ...{ file_type: 'SOURCE', file_name: 'ü 1.csv', file_path: 'd/ü 1.csv', media_type: 'text/csv' },
    ...{ sha256: sha256(LARGE), file_size: LARGE.length, is_deleted: false },
  });

  const { methods, onBeforeRequest } = requestLog();
  const options = { metadata: { path: 'pieces', filename: 'not this' }, chunkSize: 5 * MIB, onBeforeRequest };
  await upload({ endpoint, bytes: LARGE, options });
  t.strictSame(methods, ['POST', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH']);
  t.equal(sha256(readFileSync(join(place, 'pieces'))), sha256(LARGE));
  t.equal((await fetch(at('pieces'), { method: 'HEAD' })).status, 200);

  const overriding = requestLog();
  await upload({
    ...{ endpoint, bytes: Buffer.from('abc') },
    options: {
      ...{ metadata: { path: 'overridden' }, overridePatchMethod: true },
      onBeforeRequest: overriding.onBeforeRequest,
    },
  });
  t.strictSame(overriding.methods, ['POST', 'POST']);
  t.equal(readFileSync(join(place, 'overridden'), 'utf8'), 'abc');

  await upload({ endpoint, bytes: Buffer.alloc(0), options: { metadata: { path: 'empty' } } });
  t.strictSame(names(), ['d', 'd/ü 1.csv', 'empty', 'overridden', 'pieces'], 'nothing else is left');
});

t.test('uploads: the service states its abilities, tells the offset, and ends an upload', async (t) => {
  const { name, client, names, place } = await inDirectory(t, {
    coordinator: { MILLRACE_UPLOAD_MIB_MAX: '32' },
  });
  const endpoint = uploadsAt(client.base, name);
  t.match(await tus('OPTIONS', endpoint), {
    status: 204,
    headers: {
      ...{ 'tus-resumable': '1.0.0', 'tus-version': '1.0.0', 'tus-max-size': String(32 * MIB) },
      ...{ 'tus-extension': 'creation,termination,expiration', allow: 'POST, OPTIONS' },
    },
  });
  const made = await create(endpoint, 'a', 10);
  t.match(made, { status: 201, headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0' } });
  t.ok(Date.parse(made.headers['upload-expires'] ?? '') > Date.now() + 23 * 3_600_000);
  const { location = '' } = made.headers;
  t.match(await patch(location, 0, 'abcd'), { status: 204, headers: { 'upload-offset': '4' } });
  t.match(await tus('HEAD', location), {
    status: 200,
    headers: {
      'upload-offset': '4',
      'upload-length': '10',
      'cache-control': 'no-store',
      'tus-resumable': '1.0.0',
    },
  });
  t.match((await tus('GET', location)).json, { offset: 4, is_stored: false, sha256: null, file_id: null });
  t.match(
    await patch(location, 4, ''),
    { status: 204, headers: { 'upload-offset': '4' } },
    'nothing is no harm',
  );
  t.match(names(), [/^\.millrace-upload-/], 'nothing at its name until it is whole');

  t.match(await tus('DELETE', location), { status: 204, headers: { 'tus-resumable': '1.0.0' } });
  t.strictSame(names(), []);
  for (const method of ['HEAD', 'DELETE']) t.match(await tus(method, location), { status: 404 }, method);
  t.match(await patch(location, 4, 'efghij'), { status: 404 });

  const second = await begun(endpoint, 'a', 3);
  t.match(await patch(second, 0, 'abc'), { status: 204, headers: { 'upload-offset': '3' } });
  t.match(await patch(second, 3, ''), { status: 204 }, 'a repeat of the last one');
  t.match(await tus('HEAD', second), { status: 200, headers: { 'upload-offset': '3' } });
  t.match(await tus('DELETE', second), { status: 204 });
  t.strictSame(names(), ['a'], 'the file stays');
  const third = await begun(endpoint, 'b', 1);
  await patch(third, 0, 'x');
  rmSync(join(place, 'b'));
  t.match(await tus('HEAD', third), { status: 404 }, 'the file is gone, and is not recorded again');
});

t.test('uploads: wrong requests are refused', async (t) => {
  const { name, client, names, place, put, id } = await inDirectory(t, {
    coordinator: { MILLRACE_UPLOAD_MIB_MAX: '32' },
  });
  const endpoint = uploadsAt(client.base, name);
  const made = await begun(endpoint, 'a', 4);
  for (const [method, at, more] of [
    ['POST', endpoint, { headers: { 'upload-length': '1', 'upload-metadata': `path ${base64('b')}` } }],
    ['PATCH', made, { headers: { 'upload-offset': '0' }, body: 'abcd' }],
    ['DELETE', made, {}],
    ['HEAD', made, {}],
  ] as const) {
    for (const version of method === 'HEAD' ? ['0.2.2'] : ['', '0.2.2']) {
      const answer = await tus(method, at, {
        ...more,
        headers: { ...more.headers, 'tus-resumable': version },
      });
      t.match(answer, { status: 412, headers: { 'tus-version': '1.0.0', 'tus-resumable': '1.0.0' } }, method);
    }
  }
  t.match(await patch(made, 0, 'abcd', { 'content-type': 'text/plain' }), { status: 415 });
  t.match(await patch(made, 0, 'abcd', { 'upload-offset': '' }), {
    status: 400,
    json: { detail: /Upload-Offset/ },
  });
  for (const offset of ['-1', '1e3', '0x1', '99999999999999999999', 'a']) {
    t.match(await patch(made, 0, 'abcd', { 'upload-offset': offset }), { status: 400 }, offset);
  }
  for (const offset of [1, 4, 9]) {
    const answer = await patch(made, offset, 'abcd');
    t.match(answer, { status: 409, headers: { 'tus-resumable': '1.0.0' } }, `offset ${offset}`);
  }
  t.match(await patch(made, 0, 'abcde'), { status: 413 });
  const chunked = new ReadableStream({
    start(stream) {
      stream.enqueue(Buffer.from('abcde'));
      stream.close();
    },
  });
  t.match(await patch(made, 0, chunked), { status: 413 });
  t.match(await tus('HEAD', made), { headers: { 'upload-offset': '0' } });
  t.match(await tus('POST', made, { headers: {} }), { status: 405 });
  t.match(await tus('PUT', made, { body: 'x' }), { status: 405, headers: { 'tus-resumable': '1.0.0' } });

  t.match(await create(endpoint, 'b', 33 * MIB), { status: 413, json: { code: 'TOO_LARGE' } });
  const metadata = (text: string) => create(endpoint, '', 1, { headers: { 'upload-metadata': text } });
  for (const path of [
    '.millrace-workspace',
    'a/.b',
    '../x',
    'a/../../x',
    '/x',
    'x/',
    'a\0b',
    'x'.repeat(256),
    '',
  ]) {
    const answer = await metadata(`filename ${base64(path)}`);
    t.match(answer, { status: 400, json: { code: 'PATH_NOT_ALLOWED' } }, JSON.stringify(path));
  }
  for (const text of [
    ...['', ',', 'path !!!', 'path YWI=,path YWI=', 'path YWI= YWI=', 'other YWI='],
    ...[
      `path ${Buffer.from([0xff, 0xfe]).toString('base64')}`,
      `path ${base64('b')},record ${base64('perhaps')}`,
    ],
  ]) {
    const answer = await metadata(text);
    t.match(answer, { status: 400, json: { errors: [{ path: 'Upload-Metadata' }] } }, text);
  }
  const all = await create(endpoint, '../x', 1, {
    headers: {
      'upload-length': 'much',
      'upload-defer-length': '1',
      'upload-metadata': `path ${base64('../x')}`,
    },
  });
  t.strictSame(
    all.json.errors.map((one: { path: string }) => one.path),
    ['Upload-Length', 'Upload-Defer-Length', 'Upload-Metadata'],
  );
  t.match(
    await tus('POST', endpoint, {
      headers: { 'upload-length': '1', 'upload-metadata': `path ${base64('b')}` },
      body: 'x',
    }),
    {
      status: 400,
    },
  );

  await put('there', 'first');
  t.match(await create(endpoint, 'there', 5), { status: 409 }, 'at the beginning');
  const late = await begun(endpoint, 'late', 4);
  writeFileSync(join(place, 'late'), 'first');
  t.match(await patch(late, 0, 'abcd'), { status: 409 }, 'at the end');
  t.equal(readFileSync(join(place, 'late'), 'utf8'), 'first');
  t.match(await tus('DELETE', late), { status: 204 });

  const url = new URL(made);
  const other = await writablePlaceBeside(client, place);
  const own = made.split('/').at(-2) ?? '';
  for (const id of [
    ...[
      'nonsense',
      '0-1',
      `1-${'0'.repeat(36)}`,
      own.replace(/^\d+-/, '424242-'),
      own.replace(/.{12}$/, '0'.repeat(12)),
    ],
  ]) {
    t.match(await tus('HEAD', new URL(`/v6/workspaces/${name}/uploads/${id}/`, url)), { status: 404 }, id);
  }
  const elsewhere = made.replace(`/${name}/`, `/${other}/`);
  t.match(await tus('HEAD', elsewhere), { status: 404 }, 'of another workspace');
  t.match(await tus('HEAD', made.replace(`/${name}/`, '/nowhere/')), { status: 404 });

  await client.patch(`/v6/workspaces/${id}/`, {
    configuration: { broker: { type: 'host', host_path: place }, http: 'read' },
  });
  t.match(await create(endpoint, 'b', 1), { status: 403, json: { detail: /takes no files/ } });
  t.match(await patch(made, 0, 'abcd'), { status: 403 });
  t.match(await tus('DELETE', made), { status: 204 }, 'it can still be ended');
  t.strictSame(names(), ['late', 'there'], 'nothing is left');
});

/** Another workspace that takes files. */
async function writablePlaceBeside(
  client: Parameters<typeof writablePlace>[0],
  place: string,
): Promise<string> {
  mkdirSync(`${place}-2`);
  return (await writablePlace(client, { type: 'host', host_path: `${place}-2` })).name;
}

t.test('uploads: of two requests that continue one upload at once, one is refused', async (t) => {
  const { name, client, place, names } = await inDirectory(t);
  const endpoint = uploadsAt(client.base, name);
  const at = await begun(endpoint, 'a', LARGE.length);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = new ReadableStream({
    async pull(stream) {
      stream.enqueue(LARGE.subarray(0, 5 * MIB));
      await released;
      stream.close();
    },
  });
  const first = patch(at, 0, slow).catch(() => undefined);
  await until('some of it is held', async () => {
    const [held = ''] = namesIn(place);
    return statSync(join(place, held)).size > 4 * MIB;
  });
  // Whoever comes later is a client that has lost its connection: it takes the upload over.
  const second = await patch(at, 0, LARGE);
  t.match(second, { status: 409, json: { detail: /continues at the offset \d+/ } });
  release();
  t.match(await first, { status: 409, json: { detail: /another request/ } });
  const { headers } = await tus('HEAD', at);
  const offset = Number(headers['upload-offset']);
  t.ok(offset > 4 * MIB && offset <= 5 * MIB, `${offset}`);
  const both = await Promise.all([
    patch(at, offset, LARGE.subarray(offset)),
    patch(at, offset, LARGE.subarray(offset)),
  ]);
  const statuses = both.map(({ status }) => status).sort();
  t.ok(
    statuses.every((status) => status === 204 || status === 409),
    statuses.join(),
  );
  if (!statuses.includes(204)) {
    const from = Number((await tus('HEAD', at)).headers['upload-offset']);
    t.match(await patch(at, from, LARGE.subarray(from)), { status: 204 });
  }
  t.strictSame(names(), ['a']);
  t.equal(sha256(readFileSync(join(place, 'a'))), sha256(LARGE));
});

t.test('uploads: files are stored in a bucket', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const pair = await startPair(t);
  const { client } = pair;
  const { name, endpoint: store, credentials } = bucket;
  const broker = { type: 'objstore', bucket_name: name, endpoint: store, credentials };
  const place = await writablePlace(client, broker);
  const endpoint = uploadsAt(client.base, place.name);
  const keys = async () => (await keysOf(bucket.client, name)).filter((key) => !key.startsWith('.'));
  const options = { metadata: { path: 'd/large.bin', record: 'true' }, chunkSize: 5 * MIB };
  const at = await upload({ endpoint, bytes: LARGE, options });
  t.match((await tus('GET', at)).json, { is_stored: true, sha256: sha256(LARGE), file_id: Number });
  t.strictSame(await keys(), ['d/large.bin']);
  t.match(await create(endpoint, 'd/large.bin', 1), { status: 409 });
  const half = await begun(endpoint, 'half', LARGE.length);
  t.match(await patch(half, 0, LARGE.subarray(0, MIB)), { status: 204 });
  t.strictSame(await keys(), ['d/large.bin'], 'the agent holds it');
  t.match(readdirSync(uploadsOf(pair)).filter((one) => one.startsWith('.millrace-upload-')).length, 1);
  t.match(await tus('DELETE', half), { status: 204 });
  t.strictSame(
    readdirSync(uploadsOf(pair)).filter((one) => one.startsWith('.millrace-upload-')),
    [],
  );
});

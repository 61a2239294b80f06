/** Files by their paths: what is served to whom, from which coordinator, and what is refused. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Workspace {
  readonly id: number;
  readonly name: string;
  readonly configuration: { readonly http?: string };
}

function makeWorkspace(client: InterfaceClient, broker: object, http?: string): Promise<Workspace> {
  const configuration = { broker, ...(http === undefined ? {} : { http }) };
  return client.post<Workspace>('/v6/workspaces/', { title: 'Place', configuration });
}

/** A path as it is: `fetch` would resolve what is hostile in it. */
function getRaw(base: string, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const asked = request({ hostname, port, path }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end();
  });
}

t.test('paths: staff read files of a directory where the workspace permits it', async (t) => {
  const { world, client } = await startPair(t);
  const place = join(world.folder, 'place');
  mkdirSync(join(place, 'a b'), { recursive: true });
  writeFileSync(join(place, 'a b/ü.txt'), 'one two three');
  writeFileSync(join(place, 'page.html'), '<script>alert(1)</script>');
  writeFileSync(join(place, 'dot.png'), 'no picture');
  symlinkSync('/etc/passwd', join(place, 'linked'));
  symlinkSync('/etc', join(place, 'linked-folder'));
  const workspace = await makeWorkspace(client, { type: 'host', host_path: place });
  const files = `/v6/workspaces/${workspace.name}/files`;
  const get = (path: string, init?: RequestInit) => fetch(new URL(`${files}/${path}`, client.base), init);
  const known = await until('the agent reaches it', async () => {
    const { reason } = await client.get<{ reason: string | null }>(`/v6/workspaces/${workspace.id}/`);
    return reason === null;
  });
  t.ok(known);

  t.match(await (await get('page.html')).json(), { code: 'FILE_NOT_FOUND', detail: /recorded files only/ });
  const change = (http: string) =>
    client.patch(`/v6/workspaces/${workspace.id}/`, {
      configuration: { broker: { type: 'host', host_path: place }, http },
    });
  await change('read');

  const whole = await get('a%20b/%C3%BC.txt');
  t.equal(whole.status, 200);
  t.equal(await whole.text(), 'one two three');
  t.match(Object.fromEntries(whole.headers), {
    ...{ 'content-type': 'text/plain', 'content-length': '13', 'x-content-type-options': 'nosniff' },
    ...{
      'content-security-policy': 'sandbox',
      'content-disposition': /^attachment; /,
      'accept-ranges': 'bytes',
    },
  });
  const part = await get('a%20b/%C3%BC.txt', { headers: { range: 'bytes=-5' } });
  t.equal(part.status, 206);
  t.equal(part.headers.get('content-range'), 'bytes 8-12/13');
  t.equal(await part.text(), 'three');
  t.equal((await get('a%20b/%C3%BC.txt', { headers: { range: 'bytes=13-' } })).status, 416);
  const head = await get('a%20b/%C3%BC.txt', { method: 'HEAD' });
  t.match([head.status, head.headers.get('content-length'), await head.text()], [200, '13', '']);
  t.match((await get('page.html')).headers.get('content-disposition'), /^attachment/, 'no page is shown');
  t.equal((await get('dot.png')).headers.get('content-disposition'), 'inline', 'pictures are');

  for (const [path, status] of [
    ...(
      ['../place/page.html', 'a%20b/..%2Fpage.html', '/page.html', './page.html', 'page.html/'] as const
    ).map((hostile) => [hostile, 400] as const),
    ...[['%00', 400] as const, ['x'.repeat(300), 400] as const, ['.millrace-workspace', 400] as const],
    ...[['linked', 404] as const, ['absent', 404] as const, ['a%20b', 404] as const],
    ...[['linked-folder/passwd', 404] as const, ['page.html/below', 404] as const],
  ]) {
    const answer = await getRaw(client.base, `${files}/${path}`);
    t.equal(answer.status, status, `${path}: ${answer.text}`);
  }
  t.equal((await getRaw(client.base, '/v6/workspaces/other/files/a')).status, 404);
  t.equal((await getRaw(client.base, `/api${files}/page.html`)).status, 404, 'not for old clients');

  const old = `/api/v6/workspaces/${workspace.id}/`;
  await client.patch(old, { configuration: { broker: { type: 'host', host_path: place }, http: 'write' } });
  const kept = await client.get<Workspace>(`/v6/workspaces/${workspace.id}/`);
  t.equal(kept.configuration.http, 'read', 'old clients neither set nor lose it');
  await change('none');
  t.equal((await get('page.html')).status, 404);
});

t.test('paths: any coordinator streams a file, whichever has the agent', async (t) => {
  const world = await createWorld(t);
  const database = { DATABASE_URL: await migratedDatabase(t) };
  const ports = [await freePort(), await freePort()];
  const start = (index: number) =>
    world.start('coordinator', `coordinator-${index}`, {
      ...database,
      MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
    });
  const coordinators = [await start(0), await start(1)];
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]}` });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const text = 'x'.repeat(3_000_000);
  writeFileSync(join(place, 'large.txt'), text);
  const clients = coordinators.map(clientOf);
  const [client] = clients as [InterfaceClient];
  const { name } = await makeWorkspace(client, { type: 'host', host_path: place }, 'read');
  for (const { base } of clients) {
    const got = await until('it is served', async () => {
      const answer = await fetch(new URL(`/v6/workspaces/${name}/files/large.txt`, base), {
        redirect: 'manual',
      });
      return answer.status === 200 && answer.text();
    });
    t.ok(got === text, base);
  }
});

t.test('paths: a range of an object in a bucket is streamed', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const { client } = await startPair(t);
  const { name: bucketName, endpoint, credentials } = bucket;
  await bucket.client.putObject(bucketName, 'd/a.txt', 'abcdef');
  const broker = { type: 'objstore', bucket_name: bucketName, endpoint, credentials };
  const { name } = await makeWorkspace(client, broker, 'read');
  const at = new URL(`/v6/workspaces/${name}/files/d/a.txt`, client.base);
  const text = await until('it is served', async () => {
    const answer = await fetch(at, { redirect: 'manual', headers: { range: 'bytes=2-3' } });
    return answer.status === 206 && answer.text();
  });
  t.equal(text, 'cd');
});

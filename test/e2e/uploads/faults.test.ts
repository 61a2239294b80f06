/** Files that clients send while processes are killed and disks are full. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { mount, mounting } from '../harness/mounts.ts';
import { startPair } from '../harness/pair.ts';
import type { Program } from '../harness/program.ts';
import { Relay } from '../harness/relay.ts';
import { opened, secured } from '../harness/secured.ts';
import { until } from '../harness/until.ts';
import { callerOf, logIn, PASSWORD } from '../harness/work/access-calls.ts';
import { openSession } from '../harness/work/keyed-calls.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { begin, inDirectory, LARGE, namesIn, sha256, writablePlace } from './places.ts';
import { begun, create, patch, requestLog, tus, upload, uploadsAt } from './tus-client.ts';

const MIB = 1_048_576;

/** Runs `work` once, when so many bytes have been sent. */
function onceSent(bytes: number, work: () => void) {
  let isDone = false;
  return (sent: number) => {
    if (isDone || sent < bytes) return;
    isDone = true;
    work();
  };
}

/** Where to send bytes that pass through this process so slowly that the last cannot arrive before a kill. */
async function slowly(t: Test, base: URL | string, workspace: string) {
  const relay = await Relay.start('127.0.0.1', { host: '127.0.0.1', port: Number(new URL(base).port) });
  t.teardown(() => relay.stop());
  relay.slow(6 * MIB);
  return { endpoint: uploadsAt(`http://127.0.0.1:${relay.port}`, workspace), heal: () => relay.heal() };
}

for (const chunkSize of [Number.POSITIVE_INFINITY, 3 * MIB]) {
  const how = chunkSize === 3 * MIB ? 'pieces' : 'one body';
  t.test(`uploads: the agent is killed in the middle of ${how}, and the client finishes`, async (t) => {
    const { name, client, place, names, agent, world } = await inDirectory(t);
    const { endpoint, heal } = await slowly(t, client.base, name);
    const { methods, onBeforeRequest } = requestLog();
    let restarted: Promise<Program> | undefined;
    const onProgress = onceSent(MIB, () => {
      const { env } = agent.options;
      restarted = agent.end('SIGKILL').then(() => world.start('agent', 'agent', env));
      heal();
    });
    const options = { metadata: { path: 'a', record: 'true' }, chunkSize, onBeforeRequest, onProgress };
    const at = await upload({ endpoint, bytes: LARGE, options });
    await restarted;
    t.ok(methods.includes('HEAD'), 'it was interrupted');
    t.equal(methods.filter((method) => method === 'POST').length, 1, 'it was not begun again');
    t.strictSame(names(), ['a']);
    t.equal(sha256(readFileSync(join(place, 'a'))), sha256(LARGE));
    t.match((await tus('GET', at)).json, { is_stored: true, file_id: Number });
  });
}

t.test('uploads: an upload waits for its agent, and keeps what it had', async (t) => {
  const { name, client, agent, world, place, names } = await inDirectory(t);
  const at = await begun(uploadsAt(client.base, name), 'a', 10);
  await patch(at, 0, 'abcd');
  await agent.end('SIGKILL');
  const away = await until('the agent counts as away', async () => {
    const answer = await tus('HEAD', at);
    return answer.status === 503 ? answer : undefined;
  });
  t.ok(Number(away.headers['retry-after']) > 0, 'it says when to ask again');
  await world.start('agent', 'agent', agent.options.env);
  const { headers } = await until('the agent is back', async () => {
    const answer = await tus('HEAD', at);
    return answer.status === 200 ? answer : undefined;
  });
  t.equal(headers['upload-offset'], '4');
  t.match(await patch(at, 4, 'efghij'), { status: 204 });
  t.strictSame(names(), ['a']);
  t.equal(readFileSync(join(place, 'a'), 'utf8'), 'abcdefghij');
});

t.test(
  'uploads: the coordinator is killed in the middle, and what is sent again is stored once',
  async (t) => {
    const http = `127.0.0.1:${await freePort()}`;
    const { name, client, place, names, coordinator, world, at, put } = await inDirectory(t, {
      coordinator: { MILLRACE_HTTP: http },
    });
    const restart = async () => {
      await coordinator.end('SIGKILL');
      return world.start('coordinator', 'coordinator', coordinator.options.env);
    };
    let restarted: Promise<Program> | undefined;
    const { methods, onBeforeRequest } = requestLog();
    const { endpoint, heal } = await slowly(t, client.base, name);
    const onProgress = onceSent(2 * MIB, () => {
      restarted = restart();
      heal();
    });
    const options = { metadata: { path: 'a', record: 'true' }, onBeforeRequest, onProgress };
    const made = await upload({ endpoint, bytes: LARGE, options });
    const again = await restarted;
    t.ok(methods.includes('HEAD'), 'it was interrupted');
    t.equal(sha256(readFileSync(join(place, 'a'))), sha256(LARGE));
    t.match((await tus('GET', made)).json, { is_stored: true, file_id: Number });

    const before = names().length;
    const socket = await begin(at('b'), LARGE.length);
    socket.on('error', () => undefined);
    socket.write(LARGE.subarray(0, 5 * MIB));
    await until('a part of it is held', () => names().length > before);
    await again?.end('SIGKILL');
    await until('nothing of a PUT is held', () => names().length === before);
    await world.start('coordinator', 'coordinator', coordinator.options.env);
    const stored = await until('it is stored', async () => {
      const answer = await put('b', LARGE);
      return answer.status === 503 ? undefined : answer;
    });
    t.match(stored, { status: 201, json: { sha256: sha256(LARGE) } });
    // A try that was answered 503 may have begun to write: its agent removes that soon after.
    await until('nothing else is left', () => names().length === before + 1);
  },
);

t.test('uploads: any coordinator may be asked', async (t) => {
  const world = await createWorld(t);
  const shared = { DATABASE_URL: await migratedDatabase(t) };
  const ports = [await freePort(), await freePort()];
  const [one, two] = await Promise.all(
    ports.map((port, index) =>
      world.start('coordinator', `coordinator-${index}`, { ...shared, MILLRACE_GRPC: `127.0.0.1:${port}` }),
    ),
  );
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
  await world.start('agent', 'agent', { MILLRACE_COORDINATORS: addresses });
  const [first, second] = [clientOf(one as Program), clientOf(two as Program)];
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const { name } = await writablePlace(first, { type: 'host', host_path: place });
  const through = (base: string, at: string) => new URL(new URL(at).pathname, base).href;
  const at = await begun(uploadsAt(first.base, name), 'a', LARGE.length);
  let offset = 0;
  for (const base of [second.base, first.base, second.base]) {
    const piece = LARGE.subarray(offset, offset + 8 * MIB);
    const answer = await patch(through(base, at), offset, piece);
    offset += piece.length;
    t.match(answer, { status: 204, headers: { 'upload-offset': String(offset) } }, base);
    for (const asked of [first.base, second.base]) {
      t.match(await tus('HEAD', through(asked, at)), { headers: { 'upload-offset': String(offset) } });
    }
  }
  t.equal(sha256(readFileSync(join(place, 'a'))), sha256(LARGE));
});

t.test(
  'a full disk: files are refused, and an upload continues when there is room',
  mounting(),
  async (t) => {
    const pair = await startPair(t);
    const place = join(pair.world.folder, 'place');
    mkdirSync(place);
    t.ok(mount('-t', 'tmpfs', '-o', 'size=16m,mode=711', 'tmpfs', place));
    const { put, name } = await writablePlace(pair.client, { type: 'host', host_path: place });
    const endpoint = uploadsAt(pair.client.base, name);
    const full = { status: 507, json: { code: 'NO_ROOM' } };
    t.match(await put('a', LARGE), full, 'a size that is known');
    const chunks = [0, 1, 2, 3, 4, 5].map((index) => LARGE.subarray(index * 4 * MIB, (index + 1) * 4 * MIB));
    const unknown = new ReadableStream({
      pull(stream) {
        const chunk = chunks.shift();
        if (chunk === undefined) stream.close();
        else stream.enqueue(chunk);
      },
    });
    t.match(await put('a', unknown, { duplex: 'half' } as RequestInit), full, 'a size that is not known');
    t.match(await create(endpoint, 'a', LARGE.length), full);
    t.strictSame(namesIn(place), [], 'nothing is left');

    const at = await begun(endpoint, 'a', 12 * MIB);
    t.match(await patch(at, 0, LARGE.subarray(0, 2 * MIB)), { status: 204 });
    writeFileSync(join(place, 'filler'), Buffer.alloc(10 * MIB));
    t.match(await patch(at, 2 * MIB, LARGE.subarray(2 * MIB, 12 * MIB)), full);
    rmSync(join(place, 'filler'));
    const { headers, status } = await tus('HEAD', at);
    t.equal(status, 200);
    const offset = Number(headers['upload-offset']);
    t.ok(offset >= 2 * MIB && offset < 12 * MIB, `${offset}`);
    t.match(await patch(at, offset, LARGE.subarray(offset, 12 * MIB)), { status: 204 });
    t.strictSame(namesIn(place), ['a']);
    t.equal(sha256(readFileSync(join(place, 'a'))), sha256(LARGE.subarray(0, 12 * MIB)));
  },
);

t.test('uploads: they work with TLS between coordinator and agent', async (t) => {
  const { world, coordinator, agent } = await secured(t);
  await opened(await agent('host-1'));
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const client = clientOf(coordinator);
  const { put, name } = await writablePlace(client, { type: 'host', host_path: place });
  t.match(await put('a', LARGE), { status: 201, json: { sha256: sha256(LARGE) } });
  const options = { metadata: { path: 'b' }, chunkSize: 10 * MIB };
  await upload({ endpoint: uploadsAt(client.base, name), bytes: LARGE, options });
  for (const path of ['a', 'b']) t.equal(sha256(readFileSync(join(place, path))), sha256(LARGE), path);
});

t.test('uploads: files are stored in an exported directory that the host has mounted', async (t) => {
  const { client, world, agent, coordinator } = await startPair(t);
  const mounted = join(world.folder, 'mounted');
  mkdirSync(mounted);
  const { id, name } = await client.post<{ id: number; name: string }>('/v6/workspaces/', {
    title: 'Export',
    configuration: { broker: { type: 'nfs', nfs_path: 'store.invalid:/export' }, http: 'write' },
  });
  const { rows } = await openSession(t, coordinator.options.env.DATABASE_URL ?? '');
  const [{ uuid }] = (await rows('select uuid from workspace where id = $1', [id])) as [{ uuid: string }];
  await agent.end('SIGTERM');
  await world.start('agent', 'agent', { ...agent.options.env, MILLRACE_WORKSPACES: `${uuid}=${mounted}` });
  await until('the agent reaches it', async () => {
    return (await client.get<{ reason: string | null }>(`/v6/workspaces/${id}/`)).reason === null;
  });
  const endpoint = uploadsAt(client.base, name);
  const put = (body: Buffer | string) =>
    fetch(new URL(`/v6/workspaces/${name}/files/d/a`, client.base), { method: 'PUT', body });
  t.equal((await put(LARGE)).status, 201);
  t.equal((await put('other')).status, 409);
  await upload({ endpoint, bytes: LARGE, options: { metadata: { path: 'd/b' }, chunkSize: 10 * MIB } });
  t.match(await create(endpoint, 'd/b', 1), { status: 409 });
  t.strictSame(namesIn(mounted), ['d', 'd/a', 'd/b']);
  for (const path of ['d/a', 'd/b']) t.equal(sha256(readFileSync(join(mounted, path))), sha256(LARGE), path);
});

t.test('uploads: an upload belongs to the account that began it', async (t) => {
  const port = await freePort();
  const { coordinator, world } = await startPair(t, {
    coordinator: { MILLRACE_AUTH: 'on', MILLRACE_HTTP: `127.0.0.1:${port}` },
  });
  const call = callerOf(port);
  const admin = await logIn(call, PASSWORD.exec(coordinator.output)?.[1] ?? '');
  const account = async (body: object) => (await call('POST', '/v6/accounts/', body, admin)).json.id;
  const tokenOf = async (body: object) => {
    const { json } = await call('POST', '/v6/tokens/', { name: 'test', scope: 'write', ...body }, admin);
    return { authorization: `Bearer ${json.token}` };
  };
  const [owner, reader, other, plain] = [
    await tokenOf({}),
    await tokenOf({ scope: 'read' }),
    await tokenOf({ account_id: await account({ username: 'other', is_staff: true }) }),
    await tokenOf({ account_id: await account({ username: 'plain', is_staff: false }) }),
  ];
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const configuration = { broker: { type: 'host', host_path: place }, http: 'write' };
  const { json: made } = await call('POST', '/v6/workspaces/', { title: 'Place', configuration }, owner);
  await until('the agent reaches it', async () => {
    return (await call('GET', `/v6/workspaces/${made.id}/`, undefined, owner)).json.reason === null;
  });
  const endpoint = uploadsAt(coordinator.url, made.name);
  for (const [headers, status] of [
    [{}, 401],
    [reader, 403],
    [plain, 403],
    [owner, 201],
  ] as const) {
    t.match(await create(endpoint, 'a', 4, { headers }), { status, headers: { 'tus-resumable': '1.0.0' } });
  }
  const { location = '' } = (await create(endpoint, 'b', 4, { headers: owner })).headers;
  t.match(await patch(location, 0, 'ab', owner), { status: 204 });
  for (const [headers, status] of [
    [{}, 401],
    [reader, 403],
    [plain, 403],
    [other, 404],
  ] as const) {
    for (const method of ['HEAD', 'DELETE'])
      t.match(await tus(method, location, { headers }), { status }, method);
    t.match(await patch(location, 2, 'cd', headers), { status });
  }
  t.match(await patch(location, 2, 'cd', owner), { status: 204 });
  t.equal(readFileSync(join(place, 'b'), 'utf8'), 'abcd');
});

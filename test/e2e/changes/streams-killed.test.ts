/** Streams of changes from two coordinators, one of which is killed with -9 again and again in mid-stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { EventClient } from '../../support/clients/event-client.ts';
import { SocketClient } from '../../support/clients/socket-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { createWorld } from '../harness/world.ts';

interface ListedChange {
  readonly cursor: string;
  readonly object_version: number;
}

t.test('streams: no change is lost or sent twice over reconnects', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const shared = { DATABASE_URL: await migratedDatabase(t), NATS_URL: await serviceUrl('nats') };
  const start = (index: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, { ...shared, MILLRACE_GRPC: '127.0.0.1:0' });
  const coordinators = [await start(0), await start(1)];
  const url = (index: number) => new URL('/v6/changes/', (coordinators[index] as Program).url).href;
  const database = new pg.Client({ connectionString: shared.DATABASE_URL });
  await database.connect();
  t.teardown(() => database.end());
  const now = async () => ((await (await fetch(url(1))).json()) as { cursor: string }).cursor;
  await until('the first position is given', async () => /^[0-9a-f]{12}-/.test(await now()));

  let isWriting = true;
  const writing = (async () => {
    while (isWriting) {
      await sleep(3);
      await database.query('update scheduler_settings set is_paused = not is_paused');
    }
    const { rows } = await database.query('select object_version as version from scheduler_settings');
    return Number(rows[0].version);
  })();

  const byEvents: ListedChange[] = [];
  const bySocket: ListedChange[] = [];
  let socketCursor = await now();
  let eventCursor = socketCursor;
  for (let kill = 0; kill < 4; kill += 1) {
    const index = kill % 2;
    const events = await EventClient.open(`${url(index)}?kind=scheduler`, { 'last-event-id': eventCursor });
    const socket = await SocketClient.open(url(index));
    socket.send({ type: 'open', id: 'a', filters: { kind: ['scheduler'] }, after: socketCursor });
    await events.until(({ events, isClosed }) => events.length >= 30 || isClosed);
    await socket.until((client) => client.changesOf('a').length >= 30 || client.closed !== undefined);
    await coordinators[index]?.end(); // with -9
    await events.until(({ isClosed }) => isClosed);
    await socket.until(({ closed }) => closed !== undefined);
    byEvents.push(...events.events.filter(({ type }) => type === 'message').map(({ data }) => data));
    bySocket.push(...socket.changesOf('a'));
    eventCursor = events.lastId;
    socketCursor = bySocket.at(-1)?.cursor ?? socketCursor;
    coordinators[index] = await start(index);
  }
  isWriting = false;
  const last = await writing;
  const rest = await EventClient.open(`${url(0)}?kind=scheduler`, { 'last-event-id': eventCursor });
  await rest.until(({ events }) => events.at(-1)?.data.object_version === last);
  const socket = await SocketClient.open(url(1));
  socket.send({ type: 'open', id: 'a', filters: { kind: ['scheduler'] }, after: socketCursor });
  await socket.until((client) => client.changesOf('a').at(-1)?.object_version === last);
  byEvents.push(...rest.events.map(({ data }) => data));
  bySocket.push(...socket.changesOf('a'));
  for (const [name, told] of Object.entries({ events: byEvents, socket: bySocket })) {
    const versions = told.map(({ object_version: version }) => version);
    const first = versions[0] ?? 0;
    t.same(
      versions,
      versions.map((_, at) => first + at),
      `${name}: each once, in order`,
    );
    t.ok(versions.length > 120, `${name}: ${versions.length} changes`);
  }
  rest.close();
  socket.close();
});

/**
 * A standby of the database is promoted while coordinators and readers go on: changes that were read may never have
 * happened, so every cursor of before is refused, and readers begin again.
 */
import { join } from 'node:path';
import t from 'tap';
import { EventClient } from '../../support/clients/event-client.ts';
import { SocketClient } from '../../support/clients/socket-client.ts';
import { ReplicatedDatabase } from '../harness/replicated-database.ts';
import { until } from '../harness/until.ts';
import { createWorld } from '../harness/world.ts';

interface Page {
  readonly changes: readonly { readonly object_version: number }[];
  readonly cursor: string;
}

t.test('promotion: a promoted standby has another epoch, and refuses former cursors', async (t) => {
  const world = await createWorld(t);
  const database = await ReplicatedDatabase.start(t, join(world.folder, 'database'));
  const program = await world.start('coordinator', 'coordinator', {
    ...{ DATABASE_URL: database.url, MILLRACE_GRPC: '127.0.0.1:0' },
  });
  const url = new URL('/v6/changes/', program.url).href;
  const get = async (query = '') => {
    const response = await fetch(`${url}${query}`);
    return {
      status: response.status,
      json: (await response.json()) as Page & { code: string; detail: string },
    };
  };
  const toggle = () => database.ask('update scheduler_settings set is_paused = not is_paused');
  const version = async () => {
    const [row] = await database.ask<{ version: number }>(
      'select object_version::int as version from scheduler_settings',
    );
    return row?.version;
  };
  await until('the first position is given', async () => /^[0-9a-f]{12}-/.test((await get()).json.cursor));
  const before = (await get()).json.cursor;
  const events = await EventClient.open(`${url}?kind=scheduler`);
  const socket = await SocketClient.open(url);
  socket.send({ type: 'open', id: 'a', filters: { kind: ['scheduler'] } });
  await socket.next('opened');
  const readUpTo = async (last: number | undefined) => {
    await events.until(({ events: all, isClosed }) => isClosed || all.at(-1)?.data.object_version === last);
    await socket.until((client) => client.changesOf('a').at(-1)?.object_version === last);
  };
  await toggle();
  await readUpTo(await version());
  await database.received();
  const kept = await version();
  await database.cutOff();
  for (let count = 0; count < 3; count += 1) await toggle();
  const lost = await version();
  await readUpTo(lost);
  const after = (await get()).json.cursor;

  await database.failOver();
  await until('the coordinator serves the promoted one', async () => (await get()).status === 200);
  t.equal(await version(), kept, 'what the standby had not received never happened');
  await toggle();
  t.equal(await version(), (kept ?? 0) + 1);
  const gone = { status: 410, json: { code: 'CHANGES_GONE', detail: /another history/ } };
  await until(
    'positions of the new history are given',
    async () => (await get(`?after=${before}`)).status === 410,
  );
  for (const cursor of [before, after]) t.match(await get(`?after=${cursor}`), gone);
  await events.until(({ isClosed }) => isClosed);
  t.match(events.events.at(-1), { type: 'end', data: { reason: 'CHANGES_GONE' } });
  t.equal(events.events.at(-2)?.data.object_version, lost, 'nothing of the new history under the old cursor');
  t.match(await socket.next('closed'), { id: 'a', code: 'CHANGES_GONE' });
  const again = await fetch(`${url}?kind=scheduler`, {
    headers: { accept: 'text/event-stream', 'last-event-id': events.lastId },
  });
  t.equal(again.status, 410, 'also as a header');

  const { json: fresh } = await get();
  t.not(fresh.cursor.split('-')[0], before.split('-')[0], 'another epoch');
  const reader = await EventClient.open(`${url}?kind=scheduler&after=${fresh.cursor}`);
  socket.send({ type: 'open', id: 'b', filters: { kind: ['scheduler'] }, after: fresh.cursor });
  await socket.next('opened');
  await toggle();
  const last = await version();
  // They may repeat what happened shortly before their cursor was read.
  await reader.until(({ events: all }) => all.at(-1)?.data.object_version === last);
  await socket.until((client) => client.changesOf('b').at(-1)?.object_version === last);
  const seen = reader.events.map(({ data }) => data.object_version);
  t.same(
    seen,
    seen.map((_, at) => (last ?? 0) - seen.length + 1 + at),
    'each once, in order, under the new epoch',
  );
  t.same(
    socket.changesOf('b').map(({ object_version: version }) => version),
    seen,
  );
  reader.close();
  socket.close();
});

/** Streams in which nothing happens stay open for longer than the server keeps a quiet connection. */
import t from 'tap';
import { EventClient } from '../../support/clients/event-client.ts';
import { SocketClient } from '../../support/clients/socket-client.ts';
import { changesWorld } from '../../support/worlds/changes-world.ts';

/** The server closes connections on which nothing is sent for 8 to 12 s; what keeps them open comes every 5 s. */
const BEATS = 3;

t.test('streams: a quiet stream outlasts the server’s idle limit, and its cursor advances', async (t) => {
  const { url, reader, change, store, now } = await changesWorld(t);
  const filter = `kind=workspace&id=${store.ids.in}`;
  const events = await EventClient.open(`${url}?${filter}`, reader);
  const socket = await SocketClient.open(url, reader);
  socket.send({ type: 'open', id: 'a', filters: { kind: ['workspace'] } });
  const { cursor: opened } = await socket.next('opened');
  await change();
  const cursor = await now();
  await events.until(({ text, isClosed }) => isClosed || text.split('\n: ').length > BEATS);
  t.equal(events.lastId, cursor, 'where it continues is after what did not match');
  const moved = await socket.next('cursor');
  t.strictSame(moved, { type: 'cursor', id: 'a', cursor });
  t.not(moved.cursor, opened);

  await store.rows(`update workspace set title = 'Heard' where id = ${store.ids.in}`);
  await change();
  await events.until(({ events }) => events.length > 0);
  t.match(events.events, [{ data: { kind: 'workspace', what: 'edited' } }]);
  await socket.until(() => socket.changesOf('a').length > 0);
  t.same(socket.changesOf('a'), [events.events[0]?.data]);
  t.notOk(events.isClosed || socket.closed);
  events.close();
  socket.close();
});

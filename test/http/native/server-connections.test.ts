import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { startServer } from '../../../src/http/native/server.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeCaller } from '../../support/http.ts';

const CONNECTIONS_MAX = 40;

interface Client {
  readonly socket: Socket;
  isClosed: boolean;
  received: string;
}

async function open(t: Test, port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  const client = { socket, isClosed: false, received: '' };
  socket.on('error', () => undefined); // it closes then
  socket.on('close', () => {
    client.isClosed = true;
  });
  socket.on('data', (bytes) => {
    client.received += bytes.toString('latin1');
  });
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return client;
}

async function isServed(client: Client): Promise<boolean> {
  client.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await eventually(() => client.received !== '' || client.isClosed, 'an answer, or an end');
  return client.received !== '';
}

t.test('server: connections beyond the limit are closed as they come, until others end', async (t) => {
  const events: string[] = [];
  const log = { debug: () => {}, error: () => {}, warn: (event: string) => void events.push(event) };
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, log, dispatcher: makeCaller([], {}).dispatcher },
    ...{ newRequestId: () => 'x', bufferedBytesMax: 1_000, connectionsMax: CONNECTIONS_MAX },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  const all = await Promise.all(Array.from({ length: 60 }, () => open(t, server.port)));
  await eventually(() => all.filter(({ isClosed }) => isClosed).length === 20, '20 of 60 are closed');
  const served = await Promise.all(all.filter(({ isClosed }) => !isClosed).map(isServed));
  t.equal(served.filter(Boolean).length, CONNECTIONS_MAX);
  t.strictSame(events, ['http_connections_full'], 'told once');
  for (const { socket } of all) socket.destroy();
  let isOpen = false;
  for (let tries = 0; tries < 100 && !isOpen; tries += 1) isOpen = await isServed(await open(t, server.port));
  t.ok(isOpen);
});

t.test('server: an idle connection is closed, but not before the announced time', async (t) => {
  const log = { debug: () => {}, error: () => {}, warn: () => {} };
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, log, dispatcher: makeCaller([], {}).dispatcher },
    ...{ newRequestId: () => 'x', bufferedBytesMax: 1_000, connectionsMax: CONNECTIONS_MAX },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  const client = await open(t, server.port);
  const startedMs = performance.now();
  t.ok(await isServed(client));
  const toldSeconds = Number(/keep-alive: timeout=(\d+)/.exec(client.received)?.[1]);
  await once(client.socket, 'close');
  t.ok(performance.now() - startedMs >= toldSeconds * 1_000);
});

t.test('server: a request to close the connection is confirmed in the answer', async (t) => {
  const log = { debug: () => {}, error: () => {}, warn: () => {} };
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, log, dispatcher: makeCaller([], {}).dispatcher },
    ...{ newRequestId: () => 'x', bufferedBytesMax: 1_000, connectionsMax: CONNECTIONS_MAX },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  const told = async (head: string): Promise<string[]> => {
    const client = await open(t, server.port);
    client.socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await once(client.socket, 'close');
    return client.received.toLowerCase().match(/^(connection|keep-alive): .*(?=\r)/gm) ?? [];
  };
  t.strictSame(await told('GET / HTTP/1.1'), ['connection: close']);
  t.strictSame(await told('HEAD / HTTP/1.1'), ['connection: close']);
  t.strictSame(
    await told('POST / HTTP/1.1\r\nTransfer-Encoding: gzip'),
    ['connection: close'],
    'as a refusal',
  );

  // Clients that keep connections ask on the same one, unless they are told.
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  for (let asked = 0; asked < 20; asked += 1) {
    const headers = { connection: 'close' };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: '127.0.0.1', port: server.port, agent, headers }, resolve).on('error', reject).end();
    });
    t.equal(answer.statusCode, 404);
    await once(answer.resume(), 'end');
  }
});

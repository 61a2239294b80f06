/** Where requests come from, as the server knows it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { Peers } from '../../../src/http/native/peers.ts';
import { startServer } from '../../../src/http/native/server.ts';
import { requestIds } from '../../../src/http/request/request-ids.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { makeCaller } from '../../support/http.ts';
import { silentLog } from '../../support/silent-log.ts';

function peer(address: string) {
  const asked = { times: 0 };
  const getRemoteAddressAsText = () => {
    asked.times += 1;
    return new TextEncoder().encode(address).buffer as ArrayBuffer;
  };
  return { asked, getRemoteAddressAsText };
}

t.test('peers: an address is looked up once while all connections have the same', async (t) => {
  const peers = new Peers();
  const [a, b, other] = [peer('10.0.0.1'), peer('10.0.0.1'), peer('10.0.0.2')];
  peers.came(a);
  peers.came(b);
  t.equal(peers.addressOf(a), '10.0.0.1');
  t.equal(peers.addressOf(b), '10.0.0.1');
  t.same([a.asked.times, b.asked.times], [1, 1]);

  peers.came(other);
  t.equal(peers.count, 3);
  t.equal(peers.addressOf(a), '10.0.0.1');
  t.equal(peers.addressOf(other), '10.0.0.2');
  t.same([a.asked.times, other.asked.times], [2, 2]);
  peers.went(); // who has gone is not told
  peers.went();
  t.equal(peers.addressOf(other), '10.0.0.2');
  t.equal(other.asked.times, 3);

  peers.went();
  peers.came(other);
  t.equal(peers.addressOf(other), '10.0.0.2');
  t.equal(other.asked.times, 4, 'from here on it is known again');
});

const where = defineRoute({
  method: 'GET',
  path: '/where/',
  summary: 'Where a request comes from',
  replies: { 200: Type.Object({ address: Type.String() }) },
  handle: ({ request }) => reply(200, { address: request.address }),
});

t.test('peers: each request has the address of its connection', async (t) => {
  const { dispatcher } = makeCaller([where], undefined);
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, log: silentLog, newRequestId: requestIds('0123456789ab') },
    ...{ bufferedBytesMax: 1_000_000, connectionsMax: 10 },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
    t.teardown(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Socket): Promise<string> => {
    socket.write('GET /where/ HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    const text = String(bytes);
    return `${/x-request-id: (\S+)/.exec(text)?.[1]} ${/"address":"([^"]+)"/.exec(text)?.[1]}`;
  };
  const first = await open('127.0.0.1');
  t.equal(await ask(first), '0123456789ab-1 127.0.0.1');
  const second = await open('127.0.0.2');
  t.equal(await ask(second), '0123456789ab-2 127.0.0.2');
  t.equal(await ask(first), '0123456789ab-3 127.0.0.1');
  first.destroy();
  t.equal(await ask(second), '0123456789ab-4 127.0.0.2');
});

t.test('request ids: no two are the same, even of several processes', async (t) => {
  const [a, b] = [
    requestIds('3cdb6f7d-17dc-48b8-ba79-972e1290c6d4'),
    requestIds('4cdb6f7d-17dc-48b8-ba79-972e1290c6d4'),
  ];
  const ids = Array.from({ length: 1_000 }, () => [a(), b()]).flat();
  t.equal(new Set(ids).size, 2_000);
  t.match(ids[0], /^[0-9a-f]{12}-1$/);
});

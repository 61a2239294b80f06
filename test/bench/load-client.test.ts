/** The client of the benches, and a service that closes connections on which nothing is sent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import t from 'tap';
import { Poster } from '../../bench/harness/load/load-client.ts';

t.test('a poster opens another connection where the service has closed one', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.end('{}');
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const poster = new Poster(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/', {});
  t.teardown(() => {
    poster.close();
    server.close();
  });
  await poster.post();
  const [first] = sockets;
  first?.end();
  await once(first as Socket, 'close');
  t.equal(await poster.post(), '{}');
  await poster.post();
  t.equal(sockets.length, 2, 'the second one is used again');
});

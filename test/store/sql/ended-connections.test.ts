/** A server that ends connections at the worst moment: statements fail as outages, and the program continues. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { openPool, sqlOf } from '../../../src/store/sql/sql.ts';

const STARTUP = 196_608;

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const ENDED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

/** Lets everybody in, and tells in the same piece that it ends the connection. */
async function endingServer(t: Test): Promise<{ readonly url: string; readonly begun: () => number }> {
  let count = 0;
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined); // the other side is gone
    socket.on('data', (bytes) => {
      if (bytes.length < 8 || bytes.readInt32BE(4) !== STARTUP) return;
      count += 1;
      socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED]));
    });
  };
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `postgresql://nobody@127.0.0.1:${port}/none?sslmode=disable`, begun: () => count };
}

t.test('ended connections: a connection that ends as it is made fails only its own statement', async (t) => {
  const { url, begun } = await endingServer(t);
  const pool = openPool({ url, connectionsMax: 2, applicationName: 'test', statementTimeoutMs: 1_000 });
  t.teardown(() => pool.end());
  const sql = sqlOf(pool);
  for (let time = 0; time < 5; time += 1) {
    await t.rejects(sql.execute('select 1'), { code: 'STORE_UNAVAILABLE' });
    await t.rejects(
      sql.transaction((inner) => inner.execute('select 1')),
      { code: 'STORE_UNAVAILABLE' },
    );
  }
  t.equal(begun(), 10, 'each had a connection of its own');
});

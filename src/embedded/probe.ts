/**
 * Checks whether a PostgreSQL server on a Unix socket serves a database, by the first exchange of the protocol. Never
 * authenticates: the socket's folder is private.
 */
import { connect } from 'node:net';

/** `starting` covers every temporary refusal: recovery, shutting down, too many clients. */
export type ProbeResult = 'ready' | 'starting' | 'refused' | 'absent';

const PROTOCOL_3 = 196_608;

export function probe(
  socketPath: string,
  user: string,
  database: string,
  timeoutMs: number,
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    let received = Buffer.alloc(0);
    const end = (result: ProbeResult) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end('starting'));
    socket.on('error', () => end('absent'));
    socket.on('close', () => end('starting'));
    socket.on('connect', () => socket.write(startup(user, database)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const first = received[0];
      // 'R' authentication: the postmaster has accepted the database and the user.
      if (first === 0x52) end('ready');
      else if (first === 0x45 && received.length > 5 && received.length > received.readInt32BE(1)) {
        end(/\0C(57P03|53300)\0/.test(received.toString('latin1')) ? 'starting' : 'refused');
      } else if (received.length > 65_536) end('refused');
    });
  });
}

function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}

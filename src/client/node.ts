/** The client for programs that run in Node. */
import { Client, type ClientOptions } from './client.ts';
import type { SpeaksTls } from './faults.ts';

const HTTP_PORT = 80;
/** limit: the time in which an address must show that it speaks TLS. */
const TLS_MS = 1_000;

/** A client for one service. Throws a TypeError if `server` is not a valid address. Connects at the first call. */
export function createNodeClient(options: ClientOptions): Client {
  return new Client(options, async () => (await import('./node-socket.ts')).openSocket, speaksTls);
}

/** Whose certificate it is does not matter here: nothing is sent. */
const speaksTls: SpeaksTls = async (origin) => {
  const { connect } = await import('node:tls');
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || HTTP_PORT), rejectUnauthorized: false });
    const end = (isTls: boolean): void => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(TLS_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
  });
};

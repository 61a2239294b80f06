/** The client for programs that run in Node. */
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { Client, type ClientOptions } from './client.ts';
import type { SpeaksTls } from './faults.ts';
import { MESSAGE_BYTES_MAX, type OpenSocket } from './socket.ts';

const HANDSHAKE_MS = 30_000;
const HTTP_PORT = 80;
/** limit: the time in which an address must show that it speaks TLS. */
const TLS_MS = 1_000;

/** A client for one service. Throws a TypeError if `server` is not a valid address. Connects at the first call. */
export function createNodeClient(options: ClientOptions): Client {
  return new Client(options, openSocket, speaksTls);
}

const openSocket: OpenSocket = (url, headers, events) => {
  const socket = new WebSocket(url, {
    headers,
    maxPayload: MESSAGE_BYTES_MAX,
    handshakeTimeout: HANDSHAKE_MS,
    // The token is for this service alone.
    followRedirects: false,
    perMessageDeflate: false,
  });
  socket.on('open', () => events.onOpen());
  socket.on('message', (data, isBinary) => events.onText(isBinary ? '' : data.toString()));
  socket.on('ping', () => events.onSign());
  // 'close' follows. A request finds out why it failed.
  socket.on('error', () => undefined);
  socket.on('close', () => events.onClose());
  return {
    send: (text) => socket.send(text, () => undefined),
    close: () => socket.terminate(),
  };
};

/** Whose certificate it is does not matter here: nothing is sent. */
const speaksTls: SpeaksTls = (origin) => {
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

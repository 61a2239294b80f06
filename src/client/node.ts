/** The client for programs that run in Node. */
import { WebSocket } from 'ws';
import { Client, type ClientOptions } from './client.ts';
import { MESSAGE_BYTES_MAX, type OpenSocket } from './socket.ts';

const HANDSHAKE_MS = 30_000;

/** A client for one service. Throws a TypeError if `server` is not a valid address. Connects at the first call. */
export function createNodeClient(options: ClientOptions): Client {
  return new Client(options, openSocket);
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

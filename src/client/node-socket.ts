/** WebSockets of programs that run in Node. Loaded with the first stream of changes: most programs open none. */
import { WebSocket } from 'ws';
import { MESSAGE_BYTES_MAX, type OpenSocket } from './socket.ts';

const HANDSHAKE_MS = 30_000;

export const openSocket: OpenSocket = (url, headers, events) => {
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

/** The client for pages in browsers. Pages of the service itself authenticate by the session's cookie. */
import { Client, type ClientOptions } from './client.ts';
import type { OpenSocket } from './socket.ts';

/** The options of every client, and a listener for pages. */
export interface BrowserClientOptions extends ClientOptions {
  /** Called each time that the connection of a stream of changes opens or ends. */
  readonly onConnection?: (isOpen: boolean) => void;
}

/** A client for one service. Throws a TypeError if `server` is not a valid address. Connects at the first call. */
export function createBrowserClient({ onConnection, ...options }: BrowserClientOptions): Client {
  const openSocket = opener(onConnection ?? (() => undefined));
  return new Client(options, async () => openSocket);
}

/** Browsers send cookies with a WebSocket and no other headers, and do not report pings. */
const opener =
  (onConnection: (isOpen: boolean) => void): OpenSocket =>
  (url, _headers, events) => {
    const socket = new WebSocket(url);
    socket.onopen = () => {
      onConnection(true);
      events.onOpen();
    };
    socket.onmessage = ({ data }) => events.onText(typeof data === 'string' ? data : '');
    socket.onclose = () => {
      onConnection(false);
      events.onClose();
    };
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };

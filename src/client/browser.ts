/** The client for pages. A page of the service itself is known by its session's cookie. */
import { Client, type ClientOptions } from './client.ts';
import type { OpenSocket } from './socket.ts';

/** The options of every client, and what pages want to know besides. */
export interface BrowserClientOptions extends ClientOptions {
  /** Called when the connection of a stream of changes opens and ends: it may end and open again many times. */
  readonly onConnection?: (isOpen: boolean) => void;
}

/** A client for one service. Throws a TypeError if `server` is not an address of it. Nothing is connected yet. */
export function createBrowserClient({ onConnection, ...options }: BrowserClientOptions): Client {
  return new Client(options, opener(onConnection ?? (() => undefined)));
}

/** Browsers send cookies along and no headers; they do not show pings. */
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

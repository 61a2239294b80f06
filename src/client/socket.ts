/** The WebSocket that the client needs. `node.ts` and `browser.ts` provide it. */

/** Listeners of a socket. */
export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  /** Anything else was received that shows that the connection is alive, such as a ping. */
  onSign(): void;
  /** Called once, also if the socket could not be opened. */
  onClose(): void;
}

/** A socket that is open or being opened. */
export interface ClientSocket {
  send(text: string): void;
  /** Closes the connection at once. */
  close(): void;
}

/** A message above `MESSAGE_BYTES_MAX` closes the socket, if the runtime can limit messages. */
export type OpenSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  events: SocketEvents,
) => ClientSocket;

/** Called for each stream of changes, so that a program that reads none does not load what opens sockets. */
export type LoadSockets = () => Promise<OpenSocket>;

/** limit: bytes of a received message, 16 MiB. */
export const MESSAGE_BYTES_MAX = 16 * 1_048_576;

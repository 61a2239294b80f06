/** A WebSocket as the client needs it; the runtime's entry opens it. */

/** Listeners of a socket. */
export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  /** Something else came that shows that the other side is there. */
  onSign(): void;
  /** Once, also when it could not be opened. */
  onClose(): void;
}

/** A socket that is open, or opening. */
export interface ClientSocket {
  send(text: string): void;
  /** Ends it at once. */
  close(): void;
}

/** Messages above `MESSAGE_BYTES_MAX` close it, where the runtime can limit them. */
export type OpenSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  events: SocketEvents,
) => ClientSocket;

/** The largest message that is taken, in bytes: 16 MiB. */
export const MESSAGE_BYTES_MAX = 16 * 1_048_576;

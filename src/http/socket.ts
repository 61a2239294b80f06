/** WebSockets as routes see them, without the library. */

/** An open WebSocket. After its end nothing may be sent. */
export interface Socket {
  send(text: string): void;
  /** Bytes that the client has not taken yet. */
  readonly backlogBytes: number;
  /** Closes it, with a code of RFC 6455 and its reason, once everything was sent. */
  end(code: number, reason: string): void;
  /** Closes the connection at once. */
  cut(): void;
}

/** What happens on a WebSocket. */
export interface SocketHandler {
  /** Undefined: it was no text. */
  message(text: string | undefined): void;
  /** The client has taken some of the backlog. */
  drained(): void;
  /** Called once, however it ended. */
  closed(): void;
}

/** A client that was let in: exactly one of the two is called. */
export interface SocketDoor {
  open(socket: Socket): SocketHandler;
  /** The client left before the WebSocket was open. */
  abandon(): void;
}

/** The interface of WebSockets for routes, independent of the library. */

/** An open WebSocket. After its end nothing may be sent. */
export interface Socket {
  send(text: string): void;
  /** Bytes that the client has not read yet. */
  readonly backlogBytes: number;
  /** Closes it, with a code of RFC 6455 and its reason, once everything was sent. */
  end(code: number, reason: string): void;
  /** Closes the connection at once. */
  cut(): void;
}

/** The events of a WebSocket. */
export interface SocketHandler {
  /** Undefined if it was not a text. */
  message(text: string | undefined): void;
  /** The client has read some of the backlog. */
  drained(): void;
  /** Called once, however it ended. */
  closed(): void;
}

/** An accepted client. Exactly one of the two methods is called. */
export interface SocketDoor {
  open(socket: Socket): SocketHandler;
  /** The client left before the WebSocket was open. */
  abandon(): void;
}

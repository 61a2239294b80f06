/** The two ways for bytes from one coordinator to another. Adapters implement them structurally. */

export interface BusEvents {
  /** Never throws. */
  onMessage(bytes: Uint8Array): void;
  /** Called when `isUp` has changed. */
  onChange(): void;
}

/**
 * The usual way: at most once, in order, through a server that may be down, or may accept messages and deliver none.
 */
export interface Bus {
  /** Resolves soon, whether connected or not. */
  start(self: string, events: BusEvents): Promise<void>;
  readonly isUp: boolean;
  /** Why it is not up, for people. */
  readonly problem: string | undefined;
  /** The largest payload of one message, in bytes. */
  readonly payloadBytesMax: number;
  /** `down`: not up, or its server accepts nothing at the moment. Never blocks. */
  publish(to: string, bytes: Uint8Array): 'published' | 'down' | 'too-large';
  stop(): Promise<void>;
}

/** Where and with what credentials to call a coordinator. */
export interface DirectPeer {
  /** `host:port` or `unix:<path>`. */
  readonly address: string;
  readonly key: string;
}

export interface StreamEvents {
  onMessage(bytes: Uint8Array): void;
  /** `write` may be called again. */
  onDrain(): void;
  /** The stream is closed: nothing can be written or will arrive. Called once, never during `open`. */
  onClosed(reason: string): void;
}

export interface DirectStream {
  /** False: accepted, but write nothing more before `onDrain`. */
  write(bytes: Uint8Array): boolean;
  /** `onClosed` is not called afterwards. */
  close(): void;
}

/** The second way: a stream to each coordinator. */
export interface Direct {
  /** Connects in the background. Never throws. */
  open(peer: DirectPeer, events: StreamEvents): DirectStream;
  /** Sets the receiver of messages that others write on their streams. `answer` replies on the same stream. */
  serve(onMessage: ((bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void) | undefined): void;
}

/** The two ways by which bytes get from one coordinator to another; adapters fit by structure. */

export interface BusEvents {
  /** Never throws. */
  onMessage(bytes: Uint8Array): void;
  /** `isUp` has changed. */
  onChange(): void;
}

/** The usual way: at most once, in order, through a server that may be away, or take messages and deliver none. */
export interface Bus {
  /** Resolves soon, connected or not. */
  start(self: string, events: BusEvents): Promise<void>;
  readonly isUp: boolean;
  /** Why it is not up, for people. */
  readonly problem: string | undefined;
  /** The most bytes that one message may have. */
  readonly payloadBytesMax: number;
  /** `down`: not up, or its server takes nothing any more. Never blocks. */
  publish(to: string, bytes: Uint8Array): 'published' | 'down' | 'too-large';
  stop(): Promise<void>;
}

/** Where a coordinator is called, and with what. */
export interface DirectPeer {
  /** `host:port` or `unix:<path>`. */
  readonly address: string;
  readonly key: string;
}

export interface StreamEvents {
  onMessage(bytes: Uint8Array): void;
  /** `write` may be called again. */
  onDrain(): void;
  /** Nothing is written or comes any more. Called once, never during `open`. */
  onClosed(reason: string): void;
}

export interface DirectStream {
  /** False: taken, but nothing more before `onDrain`. */
  write(bytes: Uint8Array): boolean;
  /** `onClosed` is not called after it. */
  close(): void;
}

/** The second way: a stream to each coordinator. */
export interface Direct {
  /** Connects in the background. Never throws. */
  open(peer: DirectPeer, events: StreamEvents): DirectStream;
  /** What others write on their streams comes here from now on; `answer` goes back on the same stream. */
  serve(onMessage: ((bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void) | undefined): void;
}

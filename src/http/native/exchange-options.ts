/** The options and the shared state of a server's exchanges. */
import type { Dispatcher } from '../dispatch.ts';
import type { HttpLog } from '../serve.ts';
import type { Peers } from './peers.ts';

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly log: HttpLog;
  /** Makes request ids, unique enough to find a request in the log. */
  readonly newRequestId: () => string;
  /** Most bytes of request bodies held at once by all requests; further bodies are answered 503. */
  readonly bufferedBytesMax: number;
}

/** The state that all exchanges of a server share. */
export interface Shared {
  readonly options: ExchangeOptions;
  readonly peers: Peers;
  /** The exchanges that wait for a body, for their answer, or for their socket. */
  readonly active: Set<object>;
  bufferedBytes: number;
  /** Called when the last exchange has closed; undefined if nothing waits for that. */
  onQuiet: (() => void) | undefined;
}

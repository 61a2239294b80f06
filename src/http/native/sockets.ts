/**
 * WebSockets, in terms of uWebSockets.js. The library calls `upgrade` for whatever asks for a WebSocket, at any path:
 * the dispatcher decides. No exception crosses a native callback.
 */
import type {
  HttpRequest,
  TemplatedApp,
  HttpResponse as UwsResponse,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js';
import type { Upgraded } from '../dispatch.ts';
import { type HttpResponse, LazyHead } from '../exchange.ts';
import type { Socket, SocketDoor, SocketHandler } from '../socket.ts';
import type { Shared } from './exchange-options.ts';
import { headersOf } from './request-headers.ts';
import { STATUS_TEXT } from './status-text.ts';

// limit: bytes of one message of a client. Longer ones end the socket with 1009.
const MESSAGE_BYTES_MAX = 65_536;
// limit: bytes that a client has not read. Handlers stop well before it.
const BACKLOG_BYTES_MAX = 16_777_216;
/** The library sends pings ahead of it. */
const IDLE_S = 60;
/** The result of `send` for a message that exceeds the backlog's limit. */
const DROPPED = 2;

/** A WebSocket from its upgrade on. */
interface Link {
  readonly door: SocketDoor;
  /** Undefined: not there yet, or closed. The library throws when a closed one is touched. */
  ws?: Native | undefined;
  socket?: OpenSocket;
  handler?: SocketHandler;
}

type Native = WebSocket<{ readonly link: Link }>;

export function serveSockets(app: TemplatedApp, shared: Shared): void {
  const guard = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      shared.options.log.error('http_socket_broken', { error });
    }
  };
  app.ws<{ readonly link: Link }>('/*', {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: BACKLOG_BYTES_MAX,
    idleTimeout: IDLE_S,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => guard(() => upgrade(shared, res, req, context)),
    open: (ws) => {
      ws.getUserData().link.ws = ws;
    },
    message: (ws, message, isBinary) =>
      guard(() => {
        // The buffer is gone after the callback.
        ws.getUserData().link.handler?.message(isBinary ? undefined : Buffer.from(message).toString());
      }),
    drain: (ws) => guard(() => ws.getUserData().link.handler?.drained()),
    close: (ws) =>
      guard(() => {
        // The connection filter is not called for the end of connections that became WebSockets.
        shared.peers.went();
        const { link } = ws.getUserData();
        link.ws = undefined;
        link.socket?.forget();
        link.handler?.closed();
      }),
  });
}

/** The request is gone when the callback returns, so everything is read from it first. */
function upgrade(shared: Shared, res: UwsResponse, req: HttpRequest, context: us_socket_context_t): void {
  const { options, peers } = shared;
  const aborter = new AbortController();
  res.onAborted(() => aborter.abort());
  const received = {
    id: options.newRequestId(),
    method: 'GET',
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers: headersOf(req),
    address: peers.addressOf(res),
  };
  const key = req.getHeader('sec-websocket-key');
  const extensions = req.getHeader('sec-websocket-extensions');
  const finish = (upgraded: Upgraded): void => {
    const isGone = aborter.signal.aborted;
    if (upgraded.kind === 'answer') {
      if (!isGone) res.cork(() => refuse(res, upgraded.response));
      return;
    }
    const { door } = upgraded;
    const link: Link = { door };
    if (!isGone) res.cork(() => res.upgrade({ link }, key, '', extensions, context));
    begin(link);
  };
  const head = new LazyHead(received, { signal: () => aborter.signal });
  const upgraded = options.dispatcher.upgrade(head);
  if (upgraded instanceof Promise) {
    upgraded
      .then(afterParsing)
      .then(finish)
      .catch((error: unknown) => options.log.error('http_socket_broken', { error }));
  } else finish(upgraded);
}

/**
 * Waits until the library is not parsing a request, because it would apply an upgrade to the connection that it is
 * reading. Promises may also continue after a callback, while it is parsing.
 */
function afterParsing<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(resolve, value));
}

/**
 * Opens the door once `cork` has returned, and not in the library's callback within it. After an upgrade `cork` reads
 * memory that it has given back, and closes the socket if something else was written there meanwhile (pull request 1929
 * of uWebSockets, July 2026, newer than the package). So nothing is allocated until it returns.
 */
function begin(link: Link): void {
  if (link.ws === undefined) {
    link.door.abandon();
    return;
  }
  link.socket = new OpenSocket(link.ws);
  link.handler = link.door.open(link.socket);
}

/** Refuses the upgrade with a short text, and closes the connection, because its client cannot use it. */
function refuse(res: UwsResponse, { status, headers, body }: HttpResponse): void {
  res.writeStatus(`${status} ${STATUS_TEXT[status] ?? 'Unknown'}`);
  for (const [name, value] of headers) res.writeHeader(name, value);
  res.end(body.kind === 'text' ? body.text : '', true);
}

class OpenSocket implements Socket {
  #ws: Native | undefined;

  constructor(ws: Native) {
    this.#ws = ws;
  }

  /** Forgets the closed socket, whose methods must not be called any more. */
  forget(): void {
    this.#ws = undefined;
  }

  get backlogBytes(): number {
    return this.#ws?.getBufferedAmount() ?? 0;
  }

  send(text: string): void {
    if (this.#ws?.send(text) === DROPPED) this.cut();
  }

  end(code: number, reason: string): void {
    this.#ws?.end(code, reason);
  }

  cut(): void {
    this.#ws?.close();
  }
}

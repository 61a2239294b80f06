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
// limit: bytes that a client has not taken. Handlers stop well before it.
const BACKLOG_BYTES_MAX = 16_777_216;
/** The library sends pings ahead of it. */
const IDLE_S = 60;
/** What `send` answers for a message that the backlog has no room for. */
const DROPPED = 2;

interface Data {
  readonly door: SocketDoor;
  socket?: OpenSocket;
  handler?: SocketHandler;
}

type Native = WebSocket<Data>;

export function serveSockets(app: TemplatedApp, shared: Shared): void {
  const guard = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      shared.options.log.error('http_socket_broken', { error });
    }
  };
  app.ws<Data>('/*', {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: BACKLOG_BYTES_MAX,
    idleTimeout: IDLE_S,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => guard(() => upgrade(shared, res, req, context)),
    open: (ws) =>
      guard(() => {
        const data = ws.getUserData();
        data.socket = new OpenSocket(ws);
        data.handler = data.door.open(data.socket);
      }),
    message: (ws, message, isBinary) =>
      guard(() => {
        // The buffer is gone after the callback.
        ws.getUserData().handler?.message(isBinary ? undefined : Buffer.from(message).toString());
      }),
    drain: (ws) => guard(() => ws.getUserData().handler?.drained()),
    close: (ws) =>
      guard(() => {
        // The filter of connections is not called for those that became WebSockets.
        shared.peers.went();
        const { socket, handler } = ws.getUserData();
        socket?.forget();
        handler?.closed();
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
    if (isGone) door.abandon();
    else res.cork(() => res.upgrade<Data>({ door }, key, '', extensions, context));
  };
  const head = new LazyHead(received, { signal: () => aborter.signal });
  const upgraded = options.dispatcher.upgrade(head);
  if (upgraded instanceof Promise) {
    upgraded.then(finish).catch((error: unknown) => options.log.error('http_socket_broken', { error }));
  } else finish(upgraded);
}

/** Refusals are short texts. The connection is not used again, since its client wanted something else. */
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

  /** It has closed: nothing of it may be touched. */
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

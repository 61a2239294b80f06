/**
 * Listens, with uWebSockets.js. Only this file, `server-exchange.ts` and `sockets.ts` know the library: this one its
 * connections, the others the requests and WebSockets on them.
 */
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { AppError } from '../../domain/errors.ts';
import { addressText } from '../../lib/listen-address.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ExchangeOptions, Shared } from './exchange-options.ts';
import { Peers } from './peers.ts';
import { Exchange } from './server-exchange.ts';
import { serveSockets } from './sockets.ts';

// Missing from the library's types.
declare module 'uWebSockets.js' {
  const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      cb: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

export interface ServerOptions extends ExchangeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** PEM files; absent: plain HTTP. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
  /** Most connections at once; further ones are closed as they come. Each takes a file descriptor of the process. */
  readonly connectionsMax: number;
  readonly log: ExchangeOptions['log'] & Pick<Logger, 'warn'>;
}

export interface HttpServer {
  readonly port: number;
  /** Open connections, and the requests on them that are not answered yet. */
  figures(): { readonly connections: number; readonly requests: number };
  /** Stops listening at once, lets exchanges finish until `giveUp` fires, then closes every connection. */
  stop(giveUp: AbortSignal): Promise<void>;
}

// limit: request line and headers together. Long lists of filters need more than the default of 4 KiB.
const HEADER_BYTES_MAX = 65_536;

/** Listens. Throws AppError ADDRESS_IN_USE if the address is not free. */
export async function startServer(options: ServerOptions): Promise<HttpServer> {
  // The library reads this variable once, when it is loaded, so it is imported late.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEADER_BYTES_MAX);
  const uws = await import('uWebSockets.js');
  const { tls } = options;
  const files = tls && { cert_file_name: tls.certificateFile, key_file_name: tls.keyFile };
  const app = files === undefined ? uws.App() : uws.SSLApp(files);
  const peers = new Peers();
  const shared: Shared = { options, peers, active: new Set(), bufferedBytes: 0, onQuiet: undefined };
  limitConnections(app, peers, options);
  serveSockets(app, shared);
  app.get('/*', (res, req) => new Exchange(shared, res, req, 'GET').begin());
  app.any('/*', (res, req) => new Exchange(shared, res, req, req.getMethod().toUpperCase()).begin());
  const socket = await listen(app, options, uws.LIBUS_LISTEN_EXCLUSIVE_PORT);
  let isListening = true;
  return {
    port: uws.us_socket_local_port(socket as never),
    figures: () => ({ connections: peers.count, requests: shared.active.size }),
    stop: async (giveUp) => {
      if (!isListening) return;
      isListening = false;
      uws.us_listen_socket_close(socket);
      await quiet(shared, giveUp);
      app.close();
    },
  };
}

/** The filter is called as connections come (1) and go (-1), including those that it closes itself. */
function limitConnections(app: TemplatedApp, peers: Peers, { connectionsMax, log }: ServerOptions): void {
  let isFull = false;
  // biome-ignore lint/suspicious/useIterableCallbackReturn: `filter` is not that of an array
  app.filter((res, change) => {
    if (change > 0) peers.came(res);
    else peers.went();
    if (change > 0 && peers.count > connectionsMax) {
      if (!isFull) log.warn('http_connections_full', { connectionsMax });
      isFull = true;
      res.close();
    } else if (peers.count < connectionsMax * 0.9) isFull = false;
  });
}

function listen(app: TemplatedApp, options: ServerOptions, exclusive: number): Promise<us_listen_socket> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    // Without the exclusive option a second server on the same port succeeds and shares its traffic.
    app.listen(host, port, exclusive, (socket) => {
      if (socket !== false) resolve(socket);
      else
        reject(
          new AppError(
            'ADDRESS_IN_USE',
            `cannot listen on ${addressText({ host, port })}: is it in use, or not an address of this host?`,
          ),
        );
    });
  });
}

function quiet(shared: Shared, giveUp: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (shared.active.size === 0 || giveUp.aborted) resolve();
    shared.onQuiet = resolve;
    giveUp.addEventListener('abort', () => resolve(), { once: true });
  });
}

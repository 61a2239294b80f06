/**
 * The port where agents connect: accepts connections, passes them to gRPC, and limits the resources of strangers. A
 * stranger is a peer that has presented neither token nor certificate. It is disconnected after a while, or earlier if
 * it sends much.
 */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '../domain/errors.ts';

export interface ListenerLimits {
  /** Most connections at once; each takes a file descriptor. */
  readonly connectionsMax: number;
  /** Most of them that may be strangers'. */
  readonly strangersMax: number;
  /** How long a peer may stay a stranger. */
  readonly strangerMs: number;
  /** Most bytes from all strangers together; the one that sent most is disconnected first. */
  readonly strangerBytesMax: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  connectionsMax: 10_000,
  strangersMax: 500,
  strangerMs: 20_000,
  strangerBytesMax: 134_217_728,
};

interface ListenerLog {
  warn(event: string, fields?: Record<string, unknown>): void;
}

const LOOK_EVERY_MS = 200;

interface Stranger {
  readonly socket: Socket;
  readonly sinceMs: number;
}

export class AgentListener {
  readonly #limits: ListenerLimits;
  readonly #log: ListenerLog;
  readonly #net: NetServer;
  readonly #sockets = new Set<Socket>();
  /** By the peer's name in calls. Peers on a unix socket have no name: file permissions keep strangers out. */
  readonly #strangers = new Map<string, Stranger>();
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: ListenerLimits, log: ListenerLog) {
    this.#limits = limits;
    this.#log = log;
    this.#net = createServer({ noDelay: true });
    this.#net.maxConnections = limits.connectionsMax;
    this.#net.on('drop', () => this.#log.warn('agent_connections_full', { max: limits.connectionsMax }));
  }

  /** Resolves with the port; 0 for `unix:<path>`. Throws AppError ADDRESS_IN_USE. */
  async listen(address: string, server: Server, credentials: ServerCredentials): Promise<number> {
    const injector = server.createConnectionInjector(credentials);
    this.#net.on('connection', (socket) => {
      if (this.#isWelcome(socket)) injector.injectConnection(socket);
      else socket.destroy();
    });
    await new Promise<void>((resolve, reject) => {
      this.#net.once('error', (cause) => {
        reject(new AppError('ADDRESS_IN_USE', `cannot listen for agents on ${address}`, {}, { cause }));
      });
      this.#net.listen(toListen(address), resolve);
    });
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    const bound = this.#net.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  }

  /** Called when the peer of a call (`getPeer`) has shown a token or certificate: it is not a stranger any more. */
  know(peer: string): void {
    this.#strangers.delete(peer);
  }

  /** Closes every connection. */
  close(): void {
    clearInterval(this.#looking);
    this.#net.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #isWelcome(socket: Socket): boolean {
    if (this.#strangers.size >= this.#limits.strangersMax) {
      this.#log.warn('agent_strangers_full', { max: this.#limits.strangersMax });
      return false;
    }
    this.#sockets.add(socket);
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    if (socket.remoteAddress !== undefined) this.#strangers.set(peer, { socket, sinceMs: performance.now() });
    socket.on('error', () => undefined); // the socket closes then
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#strangers.get(peer)?.socket === socket) this.#strangers.delete(peer);
    });
    return true;
  }

  #look(): void {
    const { strangerMs, strangerBytesMax } = this.#limits;
    const sinceMs = performance.now() - strangerMs;
    let bytes = 0;
    for (const { socket, sinceMs: since } of this.#strangers.values()) {
      if (since < sinceMs) socket.destroy();
      else bytes += socket.bytesRead;
    }
    if (bytes <= strangerBytesMax) return;
    const bySize = [...this.#strangers.values()].sort((a, b) => b.socket.bytesRead - a.socket.bytesRead);
    for (const { socket } of bySize) {
      if (bytes <= strangerBytesMax) break;
      bytes -= socket.bytesRead;
      this.#log.warn('agent_stranger_too_loud', { peer: socket.remoteAddress, bytes: socket.bytesRead });
      socket.destroy();
    }
  }
}

function toListen(
  address: string,
): { readonly path: string } | { readonly host: string; readonly port: number } {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  return { host, port: Number(address.slice(at + 1)) };
}

/**
 * Core NATS as a way for messages between coordinators: one subject for each coordinator, at most once. The only file
 * of the transport that knows the `nats` package. Connects in the background, and retries without limit.
 */
import { connect, ErrorCode, Events, type NatsConnection, NatsError } from 'nats';
import type { KernelLog } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import { natsServers } from '../lib/nats-servers.ts';
import { RepeatedWarning } from '../lib/repeated-warning.ts';
import { BUS_LIMITS } from './bus-limits.ts';
import type { Bus, BusEvents } from './ways.ts';

export interface NatsOptions {
  /** `nats://[user:password@]host:port` or `tls://…`, several separated by commas. */
  readonly url: string;
  /** Separates clusters on one server. Letters, digits, `_` and `-`. */
  readonly cluster: string;
  readonly log: KernelLog;
}

const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const STOP_MS = 2_000;
/** How long a start waits for the server. After that, connecting continues in the background. */
const START_MS = 1_000;
const CONNECT_MS = 5_000;
const RETRY_MS = { first: 250, max: 5_000 } as const;
/** Two unanswered pings end the connection. */
const PING_EVERY_MS = 5_000;

export function natsBus(options: NatsOptions): Bus {
  assert(NAME.test(options.cluster), 'a cluster is named with letters, digits, _ and -');
  return new NatsBus(options);
}

class NatsBus implements Bus {
  readonly #options: NatsOptions;
  readonly #notConnected: RepeatedWarning;
  #self = '';
  #events: BusEvents | undefined;
  #connection: NatsConnection | undefined;
  #isUp = false;
  #problem: string | undefined = 'NATS has not answered yet';
  #unconfirmed = 0;
  #isFlushing = false;
  #isStopped = false;
  #retry: { readonly timer: NodeJS.Timeout; readonly wake: () => void } | undefined;

  constructor(options: NatsOptions) {
    this.#options = options;
    this.#notConnected = new RepeatedWarning(options.log, 'nats_unavailable');
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async start(self: string, events: BusEvents): Promise<void> {
    this.#self = self;
    this.#events = events;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => {
      timer = setTimeout(done, START_MS);
    });
    const first = new Promise<void>((done) => void this.#connectForEver(done));
    await Promise.race([first, patience]);
    clearTimeout(timer);
  }

  publish(to: string, bytes: Uint8Array): 'published' | 'down' | 'too-large' {
    const connection = this.#connection;
    if (connection === undefined || !this.#isUp) return 'down';
    // limit: bytes that the server has not confirmed yet.
    if (this.#unconfirmed > BUS_LIMITS.unconfirmedBytesMax) return 'down';
    if (bytes.length > this.payloadBytesMax) return 'too-large';
    connection.publish(this.#subjectOf(to), bytes);
    this.#confirm(connection, bytes.length);
    return 'published';
  }

  get payloadBytesMax(): number {
    const taken = this.#connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
    return taken - BUS_LIMITS.headerBytesMax;
  }

  /** Flushes what was published, for a bounded time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry?.timer);
    this.#retry?.wake();
    this.#notConnected.close();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#isUp = false;
    if (connection === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => {
      timer = setTimeout(done, STOP_MS);
    });
    // Draining rejects without a connection, when there is nothing to drain.
    await Promise.race([connection.drain().catch(() => undefined), patience]);
    clearTimeout(timer);
    await connection.close();
  }

  /** `tried` is called after the first attempt. Never rejects. */
  async #connectForEver(tried: () => void): Promise<void> {
    let pauseMs: number = RETRY_MS.first;
    while (!this.#isStopped) {
      try {
        const connection = await this.#connect();
        pauseMs = RETRY_MS.first;
        tried();
        // The client reconnects by itself; when it gives up, connecting starts over.
        const error = await connection.closed();
        this.#down(connection, reasonOf(error));
      } catch (error) {
        this.#down(undefined, reasonOf(error));
        if (!this.#isStopped) this.#notConnected.note({ reason: this.#problem });
        tried();
      }
      if (this.#isStopped) return;
      await this.#pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, RETRY_MS.max);
    }
  }

  async #connect(): Promise<NatsConnection> {
    const connection = await connect({
      ...natsServers(this.#options.url),
      name: `millrace ${this.#self}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      // Not final: a wrong password may be corrected on the server, or here.
      ignoreAuthErrorAbort: true,
      pingInterval: PING_EVERY_MS,
      maxPingOut: 2,
      timeout: CONNECT_MS,
    });
    if (this.#isStopped) await connection.close();
    this.#follow(connection);
    connection.subscribe(this.#subjectOf(this.#self), {
      callback: (error, message) => {
        if (error !== null) this.#options.log.warn('bus_subscription_failed', { error });
        else this.#events?.onMessage(message.data);
      },
    });
    await connection.flush();
    this.#connection = connection;
    this.#up();
    return connection;
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type, data } of connection.status()) {
      // The client reports each failed reconnection as well, and `#failed` logs its reason.
      const isFirst = type === Events.Disconnect && this.#isUp;
      if (isFirst) this.#down(connection, 'NATS has closed the connection');
      else if (type === Events.Reconnect && this.#connection === connection) this.#up();
      else if (type === Events.Error) this.#failed(connection, String(data));
    }
  }

  #up(): void {
    this.#isUp = true;
    this.#problem = undefined;
    this.#unconfirmed = 0;
    this.#options.log.info('bus_connected');
    this.#events?.onChange();
  }

  #down(connection: NatsConnection | undefined, reason: string): void {
    if (connection !== this.#connection && connection !== undefined) return;
    this.#problem = reason;
    this.#unconfirmed = 0;
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#options.log.warn('bus_disconnected', { reason });
    this.#events?.onChange();
  }

  /** Logs why an attempt to reconnect fails. */
  #failed(connection: NatsConnection, code: string): void {
    if (this.#isUp || this.#connection !== connection) return;
    this.#problem = reasonOf(new NatsError(code, code));
    this.#notConnected.note({ reason: this.#problem });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#retry = { wake, timer: setTimeout(wake, ms) };
    });
  }

  /** Flushes, one at a time, to find out how many bytes the server has accepted. */
  #confirm(connection: NatsConnection, bytes: number): void {
    this.#unconfirmed += bytes;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const sent = this.#unconfirmed;
    const done = () => {
      this.#isFlushing = false;
      this.#unconfirmed = Math.max(0, this.#unconfirmed - sent); // a disconnection resets the count to 0
      if (this.#unconfirmed > 0 && this.#isUp) this.#confirm(connection, 0);
    };
    connection.flush().then(done, done);
  }

  #subjectOf(coordinator: string): string {
    assert(NAME.test(coordinator), 'a coordinator is named with letters, digits, _ and -');
    return `millrace.${this.#options.cluster}.c.${coordinator}`;
  }
}

/** The reason for people, without credentials. */
function reasonOf(error: unknown): string {
  const code = error instanceof NatsError ? error.code : undefined;
  switch (code) {
    case ErrorCode.AuthorizationViolation:
    case ErrorCode.AuthenticationExpired:
    case ErrorCode.BadAuthentication:
      return 'NATS refuses the credentials of NATS_URL';
    case ErrorCode.ConnectionTimeout:
    case ErrorCode.Timeout:
      return 'NATS does not answer';
    default:
      return code === undefined ? 'NATS cannot be reached' : `NATS cannot be reached (${code})`;
  }
}

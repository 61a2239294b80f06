/**
 * The bus over core NATS: one subject a coordinator, at most once. The only file of the transport that knows
 * the `nats` package. Reconnects for ever; while it is away, sending is refused rather than kept.
 */
import { connect, Events, type NatsConnection } from 'nats';
import { AppError } from '../domain/errors.ts';
import type { Envelope, KernelLog, Transport } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import { natsServers } from '../lib/nats-servers.ts';
import { decodeEnvelope, encodeEnvelope } from '../wire/codecs/bus.ts';
import { BUS_LIMITS } from './bus-limits.ts';
import { RepeatedWarning } from './repeated-warning.ts';

export interface NatsOptions {
  /** `nats://[user:password@]host:port` or `tls://…`, several separated by commas. */
  readonly url: string;
  /** Separates clusters that share a server. Letters, digits, `_` and `-`. */
  readonly cluster: string;
  readonly log: KernelLog;
  /** How long the first connection may take. */
  readonly connectMs?: number;
}

const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const STOP_MS = 2_000;

export function natsTransport(options: NatsOptions): Transport {
  assert(NAME.test(options.cluster), 'a cluster is named with letters, digits, _ and -');
  return new NatsTransport(options);
}

class NatsTransport implements Transport {
  readonly #options: NatsOptions;
  #connection: NatsConnection | undefined;
  readonly #notUnderstood: RepeatedWarning;
  readonly #notTaken: RepeatedWarning;
  readonly #notSent: RepeatedWarning;
  #isConnected = false;
  #unconfirmed = 0;
  #isFlushing = false;

  constructor(options: NatsOptions) {
    this.#options = options;
    this.#notUnderstood = new RepeatedWarning(options.log, 'bus message not understood');
    this.#notTaken = new RepeatedWarning(options.log, 'bus message not taken');
    this.#notSent = new RepeatedWarning(options.log, 'bus message not sent');
  }

  /** Throws AppError BUS_UNAVAILABLE when the server does not answer. */
  async start(self: string, onEnvelope: (envelope: Envelope) => void): Promise<void> {
    const { log, connectMs = 10_000 } = this.#options;
    const connection = await connect({
      ...natsServers(this.#options.url),
      name: `millrace ${self}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      pingInterval: 10_000,
      maxPingOut: 2,
      timeout: connectMs,
    }).catch((error: unknown) => {
      throw new AppError('BUS_UNAVAILABLE', 'NATS cannot be reached', {}, { cause: error });
    });
    this.#connection = connection;
    this.#isConnected = true;
    this.#follow(connection);
    connection.subscribe(this.#subjectOf(self), {
      callback: (error, message) => {
        if (error !== null) return log.warn('bus subscription failed', { error });
        this.#receive(message.data, onEnvelope);
      },
    });
    await connection.flush();
  }

  /** Whoever may publish here may send anything: nothing of it ends the subscription. */
  #receive(bytes: Uint8Array, onEnvelope: (envelope: Envelope) => void): void {
    let envelope: Envelope;
    try {
      envelope = decodeEnvelope(bytes);
    } catch (error) {
      this.#notUnderstood.note({ bytes: bytes.length, error });
      return;
    }
    try {
      onEnvelope(envelope);
    } catch (error) {
      this.#notTaken.note({ type: envelope.type, error });
    }
  }

  send(to: string, envelope: Envelope): 'sent' | 'refused' {
    if (this.#connection === undefined || !this.#isConnected) return 'refused';
    // limit: what the server has not taken yet.
    if (this.#unconfirmed > BUS_LIMITS.unconfirmedBytesMax) return 'refused';
    try {
      const bytes = encodeEnvelope(envelope);
      if (bytes.length > BUS_LIMITS.envelopeBytesMax) {
        this.#options.log.warn('bus message too large', { type: envelope.type, bytes: bytes.length });
        return 'refused';
      }
      this.#connection.publish(this.#subjectOf(to), bytes);
      this.#confirm(this.#connection, bytes.length);
      return 'sent';
    } catch (error) {
      this.#notSent.note({ type: envelope.type, error });
      return 'refused';
    }
  }

  /** Lets what was sent go out, for a bounded time. */
  async stop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#isConnected = false;
    for (const warning of [this.#notUnderstood, this.#notTaken, this.#notSent]) warning.close();
    if (connection === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => {
      timer = setTimeout(done, STOP_MS);
    });
    // Without a connection there is nothing to drain, and it says so.
    await Promise.race([connection.drain().catch(() => undefined), patience]);
    clearTimeout(timer);
    await connection.close();
  }

  /** One flush at a time tells how much the server has taken. */
  #confirm(connection: NatsConnection, bytes: number): void {
    this.#unconfirmed += bytes;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const sent = this.#unconfirmed;
    const done = () => {
      this.#isFlushing = false;
      this.#unconfirmed = Math.max(0, this.#unconfirmed - sent); // a disconnection counts from 0 again
      if (this.#unconfirmed > 0 && this.#isConnected) this.#confirm(connection, 0);
    };
    connection.flush().then(done, done);
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      this.#isConnected = type === Events.Reconnect && this.#connection === connection;
      this.#unconfirmed = 0;
      this.#options.log.info(this.#isConnected ? 'bus connected again' : 'bus disconnected');
    }
  }

  #subjectOf(coordinator: string): string {
    assert(NAME.test(coordinator), 'a coordinator is named with letters, digits, _ and -');
    return `millrace.${this.#options.cluster}.c.${coordinator}`;
  }
}

/**
 * The bus over core NATS: one subject a coordinator, at most once. The only file of the transport that knows
 * the `nats` package. Reconnects for ever; while it is away, sending is refused rather than kept.
 *
 * What is sent to one coordinator before the event loop goes on leaves as one message: of 15 us of processor an
 * envelope between two processes, both together, 5 are left (NATS alone takes 5 for a message). Coordinators of a
 * version that does not read batches get each envelope by itself; so does everybody until one of theirs has come.
 */
import { connect, Events, type NatsConnection } from 'nats';
import { AppError } from '../domain/errors.ts';
import type { Envelope, KernelLog, Transport } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';
import { natsServers } from '../lib/nats-servers.ts';
import { type BusDelivery, decodeDelivery, encodeBatch, encodeEnvelope } from '../wire/codecs/bus.ts';
import { encodeMember } from '../wire/codecs/bus-batch.ts';
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

/** A coordinator that reads batches, and what waits to be sent to it. */
interface Reader {
  readonly subject: string;
  /** As a batch has them. */
  members: string;
  bytes: number;
}

class NatsTransport implements Transport {
  readonly #options: NatsOptions;
  readonly #readers = new Map<string, Reader>();
  /** Those of the readers for whom something waits. */
  #waiting: Reader[] = [];
  #self = '';
  /** Of an envelope, and of several together: ours, or less where the server takes less. */
  #bytesMax = { envelope: 0, batch: 0 };
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
    this.#self = self;
    this.#isConnected = true;
    this.#learnLimits(connection);
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
    let delivery: BusDelivery;
    try {
      delivery = decodeDelivery(bytes);
    } catch (error) {
      this.#notUnderstood.note({ bytes: bytes.length, error });
      return;
    }
    if (delivery.readsBatches && !this.#readers.has(delivery.from)) this.#addReader(delivery.from);
    for (const envelope of delivery.envelopes) {
      try {
        onEnvelope(envelope);
      } catch (error) {
        this.#notTaken.note({ type: envelope.type, error });
      }
    }
  }

  /** limit: readersMax. Whoever is forgotten is learned of again, and gets single envelopes until then. */
  #addReader(coordinator: string): void {
    if (this.#readers.size >= BUS_LIMITS.readersMax) {
      this.#flush(); // what waits for it goes before what it gets by itself
      for (const [oldest] of this.#readers) {
        this.#readers.delete(oldest);
        break;
      }
    }
    this.#readers.set(coordinator, { subject: this.#subjectOf(coordinator), members: '', bytes: 0 });
  }

  send(to: string, envelope: Envelope): 'sent' | 'refused' {
    if (this.#connection === undefined || !this.#isConnected) return 'refused';
    // limit: what the server has not taken yet.
    if (this.#unconfirmed > BUS_LIMITS.unconfirmedBytesMax) return 'refused';
    try {
      const reader = this.#readers.get(to);
      if (reader !== undefined) return this.#gather(reader, envelope);
      const bytes = encodeEnvelope(envelope);
      if (bytes.length > this.#bytesMax.envelope) return this.#tooLarge(envelope, bytes.length);
      this.#publish(this.#connection, this.#subjectOf(to), bytes);
      return 'sent';
    } catch (error) {
      this.#notSent.note({ type: envelope.type, error });
      return 'refused';
    }
  }

  /** Throws what is no JSON. */
  #gather(reader: Reader, envelope: Envelope): 'sent' | 'refused' {
    const member = encodeMember(envelope, this.#self);
    const bytes = Buffer.byteLength(member);
    if (bytes > this.#bytesMax.envelope) return this.#tooLarge(envelope, bytes);
    if (reader.bytes > 0 && reader.bytes + bytes > this.#bytesMax.batch) this.#flush();
    if (reader.bytes === 0) {
      if (this.#waiting.push(reader) === 1) queueMicrotask(() => this.#flush());
      reader.members = member;
    } else {
      reader.members += `,${member}`;
    }
    reader.bytes += bytes + 1;
    return 'sent';
  }

  /** Sends what waits. What a connection that is gone no longer takes is lost, like all that was under way on it. */
  #flush(): void {
    const readers = this.#waiting;
    this.#waiting = [];
    for (const reader of readers) {
      const { subject, members } = reader;
      reader.members = '';
      reader.bytes = 0;
      try {
        if (this.#connection !== undefined && this.#isConnected)
          this.#publish(this.#connection, subject, encodeBatch(this.#self, members));
      } catch (error) {
        this.#notSent.note({ type: 'batch', error });
      }
    }
  }

  #publish(connection: NatsConnection, subject: string, bytes: Uint8Array): void {
    connection.publish(subject, bytes);
    this.#confirm(connection, bytes.length);
  }

  #tooLarge({ type }: Envelope, bytes: number): 'refused' {
    this.#options.log.warn('bus message too large', { type, bytes });
    return 'refused';
  }

  /** Lets what was sent go out, for a bounded time. */
  async stop(): Promise<void> {
    this.#flush();
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
      this.#learnLimits(connection);
      this.#options.log.info(this.#isConnected ? 'bus connected again' : 'bus disconnected');
    }
  }

  #learnLimits({ info }: NatsConnection): void {
    const { envelopeBytesMax, batchBytesMax, headerBytesMax } = BUS_LIMITS;
    const payload = (info?.max_payload ?? Number.POSITIVE_INFINITY) - headerBytesMax;
    this.#bytesMax = {
      envelope: Math.min(envelopeBytesMax, payload),
      batch: Math.min(batchBytesMax, payload),
    };
  }

  #subjectOf(coordinator: string): string {
    assert(NAME.test(coordinator), 'a coordinator is named with letters, digits, _ and -');
    return `millrace.${this.#options.cluster}.c.${coordinator}`;
  }
}

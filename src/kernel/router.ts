/**
 * Finds the owner of an address and delivers the mail: into a local activation, to another coordinator, or, while a
 * shard has no known owner, into a bounded queue that is retried at every look at the leases.
 */

import type { Dispatcher } from './activation/dispatcher.ts';
import { AskMail, type Mail, messageOf } from './activation/mail.ts';
import type { Outbox } from './activation/outputs.ts';
import type { Registry } from './activation/registry.ts';
import { type AnyAddress, type AnyMessage, shardOf } from './actor/address.ts';
import type { ReplyTo } from './actor/effect.ts';
import type { Envelope, MailEnvelope } from './actor/envelope.ts';
import { type KernelFailure, kernelFailure } from './actor/kernel-error.ts';
import type { Transport } from './actor/ports.ts';
import type { Asks } from './asks.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { Runtime } from './runtime.ts';

/** limit: how often a tell is forwarded when its addressee has moved; after that a reconciliation finds the work. */
const HOPS_MAX = 2;

type Unnumbered<Kind extends Envelope> = Kind extends Envelope ? Omit<Kind, 'id'> : never;

interface Parked {
  readonly to: AnyAddress;
  readonly mail: Mail;
  readonly isNew: boolean;
  readonly hops: number;
  readonly untilMs: number;
}

export interface AskOptions {
  readonly deadlineMs: number;
  /** The addressee has no rows: it is not loaded. */
  readonly isNew?: boolean;
  /**
   * The addressee recognizes a repeat of the message by an id in it, and answers it as it did the first. Such an ask is
   * sent again when its addressee's coordinator dies; any other ask then fails.
   */
  readonly isRepeatable?: boolean;
}

export interface RouterParts extends Runtime {
  readonly registry: Registry;
  readonly asks: Asks;
  readonly transport: Transport;
}

export class Router implements Outbox {
  readonly #parts: RouterParts;
  #dispatcher!: Dispatcher;
  #keeper!: LeaseKeeper;
  #parked: Parked[] = [];
  #lastId = 0;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  /** Router, dispatcher and keeper refer to each other, so the references are completed by this call. */
  connect(dispatcher: Dispatcher, keeper: LeaseKeeper): void {
    this.#dispatcher = dispatcher;
    this.#keeper = keeper;
  }

  tell(to: AnyAddress, message: AnyMessage): void {
    this.#route(to, message, false, 0);
  }

  ask(to: AnyAddress, message: AnyMessage, options: AskOptions): Promise<unknown> {
    const { deadlineMs, isNew, isRepeatable } = options;
    const isReachable = () => this.#isReachable(to);
    return this.#parts.asks.open(to, deadlineMs, isReachable, (askId) => {
      const expiresMs = this.#parts.clock.monotonicMs() + deadlineMs;
      const replyTo = { coordinator: this.#parts.self, askId };
      const mail = new AskMail(message, replyTo, expiresMs, 0);
      this.#route(to, mail, isNew === true, 0);
      // The addressee may have begun the work: the receiver of the repeat has to check.
      return isRepeatable ? (hops) => this.#route(to, mail, false, hops) : undefined;
    });
  }

  answer(to: ReplyTo, value: unknown): void {
    const { self, asks } = this.#parts;
    const { coordinator, askId } = to;
    if (coordinator === self) asks.answer(askId, value);
    else if (!this.#send(coordinator, { type: 'answer', from: self, askId, value }))
      this.refuse(to, kernelFailure('UNAVAILABLE', 'the answer could not be sent'));
  }

  refuse(to: ReplyTo, failure: KernelFailure): void {
    const { self, asks } = this.#parts;
    const { coordinator, askId } = to;
    if (coordinator === self) asks.refuse(askId, failure);
    else this.#send(coordinator, { type: 'refusal', from: self, askId, failure });
  }

  redirect(to: AnyAddress, mail: Mail): void {
    this.#keeper.refresh();
    this.#park(to, mail, false, mail instanceof AskMail ? mail.hops + 1 : 1);
  }

  receive(envelope: Envelope): void {
    this.#parts.counters.received++;
    switch (envelope.type) {
      case 'mail':
        this.#receiveMail(envelope);
        break;
      case 'answer':
        this.#parts.asks.answer(envelope.askId, envelope.value);
        break;
      case 'refusal':
        this.#parts.asks.refuse(envelope.askId, envelope.failure);
        break;
      case 'bounce':
        this.#receiveBounce(envelope.mail);
        break;
      case 'leasesChanged':
        this.#keeper.refresh();
        break;
    }
  }

  /** Owners may have changed: parked mail is tried again. */
  retryParked(): void {
    const parked = this.#parked;
    this.#parked = [];
    const nowMs = this.#parts.clock.monotonicMs();
    for (const { to, mail, isNew, hops, untilMs } of parked) {
      if (untilMs > nowMs) this.#route(to, mail, isNew, hops, untilMs);
      else if (!(mail instanceof AskMail)) this.#parts.counters.dropped++; // an ask ends at its own deadline
    }
  }

  /** Tells all other coordinators that shards changed hands. */
  announceLeases(): void {
    const { self } = this.#parts;
    for (const { id } of this.#keeper.coordinators) {
      if (id !== self) this.#send(id, { type: 'leasesChanged', from: self });
    }
  }

  get parkedCount(): number {
    return this.#parked.length;
  }

  #route(to: AnyAddress, mail: Mail, isNew: boolean, hops: number, untilMs?: number): void {
    const { registry, self } = this.#parts;
    const kind = registry.find(to.kind);
    const lease = kind?.activations.get(to.key)?.lease ?? this.#keeper.leaseOf(shardOf(to.kind, to.key));
    if (kind !== undefined && lease?.status === 'held') {
      if (!this.#dispatcher.deliver(kind, to, lease, mail, isNew)) this.#full(to, mail);
      return;
    }
    const owner = this.#keeper.ownerOf(shardOf(to.kind, to.key));
    if (kind === undefined) this.#unknown(to, mail);
    else if (owner === undefined || owner === self) this.#park(to, mail, isNew, hops, untilMs);
    else if (!this.#send(owner, this.#toEnvelope(to, mail, isNew, hops))) this.#unsent(mail);
    else this.#noteWhere(mail, owner);
  }

  /** Notes which coordinator has an ask of ours; undefined: it is here, waiting to be routed. */
  #noteWhere(mail: Mail, owner: string | undefined): void {
    if (!(mail instanceof AskMail)) return;
    const { coordinator, askId } = mail.replyTo;
    if (coordinator === this.#parts.self) this.#parts.asks.sentTo(askId, owner);
  }

  #receiveMail(envelope: MailEnvelope): void {
    const { to, ask, from, isNew, hops } = envelope;
    const kind = this.#parts.registry.find(to.kind);
    const lease = this.#keeper.leaseOf(shardOf(to.kind, to.key));
    if (kind === undefined || lease?.status !== 'held') {
      this.#parts.counters.bounced++;
      this.#send(from, { type: 'bounce', from: this.#parts.self, mail: envelope });
      return;
    }
    const expiresMs = this.#parts.clock.monotonicMs() + (ask?.timeLeftMs ?? 0);
    const mail =
      ask === undefined
        ? envelope.message
        : new AskMail(envelope.message, { coordinator: from, askId: ask.askId }, expiresMs, hops);
    if (!this.#dispatcher.deliver(kind, to, lease, mail, isNew)) this.#full(to, mail);
  }

  /** Handles returned mail: its receiver is not the owner, so the leases are read and the mail is sent once more. */
  #receiveBounce(envelope: MailEnvelope): void {
    const { to, ask, isNew } = envelope;
    const hops = envelope.hops + 1;
    if (ask === undefined && hops >= HOPS_MAX) {
      this.#parts.counters.dropped++;
      return;
    }
    if (ask !== undefined && !this.#parts.asks.mayForward(ask.askId, envelope.hops)) return;
    this.#keeper.refresh();
    const expiresMs = this.#parts.clock.monotonicMs() + (ask?.timeLeftMs ?? 0);
    const replyTo = { coordinator: this.#parts.self, askId: ask?.askId ?? 0 };
    const mail =
      ask === undefined ? envelope.message : new AskMail(envelope.message, replyTo, expiresMs, hops);
    this.#noteWhere(mail, undefined);
    this.#park(to, mail, isNew, hops);
  }

  /** limit: parkedMax mails, each until its ask's deadline or for parkedMs. */
  #park(to: AnyAddress, mail: Mail, isNew: boolean, hops: number, untilMs?: number): void {
    const { limits, clock } = this.#parts;
    if (this.#parked.length >= limits.parkedMax) {
      this.#unsent(mail);
      return;
    }
    const endMs = mail instanceof AskMail ? mail.expiresMs : clock.monotonicMs() + limits.parkedMs;
    this.#parked.push({ to, mail, isNew, hops, untilMs: untilMs ?? endMs });
  }

  #toEnvelope(to: AnyAddress, mail: Mail, isNew: boolean, hops: number): Unnumbered<MailEnvelope> {
    const base = { type: 'mail', to, isNew, hops } as const;
    if (!(mail instanceof AskMail)) return { ...base, from: this.#parts.self, message: messageOf(mail) };
    const timeLeftMs = Math.max(0, mail.expiresMs - this.#parts.clock.monotonicMs());
    const { coordinator, askId } = mail.replyTo;
    return { ...base, from: coordinator, message: mail.message, ask: { askId, timeLeftMs } };
  }

  /**
   * Handles mail that a limit has refused. A tell is only a wake-up, so it is counted and dropped: a reconciliation
   * finds the work.
   */
  #full(to: AnyAddress, mail: Mail): void {
    if (mail instanceof AskMail) {
      this.refuse(mail.replyTo, kernelFailure('MAILBOX_FULL', `${to.kind}/${to.key} has too much to do`));
    } else {
      this.#parts.counters.dropped++;
    }
  }

  #unsent(mail: Mail): void {
    if (mail instanceof AskMail) this.refuse(mail.replyTo, kernelFailure('UNAVAILABLE', 'could not be sent'));
    else this.#parts.counters.dropped++;
  }

  #unknown(to: AnyAddress, mail: Mail): void {
    this.#parts.counters.deadLetters++;
    this.#parts.log.error('actor_kind_unknown', { actorKind: to.kind });
    if (mail instanceof AskMail) {
      this.refuse(mail.replyTo, kernelFailure('HANDLER_FAILED', `no kind of actor ${to.kind}`));
    }
  }

  #isReachable(to: AnyAddress): boolean {
    const kind = this.#parts.registry.find(to.kind);
    const shard = shardOf(to.kind, to.key);
    const isOurs = this.#keeper.leaseOf(shard)?.status === 'held';
    if (!isOurs)
      return this.#keeper.ownerOf(shard) !== undefined && this.#keeper.ownerOf(shard) !== this.#parts.self;
    return this.#keeper.isValid() && kind?.backoff.isTroubled !== true;
  }

  #send(to: string, envelope: Unnumbered<Envelope>): boolean {
    this.#parts.counters.sent++;
    return this.#parts.transport.send(to, { ...envelope, id: ++this.#lastId }) === 'sent';
  }
}

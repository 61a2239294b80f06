/** The entries of a mailbox. A tell is its bare message, which costs nothing; the other kinds are classes. */
import type { AnyMessage } from '../actor/address.ts';
import type { ReplyTo } from '../actor/effect.ts';

export class AskMail {
  readonly message: AnyMessage;
  readonly replyTo: ReplyTo;
  /** On the monotonic clock of this process. After it the asker no longer waits. */
  readonly expiresMs: number;
  readonly hops: number;

  constructor(message: AnyMessage, replyTo: ReplyTo, expiresMs: number, hops: number) {
    this.message = message;
    this.replyTo = replyTo;
    this.expiresMs = expiresMs;
    this.hops = hops;
  }
}

/** Results of saves and calls, timers and polls: they belong to this very activation and are useless to another. */
export class SystemMail {
  readonly message: AnyMessage;
  /** Set for the outcome of a call: the generation of the state that made the call. */
  readonly call: { readonly generation: number; readonly evenIfReloaded: boolean } | undefined;

  constructor(message: AnyMessage, call: SystemMail['call']) {
    this.message = message;
    this.call = call;
  }
}

export type Mail = AskMail | SystemMail | AnyMessage;

export function messageOf(mail: Mail): AnyMessage {
  return mail instanceof AskMail || mail instanceof SystemMail ? mail.message : mail;
}

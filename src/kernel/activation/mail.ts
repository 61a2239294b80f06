/**
 * What lies in a mailbox. A tell is its bare message, which costs nothing; the others say what they are by
 * class.
 */
import type { ReplyTo } from '../actor/effect.ts';

export class AskMail {
  readonly message: object;
  readonly replyTo: ReplyTo;
  /** On the monotonic clock of this process. Nobody waits for the answer after it. */
  readonly expiresMs: number;
  readonly hops: number;

  constructor(message: object, replyTo: ReplyTo, expiresMs: number, hops: number) {
    this.message = message;
    this.replyTo = replyTo;
    this.expiresMs = expiresMs;
    this.hops = hops;
  }
}

/** Where the outcome of a call belongs. */
export interface CallOrigin {
  /** The generation of the state that called. */
  readonly generation: number;
  readonly evenIfReloaded: boolean;
}

/** Results of saves and calls, and timers: news for this very activation, worthless to another. */
export class SystemMail {
  readonly message: object;
  /** Set for the outcome of a call. */
  readonly call: CallOrigin | undefined;

  constructor(message: object, call?: CallOrigin) {
    this.message = message;
    this.call = call;
  }
}

export type Mail = AskMail | SystemMail | object;

export function messageOf(mail: Mail): { readonly type: string } {
  const message = mail instanceof AskMail || mail instanceof SystemMail ? mail.message : mail;
  return message as { readonly type: string };
}

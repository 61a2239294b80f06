/** What travels between coordinators, as plain values. Codecs of the transports turn it into bytes. */
import type { AnyAddress } from './address.ts';
import type { KernelFailure } from './kernel-error.ts';

/** A message on its way. `message` is a JSON value: no bigint, Date or undefined members that matter. */
export interface MailEnvelope {
  readonly type: 'mail';
  readonly id: number;
  readonly from: string;
  readonly to: AnyAddress;
  readonly message: object;
  readonly isNew: boolean;
  /** Set for an ask; remaining time rather than an instant, because clocks of hosts differ. */
  readonly ask?: { readonly askId: number; readonly timeLeftMs: number };
  /** How often it has been sent on because its addressee had moved. */
  readonly hops: number;
}

export type Envelope =
  | MailEnvelope
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly from: string;
      readonly askId: number;
      readonly value: unknown;
    }
  | {
      readonly type: 'refusal';
      readonly id: number;
      readonly from: string;
      readonly askId: number;
      readonly failure: KernelFailure;
    }
  /** NOT_OWNER: the mail comes back so that its sender can look for the owner. */
  | { readonly type: 'bounce'; readonly id: number; readonly from: string; readonly mail: MailEnvelope }
  /** Leases were given up or taken: a wake-up to look at them again. poll: every heartbeat looks as well. */
  | { readonly type: 'leasesChanged'; readonly id: number; readonly from: string };

/** Messages between coordinators, as plain values. Codecs of the transports turn them into bytes. */
import type { AnyAddress, AnyMessage } from './address.ts';
import type { KernelFailure } from './kernel-error.ts';

/** An actor's message in transit. `message` is a JSON value: no bigint, Date or undefined members that matter. */
export interface MailEnvelope {
  readonly type: 'mail';
  readonly id: number;
  readonly from: string;
  readonly to: AnyAddress;
  readonly message: AnyMessage;
  readonly isNew: boolean;
  /** Set for an ask. It carries the remaining time, not a time of day, because clocks of hosts differ. */
  readonly ask?: { readonly askId: number; readonly timeLeftMs: number };
  /** How often it has been forwarded because its addressee had moved. */
  readonly hops: number;
}

/** `id` is unique for its sender, `from`. */
type Sent<Type extends string> = { readonly type: Type; readonly id: number; readonly from: string };

export type Envelope =
  | MailEnvelope
  | (Sent<'answer'> & { readonly askId: number; readonly value: unknown })
  | (Sent<'refusal'> & { readonly askId: number; readonly failure: KernelFailure })
  /** NOT_OWNER: the mail is returned so that its sender can look for the owner. */
  | (Sent<'bounce'> & { readonly mail: MailEnvelope })
  /** Leases were released or taken: a wake-up to read them again. poll: every heartbeat reads them as well. */
  | Sent<'leasesChanged'>;

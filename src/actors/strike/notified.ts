/** Objects from notifications: matched with the rules and recorded like any arrival. */
import { filesSeenIn } from '../../domain/notification/s3-event.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { askerOf, type Ctx, reply, stay } from '../../kernel/mod.ts';
import { match } from './arrivals.ts';
import { bucketOf, notWanted } from './queue.ts';
import type { StrikeMessage } from './strike.messages.ts';
import type { StrikeOutcome } from './strike-effects.ts';

type Notified = Extract<StrikeMessage, { type: 'notified' }>;

/** Objects of other buckets are ignored: several stores may send to one queue. */
export function notified(state: StrikeState, message: Notified, ctx: Ctx): StrikeOutcome {
  const { objects } = message;
  const replyTo = askerOf(message, ctx);
  // Only asked: what nobody waits for is found by the listing.
  if (replyTo === undefined) return stay(state);
  const bucket = bucketOf(state);
  if (bucket === undefined) return stay(state, notWanted(replyTo));
  const { files, foreignCount } = filesSeenIn(objects, bucket, ctx.nowMs);
  if (foreignCount > 0) ctx.count('objects_of_other_buckets', foreignCount);
  if (files.length === 0) return stay(state, reply(replyTo, { files: 0 }));
  return stay(state, match(state, { from: 'queue', replyTo }, files));
}

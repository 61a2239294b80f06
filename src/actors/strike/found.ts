/** Objects of a bucket that a listing or a notification found: tried on the rules and recorded like any arrival. */
import type { SeenFile } from '../../domain/node/agent-messages.ts';
import { filesSeenIn } from '../../domain/strike/s3-event.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, reply, stay, tell } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { FilesListed } from '../owner.messages.ts';
import { match } from './arrivals.ts';
import { pageRecorded, RETRY_MS, rest } from './listing.ts';
import { endMonitor, retryMonitor } from './monitor.ts';
import { bucketOf, notWanted } from './queue.ts';
import type { StrikeMessage } from './strike.messages.ts';
import type { ListingOrigin, StrikeOutcome } from './strike-effects.ts';

/** Another node may do better after so many failures in a row. */
const FAILURES_MAX = 3;

/** A page of the current monitor's listing; another's is stopped. */
export function filesListed(state: StrikeState, { nodeId, page }: FilesListed, ctx: Ctx): StrikeOutcome {
  const { executionId, sequence, through, isLast, error } = page;
  const node = nodeAddress(nodeId);
  if (state.monitor?.executionId !== executionId) {
    ctx.count('page_of_stale_listing');
    return stay(state, tell(node, { type: 'stopListing', executionId }));
  }
  if (error !== undefined) {
    ctx.count('listing_failed');
    const { listing } = state;
    const done = tell(node, { type: 'pageCommitted', executionId, sequence });
    listing.failureCount += 1;
    if (listing.failureCount <= FAILURES_MAX)
      return stay(state, done, rest(state, RETRY_MS * listing.failureCount, ctx));
    listing.failureCount = 0;
    const { name, isBuiltin } = error;
    return stay(state, done, ...endMonitor(state, { name, isBuiltin }, ctx), retryMonitor());
  }
  state.listing.isRunning = true;
  const origin: ListingOrigin = { from: 'listing', executionId, nodeId, sequence, through, isLast };
  if (page.files.length === 0) return stay(state, ...pageRecorded(state, origin, ctx));
  const files = page.files.map(
    (file): SeenFile => ({ ...file, arrival: 'complete', firstSeenMs: file.mtimeMs }),
  );
  return stay(state, match(state, origin, files));
}

type Notified = Extract<StrikeMessage, { type: 'notified' }>;

/** Objects of other buckets are nobody's business here: several stores may tell one queue. */
export function notified(state: StrikeState, { objects }: Notified, ctx: Ctx): StrikeOutcome {
  const { replyTo } = ctx;
  // Only asked: what nobody waits for is found by listing.
  if (replyTo === undefined) return stay(state);
  const bucket = bucketOf(state);
  if (bucket === undefined) return stay(state, notWanted(replyTo));
  const { files, foreignCount } = filesSeenIn(objects, bucket, ctx.nowMs);
  if (foreignCount > 0) ctx.count('objects_of_other_buckets', foreignCount);
  if (files.length === 0) return stay(state, reply(replyTo, { files: 0 }));
  return stay(state, match(state, { from: 'queue', replyTo }, files));
}

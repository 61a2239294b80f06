/**
 * Listings of the bucket that a strike watches, behind its notifications: one when the strike begins, then a while
 * after the end of each. What is known already changes nothing. How far one has come is saved with its pages: another
 * node, and another coordinator, go on from there.
 *
 * poll: a page whose acknowledgement was lost is told again; a wake orders a listing again of which nothing was heard.
 */

import { newQueue } from '../../domain/ingest/page-queue.ts';
import type { MonitorExecution } from '../../domain/job/job.ts';
import { bucketPlace } from '../../domain/strike/bucket-listing.ts';
import { BUCKET_LIST_MS } from '../../domain/strike/strike-config.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, save, tell } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { workspaceRef } from '../ingest/ingest-effects.ts';
import { type ListingOrder, nodeAddress } from '../node/node.messages.ts';
import type { StrikeEffect } from './strike-effects.ts';

const PAGE_SIZE = 1_000;
/** limit: a listing is begun again no more often, however many of its pages are astray. */
const RESTART_EVERY_MS = 5_000;
/** The order, or a page, may be lost: a listing that is silent for so long is ordered again, which repeats nothing. */
const SILENT_MS = 60_000;

/** From the end of one listing to the begin of the next. */
export function listEveryMs({ configuration: { monitor } }: StrikeState): number {
  return (monitor.type === 'objstore' ? monitor.list_every_ms : undefined) ?? BUCKET_LIST_MS;
}

/** Begins a listing when one is due, or goes on with one that was interrupted. */
export function goOnListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing } = state;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  if (state.monitor === null || workspace === undefined) return [];
  if (listing.isRunning)
    return hasElapsed(listing.heardMs, SILENT_MS, ctx.nowMs) ? orderListing(state, ctx) : [];
  const place = bucketPlace(workspace);
  if (listing.place !== place) Object.assign(listing, { place, through: '', nextMs: 0 });
  const waitMs = listing.nextMs - ctx.nowMs;
  // One that is due later than ever was said is one by a clock that went wrong.
  if (waitMs > 0 && waitMs <= listEveryMs(state)) return [];
  const effects = orderListing(state, ctx);
  listing.isRunning = effects.length > 0;
  return effects;
}

/** The agent came back without it: from where it was. */
export function orderListingAgain(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  return state.listing.isRunning ? orderListing(state, ctx) : [];
}

/** Its pages do not follow one another: some were lost on their way. */
export function restartListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing, monitor } = state;
  if (monitor === null || !hasElapsed(listing.restartedMs, RESTART_EVERY_MS, ctx.nowMs)) return [];
  listing.restartedMs = ctx.nowMs;
  return [tellStop(monitor), ...orderListing(state, ctx)];
}

function orderListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { monitor, configuration, listing } = state;
  if (monitor === null || workspace === undefined || configuration.monitor.type !== 'objstore') return [];
  listing.queue = newQueue(listing.through);
  listing.heardMs = ctx.nowMs;
  const order: ListingOrder = {
    executionId: monitor.executionId,
    jobId: state.job.id,
    exeNum: monitor.exeNum,
    owner: { kind: 'strike', key: state.id },
    workspace: workspaceRef(workspace),
    ...{ recursive: true, prefix: '', after: listing.through, transferSuffix: '', pageSize: PAGE_SIZE },
  };
  return [tell(nodeAddress(monitor.nodeId), { type: 'startListing', order })];
}

/** The monitor has ended, and its listing with it: the next monitor goes on at once. */
export function stopListing(state: StrikeState, monitor: MonitorExecution): readonly StrikeEffect[] {
  const { listing } = state;
  if (!listing.isRunning) return [];
  Object.assign(listing, { isRunning: false, queue: newQueue(listing.through), nextMs: 0 });
  return [tellStop(monitor)];
}

function tellStop({ executionId, nodeId }: MonitorExecution): StrikeEffect {
  return tell(nodeAddress(nodeId), { type: 'stopListing', executionId });
}

/** What was listed counts no more: the next listing begins at once, at the start. */
export function forgetListing(state: StrikeState): readonly StrikeEffect[] {
  const { listing } = state;
  if (listing.place === '') return [];
  Object.assign(listing, { place: '', through: '', nextMs: 0 });
  return [save({ type: 'markListing', strikeId: state.id, mark: null })];
}

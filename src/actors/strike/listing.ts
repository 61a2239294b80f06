/**
 * Listings of the bucket that a strike watches, in addition to its notifications: one when the strike begins, then one
 * at an interval after the end of each. Known objects change nothing. The position of a listing is saved with its
 * pages: another node, and another coordinator, continue from there.
 *
 * poll: a page whose acknowledgement was lost is sent again; a wake orders a silent listing again.
 */
import { newQueue } from '../../domain/ingest/page-queue.ts';
import type { MonitorExecution } from '../../domain/job/job.ts';
import { bucketPlace, type StrikeState } from '../../domain/strike/strike.ts';
import { BUCKET_LIST_MS } from '../../domain/strike/strike-config.ts';
import { type Ctx, save, tell } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { workspaceRef } from '../ingest/ingest-effects.ts';
import { type ListingOrder, nodeAddress } from '../node/node.messages.ts';
import type { StrikeEffect } from './strike-effects.ts';

const PAGE_SIZE = 1_000;
/** limit: a listing is restarted at most this often, however many of its pages are astray. */
const RESTART_EVERY_MS = 5_000;
/** The order or a page may be lost: a listing that is silent for this long is ordered again, which repeats nothing. */
const SILENT_MS = 60_000;

/** The pause from the end of one listing to the start of the next. */
export function listEveryMs({ configuration: { monitor } }: StrikeState): number {
  return (monitor.type === 'objstore' ? monitor.list_every_ms : undefined) ?? BUCKET_LIST_MS;
}

/** Begins a listing when one is due, or continues an interrupted one. */
export function goOnListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing } = state;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  if (state.monitor === null || workspace === undefined) return [];
  if (listing.isRunning)
    return hasElapsed(listing.heardMs, SILENT_MS, ctx.nowMs) ? orderListing(state, ctx) : [];
  const place = bucketPlace(workspace);
  if (listing.place !== place) Object.assign(listing, { place, through: '', nextMs: 0 });
  const waitMs = listing.nextMs - ctx.nowMs;
  // A listing that is due later than its interval allows was scheduled by a wrong clock.
  if (waitMs > 0 && waitMs <= listEveryMs(state)) return [];
  const effects = orderListing(state, ctx);
  listing.isRunning = effects.length > 0;
  return effects;
}

/** The agent reconnected without it: it continues where it was. */
export function orderListingAgain(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  return state.listing.isRunning ? orderListing(state, ctx) : [];
}

/** Its pages do not follow each other: some were lost. */
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

/** The monitor has ended, and its listing with it: the next monitor continues at once. */
export function stopListing(state: StrikeState, monitor: MonitorExecution): readonly StrikeEffect[] {
  const { listing } = state;
  if (!listing.isRunning) return [];
  Object.assign(listing, { isRunning: false, queue: newQueue(listing.through), nextMs: 0 });
  return [tellStop(monitor)];
}

function tellStop({ executionId, nodeId }: MonitorExecution): StrikeEffect {
  return tell(nodeAddress(nodeId), { type: 'stopListing', executionId });
}

/** The earlier listing no longer counts: the next one begins at once, at the start. */
export function forgetListing(state: StrikeState): readonly StrikeEffect[] {
  const { listing } = state;
  if (listing.place === '') return [];
  Object.assign(listing, { place: '', through: '', nextMs: 0 });
  return [save({ type: 'markListing', strikeId: state.id, mark: null })];
}

/**
 * Listings of the bucket that a strike watches, behind its notifications: at once when the monitor has its node, then a
 * while after the end of each. What is known already changes nothing. How far one came is in memory only: another
 * coordinator begins anew.
 *
 * poll: a page whose acknowledgement was lost is told again; a listing that was lost is begun at the next wake.
 */
import type { MonitorExecution } from '../../domain/job/job.ts';
import { BUCKET_LIST_MS } from '../../domain/strike/strike-config.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, tell, timer } from '../../kernel/mod.ts';
import { workspaceRef } from '../ingest/ingest-effects.ts';
import { type ListingOrder, nodeAddress } from '../node/node.messages.ts';
import type { ListingOrigin, StrikeEffect } from './strike-effects.ts';

const PAGE_SIZE = 1_000;
/** After a failure, 1 to 4 times as long. */
export const RETRY_MS = 30_000;

/** Begins a listing when one is due. */
export function goOnListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing } = state;
  if (listing.isRunning || listing.nextMs > ctx.nowMs) return [];
  const order = listingOf(state, '');
  if (order === null || state.monitor === null) return [];
  listing.isRunning = true;
  listing.through = '';
  return [tell(nodeAddress(state.monitor.nodeId), { type: 'startListing', order })];
}

/** The agent came back without it: from where it was. */
export function orderListingAgain(state: StrikeState): readonly StrikeEffect[] {
  const order = state.listing.isRunning ? listingOf(state, state.listing.through) : null;
  if (order === null || state.monitor === null) return [];
  return [tell(nodeAddress(state.monitor.nodeId), { type: 'startListing', order })];
}

function listingOf(state: StrikeState, after: string): ListingOrder | null {
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { monitor, configuration } = state;
  if (monitor === null || workspace === undefined || configuration.monitor.type !== 'objstore') return null;
  return {
    executionId: monitor.executionId,
    jobId: state.job.id,
    exeNum: monitor.exeNum,
    owner: { kind: 'strike', key: state.id },
    workspace: workspaceRef(workspace),
    ...{ recursive: true, prefix: '', after, transferSuffix: '', pageSize: PAGE_SIZE },
  };
}

/** The monitor has ended: its listing with it, and the next monitor lists at once. */
export function stopListing(
  state: StrikeState,
  { executionId, nodeId }: MonitorExecution,
): readonly StrikeEffect[] {
  const { listing } = state;
  if (!listing.isRunning) {
    listing.nextMs = 0;
    return [];
  }
  Object.assign(listing, { isRunning: false, through: '', nextMs: 0 });
  return [tell(nodeAddress(nodeId), { type: 'stopListing', executionId })];
}

/** A page is committed: the agent may go on. After the last one the listing rests. */
export function pageRecorded(state: StrikeState, page: ListingOrigin, ctx: Ctx): readonly StrikeEffect[] {
  const { executionId, nodeId, sequence, through, isLast } = page;
  const done = tell(nodeAddress(nodeId), { type: 'pageCommitted', executionId, sequence });
  if (state.monitor?.executionId !== executionId) return [done];
  const { listing, configuration } = state;
  listing.failureCount = 0;
  listing.through = through;
  if (!isLast) return [done];
  const every = configuration.monitor.type === 'objstore' ? configuration.monitor.list_every_ms : undefined;
  return [done, rest(state, every ?? BUCKET_LIST_MS, ctx)];
}

/** No listing for so long. */
export function rest(state: StrikeState, afterMs: number, ctx: Ctx): StrikeEffect {
  state.listing.isRunning = false;
  state.listing.nextMs = ctx.nowMs + afterMs;
  return timer('listing', afterMs, { type: 'listingDue' });
}

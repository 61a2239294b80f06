/**
 * Pages of the bucket's listing: matched with the rules in the pool, and committed one after another. The arrivals of a
 * page and the key that the listing has reached are one commit, after which the page is acknowledged.
 */
import { dropPage, placeOfPage, takePage } from '../../domain/ingest/page-queue.ts';
import type { ListingPage, SeenFile } from '../../domain/node/agent-messages.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, save, tell, timer } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { FilesListed } from '../owner.messages.ts';
import { areOthers, arrivalOf, match, record } from './arrivals.ts';
import { listEveryMs, restartListing } from './listing.ts';
import { endMonitor, retryMonitor } from './monitor.ts';
import type { RulesAsked, StrikeEffect } from './strike-effects.ts';

/** limit: consecutive failures before another node is tried. */
const FAILURES_MAX = 3;
/** The pause after a failure, multiplied by 1 to 4. */
const LIST_AGAIN_MS = 30_000;
const MATCH_AGAIN_MS = 2_000;

/** A page of the current monitor's listing; another listing is stopped. */
export function filesListed(
  state: StrikeState,
  { nodeId, page }: FilesListed,
  ctx: Ctx,
): readonly StrikeEffect[] {
  const { executionId, sequence } = page;
  const { listing } = state;
  const node = nodeAddress(nodeId);
  if (state.monitor?.executionId !== executionId) {
    ctx.count('page_of_stale_listing');
    return [tell(node, { type: 'stopListing', executionId })];
  }
  const done = tell(node, { type: 'pageCommitted', executionId, sequence });
  // Sent again after the end of its listing.
  if (!listing.isRunning) return [done];
  listing.heardMs = ctx.nowMs;
  switch (placeOfPage(listing.queue, listing.through, page)) {
    case 'taken':
      return [];
    case 'done':
      return [done];
    case 'astray':
      ctx.count('page_astray');
      return restartListing(state, ctx);
    case 'next':
      return takePage(listing.queue, page) ? nextPage(state, ctx) : [];
  }
}

/** Handles the first waiting page, one at a time. */
export function nextPage(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { queue, isRunning } = state.listing;
  const [page] = queue.pages;
  if (page === undefined || !isRunning || queue.isMatching) return [];
  if (page.files.length === 0) return settle(state, page, [], ctx);
  queue.isMatching = true;
  const files = page.files.map(
    (file): SeenFile => ({ ...file, arrival: 'complete', firstSeenMs: file.mtimeMs }),
  );
  return [match(state, { from: 'listing', page }, files)];
}

/** The rules were matched. Does nothing if the page is no longer the next one. */
export function onPageRulesMatched(
  state: StrikeState,
  page: ListingPage,
  { rules, files }: RulesAsked,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  if (!isNext(state, page)) return [];
  state.listing.queue.isMatching = false;
  if (areOthers(state, rules)) return nextPage(state, ctx);
  const arrivals = files.map((file, index) => arrivalOf(state, file, ruleIndexes[index] ?? -1, ctx));
  return settle(state, page, record(state, arrivals, null, ctx), ctx);
}

/** The rules could not be matched. */
export function onPageRulesFailed(state: StrikeState, page: ListingPage): readonly StrikeEffect[] {
  if (!isNext(state, page)) return [];
  state.listing.queue.isMatching = false;
  return [timer('pages', MATCH_AGAIN_MS, { type: 'pagesDue' })];
}

function isNext({ monitor, listing }: StrikeState, page: ListingPage): boolean {
  const isCurrent = listing.isRunning && monitor?.executionId === page.executionId;
  return isCurrent && listing.through === page.after;
}

function settle(
  state: StrikeState,
  page: ListingPage,
  recorded: readonly StrikeEffect[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  const { listing, monitor } = state;
  if (monitor === null) return [];
  const { executionId, sequence, through, isLast, error } = page;
  const done = tell(nodeAddress(monitor.nodeId), { type: 'pageCommitted', executionId, sequence });
  dropPage(listing.queue, page);
  if (error !== undefined) return [done, ...failed(state, error, ctx)];
  listing.failureCount = 0;
  listing.through = isLast ? '' : through;
  const rested = isLast ? [rest(state, listEveryMs(state), ctx)] : [];
  const mark = { place: listing.place, through: listing.through, dueMs: isLast ? listing.nextMs : 0 };
  const kept = save({ type: 'markListing', strikeId: state.id, mark } as const);
  return [...recorded, kept, done, ...rested, ...nextPage(state, ctx)];
}

function failed(
  state: StrikeState,
  { name, isBuiltin }: NonNullable<ListingPage['error']>,
  ctx: Ctx,
): readonly StrikeEffect[] {
  ctx.count('listing_failed');
  const { listing } = state;
  listing.failureCount += 1;
  if (listing.failureCount <= FAILURES_MAX) return [rest(state, LIST_AGAIN_MS * listing.failureCount, ctx)];
  listing.failureCount = 0;
  return [...endMonitor(state, { name, isBuiltin }, ctx), retryMonitor()];
}

/** No listing for this time. */
function rest(state: StrikeState, afterMs: number, ctx: Ctx): StrikeEffect {
  state.listing.isRunning = false;
  state.listing.nextMs = ctx.nowMs + afterMs;
  return timer('listing', afterMs, { type: 'listingDue' });
}

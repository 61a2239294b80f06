/**
 * Handles pages of the listing, which are matched with the rules in the pool and committed one after another. The
 * cursor, the counts and the ingests of a page are one commit, after which the page is acknowledged.
 */
import type { ArrivalResult } from '../../domain/changes.ts';
import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import { dropPage, placeOfPage, takePage } from '../../domain/ingest/page-queue.ts';
import type { ListingPage } from '../../domain/node/agent-messages.ts';
import { countPage, type ScanState } from '../../domain/scan/scan-state.ts';
import { type Ctx, call, tell, timer } from '../../kernel/mod.ts';
import { admitArrivals, completeArrival, recordChange } from '../ingest/arrivals.ts';
import { dispatch } from '../ingest/dispatch.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { FilesListed } from '../owner.messages.ts';
import { saveForResult } from '../save-for-result.ts';
import { endRun, listingFailed, restartListing } from './listing.ts';
import { type PageContext, type ScanEffect, saveScan, scanPorts } from './scan-effects.ts';

const RETRY_MS = 2_000;

/** Handles a page of the current listing; another listing is stopped. */
export function filesListed(
  state: ScanState,
  { nodeId, page }: FilesListed,
  ctx: Ctx,
): readonly ScanEffect[] {
  const { executionId, sequence } = page;
  if (state.run === null || state.listing?.executionId !== executionId) {
    ctx.count('page_of_stale_listing');
    return [tell(nodeAddress(nodeId), { type: 'stopListing', executionId })];
  }
  switch (placeOfPage(state.queue, state.run.cursor, page)) {
    case 'taken':
      return [];
    case 'done':
      return [tell(nodeAddress(nodeId), { type: 'pageCommitted', executionId, sequence })];
    case 'astray':
      ctx.count('page_astray');
      return restartListing(state, ctx);
    case 'next':
      return takePage(state.queue, page) ? nextPage(state, ctx) : [];
  }
}

/** Handles the first waiting page, one at a time. */
export function nextPage(state: ScanState, ctx: Ctx): readonly ScanEffect[] {
  const { queue, listing } = state;
  const [page] = queue.pages;
  if (page === undefined || listing === null || queue.isMatching) return [];
  if (page.files.length === 0) return settle(state, page, [], ctx);
  queue.isMatching = true;
  const rules = state.configuration.files_to_ingest;
  const about: PageContext = { page, rules };
  const outcomes = { done: 'rulesMatched', failed: 'matchRulesFailed', evenIfReloaded: true, about } as const;
  return [call(scanPorts.matchRules, { rules, paths: page.files.map((file) => file.path) }, outcomes)];
}

/** Handles a matched page. Does nothing if the page is no longer the next one. */
export function matched(
  state: ScanState,
  { page, rules }: PageContext,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): readonly ScanEffect[] {
  if (!isNext(state, page)) return [];
  state.queue.isMatching = false;
  const now = state.configuration.files_to_ingest;
  if (now !== rules && JSON.stringify(now) !== JSON.stringify(rules)) return nextPage(state, ctx);
  return settle(state, page, ruleIndexes, ctx);
}

function isNext({ run, listing }: ScanState, page: ListingPage): boolean {
  return listing?.executionId === page.executionId && run?.cursor === page.after;
}

export function onMatchRulesFailed(state: ScanState, { page }: PageContext): readonly ScanEffect[] {
  if (!isNext(state, page)) return [];
  state.queue.isMatching = false;
  return [timer('pages', RETRY_MS, { type: 'pagesDue' })];
}

function settle(
  state: ScanState,
  page: ListingPage,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): readonly ScanEffect[] {
  const { run, listing, queue } = state;
  if (run === null || listing === null) return [];
  dropPage(queue, page);
  if (page.error !== undefined) {
    const { name, isBuiltin, detail } = page.error;
    return listingFailed(state, { name, isBuiltin }, detail, ctx);
  }
  run.cursor = page.through;
  run.counts = countPage(run.counts, ruleIndexes);
  state.failures = 0;
  state.reason = null;
  const { cursor, counts } = run;
  const { executionId, sequence } = page;
  return [
    saveScan(state, { cursor, counts, reason: null }, ctx),
    ...(run.mode === 'ingest' ? record(state, page, ruleIndexes, ctx) : []),
    tell(nodeAddress(listing.nodeId), { type: 'pageCommitted', executionId, sequence }),
    ...(page.isLast ? endRun(state, 'COMPLETED', { error: null, reason: null }, ctx) : nextPage(state, ctx)),
  ];
}

/** Saves a page: files that a rule matches become ingests; the others are only counted. */
function record(
  state: ScanState,
  page: ListingPage,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): readonly ScanEffect[] {
  const arrivals = page.files.flatMap((file, at) => {
    const ruleIndex = ruleIndexes[at] ?? -1;
    return ruleIndex < 0 ? [] : [completeArrival(state, { ...file, firstSeenMs: ctx.nowMs }, ruleIndex, ctx)];
  });
  if (arrivals.length === 0) return [];
  return [saveForResult(recordChange(state, arrivals), 'arrivalsRecorded', arrivals)];
}

/** Assigns the new ingests, whose rows are saved, to nodes. */
export function recorded(
  state: ScanState,
  arrivals: readonly ArrivalRecord[],
  result: ArrivalResult,
  ctx: Ctx,
): readonly ScanEffect[] {
  admitArrivals(state, arrivals, result);
  return dispatch(state, ctx);
}

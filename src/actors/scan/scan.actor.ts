/**
 * A scan: lists a workspace on request, through a node that reaches it; counts the files that its rules match, and in
 * an ingest run turns them into ingests, which it assigns to nodes and handles as a strike does.
 *
 * poll: the reconciliation wakes scans with work in progress. A wake places a listing, assigns waiting ingests, and
 * continues cancels.
 */
import type { Change } from '../../domain/changes.ts';
import { workspaceBook } from '../../domain/ingest/ingest-owner.ts';
import { endPauses } from '../../domain/ingest/ingest-window.ts';
import { type ScanState, scanStateOf } from '../../domain/scan/scan-state.ts';
import {
  askerOf,
  type Ctx,
  defineActor,
  refuse,
  reply,
  restartWithin,
  stay,
  stop,
} from '../../kernel/mod.ts';
import { dispatch, orderMissing } from '../ingest/dispatch.ts';
import { type IngestMessage, receiveIngestMessage } from '../ingest/ingest-messages.ts';
import { refreshWorkspaces } from '../ingest/known-workspaces.ts';
import type { WorkMissing } from '../owner.messages.ts';
import { beginWaiting, process } from './beginnings.ts';
import { listingLost, orderListing, placeListing, retryListing, wantListing } from './listing.ts';
import { filesListed, matched, nextPage, onMatchRulesFailed, recorded } from './pages.ts';
import {
  cancel,
  cancelJobs,
  cancelNext,
  cancelPage,
  edit,
  liveJobsRead,
  onLiveIngestJobsFailed,
  requeueJobs,
} from './runs.ts';
import type { ScanMessage } from './scan.messages.ts';
import type { ScanPorts } from './scan.ports.ts';
import type { ScanEffect, ScanReturn } from './scan-effects.ts';

type Inbox = ScanMessage | ScanReturn;
/** Outcomes of calls and saves, and what all owners of ingests handle. */
type ScanCallReturn = Exclude<ScanReturn, { type: `${string}Due` }> | IngestMessage;

export const scanActor = defineActor<ScanState, Inbox, ScanPorts, Change>({
  kind: 'scan',
  mailboxMax: 10_000,
  idleMs: 60_000,
  turnMax: 64,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
  reconcile: {
    everyMs: 15_000,
    async find(shards, ports) {
      const scanIds = await ports.dueScans(shards);
      return scanIds.map((id) => ({ key: String(id), message: { type: 'wake' } as const }));
    },
  },
  async load(keys, ports) {
    const rows = await ports.loadScans(keys.map(Number));
    return new Map([...rows].map(([id, row]) => [String(id), scanStateOf(row)]));
  },
  start(state, ctx) {
    if (state === undefined) return stay(state);
    state.workspacesReadMs = ctx.nowMs;
    // Pages that an earlier state had accepted are sent again.
    return stay(state, ...orderListing(state), ...continueWork(state, ctx), ...beginWaiting(state, ctx));
  },
  receive(state, message, ctx) {
    if (message.type === 'reload') {
      const asker = askerOf(message, ctx);
      // The next message loads the actor again.
      return stay(state, ...(asker === undefined ? [] : [reply(asker, {})]), stop());
    }
    if (state !== undefined) return stay(state, ...receive(state, message, ctx), ...beginWaiting(state, ctx));
    ctx.count('scan_unknown');
    if (ctx.replyTo === undefined) return stay(state);
    return stay(state, refuse(ctx.replyTo, { code: 'NOT_FOUND', message: 'no such scan' }));
  },
});

function continueWork(state: ScanState, ctx: Ctx): readonly ScanEffect[] {
  endPauses(state.window, ctx.nowMs);
  return [
    ...wantListing(state),
    ...nextPage(state, ctx),
    ...cancelNext(state),
    ...dispatch(state, ctx),
    ...refreshWorkspaces(state, ctx),
  ];
}

function receive(
  state: ScanState,
  message: Exclude<Inbox, { type: 'reload' }>,
  ctx: Ctx,
): readonly ScanEffect[] {
  switch (message.type) {
    case 'filesListed':
      return filesListed(state, message, ctx);
    case 'taskEnded':
      return listingLost(state, message.results, ctx);
    case 'workMissing':
      return workMissing(state, message);
    case 'process':
      return process(state, message, ctx);
    case 'cancel':
      return cancel(state, message, ctx);
    case 'cancelJobs':
      return cancelJobs(state, message, ctx);
    case 'requeueJobs':
      return requeueJobs(state, message, ctx);
    case 'edit':
      return edit(state, message, ctx);
    case 'wake':
      return continueWork(state, ctx);
    case 'cancelDue':
      return cancelNext(state);
    case 'listingDue':
      return wantListing(state);
    case 'pagesDue':
      return nextPage(state, ctx);
    default:
      return receiveReturn(state, message, ctx);
  }
}

/**
 * A failed call is repeated by its sender: the agent repeats its pages and reports until they are acknowledged;
 * other calls are repeated later, or at the next wake.
 */
function receiveReturn(state: ScanState, message: ScanCallReturn, ctx: Ctx): readonly ScanEffect[] {
  switch (message.type) {
    case 'arrivalsRecorded':
      return recorded(state, message.about, message.result, ctx);
    case 'rulesMatched':
      return matched(state, message.about, message.result, ctx);
    case 'matchRulesFailed':
      return onMatchRulesFailed(state, message.about);
    case 'listingNodesRead':
      return placeListing(state, message.result, ctx);
    case 'listingNodesFailed':
      return [retryListing()];
    case 'workspacesRead':
      state.isAskingWorkspaces = false;
      state.workspacesReadMs = ctx.nowMs;
      state.workspaces = workspaceBook(message.result);
      return [...wantListing(state), ...dispatch(state, ctx)];
    case 'liveJobsRead':
      return liveJobsRead(state, message, ctx);
    case 'liveIngestJobsFailed':
      return onLiveIngestJobsFailed(state, message);
    case 'cancelPageRead':
      return cancelPage(state, message.result, ctx);
    case 'cancelPageFailed':
      state.isCanceling = false;
      return [];
    default:
      return receiveIngestMessage(state, message, ctx);
  }
}

/** Orders work again that the agent does not have after a reconnect; a listing continues from its cursor. */
function workMissing(state: ScanState, message: WorkMissing): readonly ScanEffect[] {
  const isListing = message.executionIds.some((id) => id === state.listing?.executionId);
  return [...(isListing ? orderListing(state) : []), ...orderMissing(state, message)];
}

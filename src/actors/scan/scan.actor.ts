/**
 * A scan: lists a workspace when told to, through a node that reaches it; counts what its rules take, and in an ingest
 * run turns it into ingests, which it gives to nodes and settles as a strike does.
 *
 * poll: the sweep wakes scans with something under way; waking asks for a listing, dispatches what waits, and goes on
 * with what is being canceled.
 */
import type { ArrivalResult, Change } from '../../domain/changes.ts';
import type { IngestOfJob, IngestState } from '../../domain/ingest/ingest.ts';
import { workspaceBook } from '../../domain/ingest/ingest-owner.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import { type ScanState, scanStateOf } from '../../domain/scan/scan-state.ts';
import { endPauses, type LiveIngest, noteUnread } from '../../domain/strike/ingest-window.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  defineActor,
  refuse,
  restartWithin,
  type Saved,
  save,
  stay,
} from '../../kernel/mod.ts';
import { dispatch, dispatchDue, lookAgain, moreRead, order, reachingKnown } from '../ingest/dispatch.ts';
import type { IngestFacts } from '../ingest/ingest.ports.ts';
import { factsRead, ingestsEnded } from '../ingest/ingest-ends.ts';
import { factsUnread } from '../ingest/ingest-facts.ts';
import { jobsRead, jobsUnread } from '../ingest/ingest-wishes.ts';
import { askWorkspaces, refreshWorkspaces } from '../ingest/known-workspaces.ts';
import type { WorkMissing } from '../owner.messages.ts';
import { beginWaiting, process } from './beginnings.ts';
import { listingLost, orderListing, placeListing, retryListing, wantListing } from './listing.ts';
import { filesListed, matched, nextPage, recorded, unmatched } from './pages.ts';
import {
  cancel,
  cancelJobs,
  cancelNext,
  cancelPage,
  edit,
  liveJobsRead,
  liveJobsUnread,
  requeueJobs,
} from './runs.ts';
import type { ScanMessage } from './scan.messages.ts';
import type { LiveIngestJobs, ScanPorts } from './scan.ports.ts';
import type { ScanEffect, ScanTag } from './scan-effects.ts';

type Inbox =
  | ScanMessage
  | { readonly type: 'listingDue' | 'cancelDue' }
  | { readonly type: 'pagesDue' }
  | { readonly type: 'dispatchDue' }
  | Saved<ScanTag, ArrivalResult>
  | Called<ScanTag>
  | CallFailed<ScanTag>;

export const scanActor = defineActor<ScanState, Inbox, ScanPorts, Change>({
  kind: 'scan',
  mailboxMax: 10_000,
  idleMs: 60_000,
  turnMax: 64,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
  sweep: {
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
    if (state === undefined) return stay<ScanState, Change>(state);
    state.workspacesReadMs = ctx.nowMs;
    // Pages that an earlier state had taken are told again.
    return stay(state, ...orderListing(state), ...goOn(state, ctx), ...beginWaiting(state, ctx));
  },
  receive(state, message, ctx) {
    if (state !== undefined) return stay(state, ...receive(state, message, ctx), ...beginWaiting(state, ctx));
    ctx.count('scan_unknown');
    if (ctx.replyTo === undefined) return stay<ScanState, Change>(state);
    return stay<ScanState, Change>(
      state,
      refuse(ctx.replyTo, { code: 'NOT_FOUND', message: 'no such scan' }),
    );
  },
});

function goOn(state: ScanState, ctx: Ctx): readonly ScanEffect[] {
  endPauses(state.window, ctx.nowMs);
  return [
    ...wantListing(state),
    ...nextPage(state, ctx),
    ...cancelNext(state),
    ...dispatch(state, ctx),
    ...refreshWorkspaces(state, ctx),
  ];
}

function receive(state: ScanState, message: Inbox, ctx: Ctx): readonly ScanEffect[] {
  switch (message.type) {
    case 'filesListed':
      return filesListed(state, message, ctx);
    case 'ingestsEnded':
      return ingestsEnded(state, message.results, ctx);
    case 'ingestsProgressed':
      return [save({ type: 'progressIngests', ingests: message.ingests })];
    case 'taskEnded':
      return listingLost(state, message.results, ctx);
    case 'workMissing':
      return workMissing(state, message);
    case 'process':
      return process(state, message.mode, ctx);
    case 'cancel':
      return cancel(state, ctx);
    case 'cancelJobs':
      return cancelJobs(state, message, ctx);
    case 'requeueJobs':
      return requeueJobs(state, message, ctx);
    case 'edit':
      return edit(state, message, ctx);
    case 'wake':
      return goOn(state, ctx);
    case 'cancelDue':
      return cancelNext(state);
    case 'listingDue':
      return wantListing(state);
    case 'pagesDue':
      return nextPage(state, ctx);
    case 'dispatchDue':
      return dispatchDue(state, ctx);
    case 'workspacesChanged':
      return askWorkspaces(state);
    case 'saved':
      return message.tag.about === 'recorded' ? recorded(state, message.tag, message.result, ctx) : [];
    case 'called':
      return answered(state, message.tag, message.result, ctx);
    case 'callFailed':
      return unanswered(state, message.tag, ctx);
  }
}

function answered(state: ScanState, tag: ScanTag, result: unknown, ctx: Ctx): readonly ScanEffect[] {
  // What an earlier state asked is asked anew by this one, where it still matters.
  if ('life' in tag && tag.life !== state.life) return [];
  switch (tag.about) {
    case 'matched':
      return matched(state, tag, result as readonly number[], ctx);
    case 'reaching': {
      const nodeIds = result as readonly number[];
      return tag.isForMonitor
        ? placeListing(state, nodeIds, ctx)
        : reachingKnown(state, tag.key, nodeIds, ctx);
    }
    case 'facts':
      return factsRead(state, tag, result as IngestFacts, ctx);
    case 'jobsRead':
      return jobsRead(state, tag, result as readonly IngestOfJob[], ctx);
    case 'workspaces':
      state.isAskingWorkspaces = false;
      state.workspacesReadMs = ctx.nowMs;
      state.workspaces = workspaceBook(result as readonly WorkspaceInfo[]);
      return [...wantListing(state), ...dispatch(state, ctx)];
    case 'more':
      return moreRead(state, result as readonly IngestState[], ctx);
    case 'liveJobs':
      return liveJobsRead(state, tag, result as LiveIngestJobs, ctx);
    case 'cancelPage':
      return cancelPage(state, result as readonly IngestState[], ctx);
    case 'recorded':
      return [];
  }
}

/**
 * A question without an answer is asked again by whoever needs it: the agent repeats its pages and reports until they
 * are acknowledged; the rest is asked in a while, or at the next wake.
 */
function unanswered(state: ScanState, tag: ScanTag, ctx: Ctx): readonly ScanEffect[] {
  ctx.count(`scan_${tag.about}_failed`);
  if ('life' in tag && tag.life !== state.life) return [];
  switch (tag.about) {
    case 'matched':
      return unmatched(state, tag);
    case 'reaching':
      if (!tag.isForMonitor) state.asking.delete(tag.key);
      return tag.isForMonitor ? [retryListing()] : lookAgain(state);
    case 'facts':
      return factsUnread(state, tag);
    case 'jobsRead':
      return jobsUnread(tag);
    case 'workspaces':
      state.isAskingWorkspaces = false;
      return [];
    case 'more':
      noteUnread(state.window);
      return lookAgain(state);
    case 'liveJobs':
      return liveJobsUnread(state, tag);
    case 'cancelPage':
      state.isCanceling = false;
      return [];
    case 'recorded':
      return [];
  }
}

/** The agent came back without its work: it is ordered again, the listing from its cursor. */
function workMissing(state: ScanState, message: WorkMissing): readonly ScanEffect[] {
  const effects: ScanEffect[] = [];
  const ingests: LiveIngest[] = [];
  for (const executionId of message.executionIds) {
    if (state.listing?.executionId === executionId) effects.push(...orderListing(state));
    const { live, byExecution } = state.window;
    const ingest = live.get(byExecution.get(executionId) ?? -1);
    if (ingest !== undefined) ingests.push(ingest);
  }
  return [...effects, ...order(state, message.nodeId, ingests)];
}

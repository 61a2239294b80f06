/**
 * A strike: watches a workspace through a monitor on some node, turns what arrives into ingests, gives these to
 * nodes, and registers what they stored, starting the recipe of each file in the same commit.
 *
 * poll: the sweep wakes every strike; waking asks for a monitor and dispatches what waits.
 */
import type { ArrivalResult, Change } from '../../domain/changes.ts';
import type { IngestOfJob, IngestState } from '../../domain/ingest/ingest.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import { endPauses, type LiveIngest, noteUnread } from '../../domain/strike/ingest-window.ts';
import type { StrikePatch } from '../../domain/strike/strike.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import { type StrikeState, strikeStateOf } from '../../domain/strike/strike-state.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  defineActor,
  refuse,
  reply,
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
import {
  deferredMatched,
  deferredRead,
  filesSeen,
  type MatchedTag,
  matched,
  recorded,
  tryDeferred,
} from './arrivals.ts';
import { cancelJobs, requeueJobs } from './job-wishes.ts';
import { workspacesRead } from './known-workspaces.ts';
import { forgetListing, goOnListing, orderListingAgain } from './listing.ts';
import {
  endMonitor,
  monitorEnded,
  monitorLost,
  orderWork,
  placeMonitor,
  retryMonitor,
  wantMonitor,
} from './monitor.ts';
import { notified } from './notified.ts';
import { filesListed, nextPage, pageMatched, pageUnmatched } from './pages.ts';
import { leaveQueue, unmatched, watchQueue } from './queue.ts';
import type { StrikeMessage } from './strike.messages.ts';
import type { StrikePorts } from './strike.ports.ts';
import type { StrikeEffect, StrikeOutcome, StrikeTag } from './strike-effects.ts';

type Inbox =
  | StrikeMessage
  | { readonly type: 'monitorDue' }
  | { readonly type: 'listingDue' }
  | { readonly type: 'pagesDue' }
  | { readonly type: 'dispatchDue' }
  | Saved<StrikeTag, ArrivalResult>
  | Called<StrikeTag>
  | CallFailed<StrikeTag>;

export const strikeActor = defineActor<StrikeState, Inbox, StrikePorts, Change>({
  kind: 'strike',
  mailboxMax: 10_000,
  idleMs: 600_000,
  turnMax: 64,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
  sweep: {
    everyMs: 15_000,
    async find(shards, ports) {
      const [strikeIds, lost] = await Promise.all([ports.dueStrikes(shards), ports.lostMonitors(shards)]);
      const moves = lost.map(({ strikeId, executionId }) => {
        return { key: String(strikeId), message: { type: 'monitorLost', executionId } as const };
      });
      return [...moves, ...strikeIds.map((id) => ({ key: String(id), message: { type: 'wake' } as const }))];
    },
  },
  async load(keys, ports) {
    const rows = await ports.loadStrikes(keys.map(Number));
    return new Map([...rows].map(([id, row]) => [String(id), strikeStateOf(row)]));
  },
  start(state, ctx) {
    if (state === undefined) return stay<StrikeState, Change>(state);
    state.workspacesReadMs = ctx.nowMs;
    return stay(state, ...goOn(state, ctx));
  },
  receive(state, message, ctx) {
    if (state === undefined) {
      ctx.count('strike_unknown');
      if (ctx.replyTo === undefined) return stay<StrikeState, Change>(state);
      return stay<StrikeState, Change>(
        state,
        refuse(ctx.replyTo, { code: 'NOT_FOUND', message: 'no such strike' }),
      );
    }
    return receive(state, message, ctx);
  },
});

function goOn(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  endPauses(state.window, ctx.nowMs);
  return [
    ...wantMonitor(state),
    ...goOnListing(state, ctx),
    ...nextPage(state, ctx),
    ...watchQueue(state),
    ...dispatch(state, ctx),
    ...tryDeferred(state),
    ...refreshWorkspaces(state, ctx),
  ];
}

function receive(state: StrikeState, message: Inbox, ctx: Ctx): StrikeOutcome {
  switch (message.type) {
    case 'filesSeen':
      return filesSeen(state, message, ctx);
    case 'filesListed':
      return stay(state, ...filesListed(state, message, ctx));
    case 'notified':
      return notified(state, message, ctx);
    case 'ingestsEnded':
      return stay(state, ...ingestsEnded(state, message.results, ctx));
    case 'ingestsProgressed':
      return stay(state, save({ type: 'progressIngests', ingests: message.ingests }));
    case 'taskEnded':
      return monitorEnded(state, message.results, ctx);
    case 'monitorLost':
      return monitorLost(state, message.executionId, ctx);
    case 'workMissing':
      return workMissing(state, message, ctx);
    case 'cancelJobs':
      return cancelJobs(state, message, ctx);
    case 'requeueJobs':
      return requeueJobs(state, message, ctx);
    case 'edit':
      return edit(state, message, ctx);
    case 'wake':
      return stay(state, ...goOn(state, ctx));
    case 'monitorDue':
      return stay(state, ...wantMonitor(state));
    case 'listingDue':
      return stay(state, ...goOnListing(state, ctx));
    case 'pagesDue':
      return stay(state, ...nextPage(state, ctx));
    case 'dispatchDue':
      return stay(state, ...dispatchDue(state, ctx));
    case 'workspacesChanged':
      return stay(state, ...askWorkspaces(state));
    case 'saved':
      return message.tag.about === 'recorded'
        ? recorded(state, message.tag.origin, message.tag.arrivals, message.result, ctx)
        : stay(state);
    case 'called':
      return answered(state, message.tag, message.result, ctx);
    case 'callFailed':
      return unanswered(state, message.tag, ctx);
  }
}

function answered(state: StrikeState, tag: StrikeTag, result: unknown, ctx: Ctx): StrikeOutcome {
  // What an earlier state asked is asked anew by this one, where it still matters.
  if ('life' in tag && tag.life !== state.life) return stay(state);
  switch (tag.about) {
    case 'matched':
      return rulesAsked(state, tag, result as readonly number[], ctx);
    case 'reaching': {
      const nodeIds = result as readonly number[];
      const effects = tag.isForMonitor
        ? placeMonitor(state, nodeIds, ctx)
        : reachingKnown(state, tag.key, nodeIds, ctx);
      return stay(state, ...effects);
    }
    case 'facts':
      return stay(state, ...factsRead(state, tag, result as IngestFacts, ctx));
    case 'jobsRead':
      return stay(state, ...jobsRead(state, tag, result as readonly IngestOfJob[], ctx));
    case 'workspaces':
      return stay(state, ...workspacesRead(state, result as readonly WorkspaceInfo[], ctx));
    case 'more':
      return stay(state, ...moreRead(state, result as readonly IngestState[], ctx));
    case 'deferred':
      return deferredRead(state, tag.afterId, result as readonly IngestState[], ctx);
    case 'deferredMatched':
      return deferredMatched(state, tag, result as readonly number[], ctx);
    case 'queueWatched':
    case 'recorded':
      return stay(state);
  }
}

function rulesAsked(
  state: StrikeState,
  tag: MatchedTag,
  indexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  const { origin } = tag;
  if (origin.from !== 'listing') return matched(state, origin, tag, indexes, ctx);
  return stay(state, ...pageMatched(state, origin.page, tag, indexes, ctx));
}

function rulesUnasked(state: StrikeState, { origin }: MatchedTag): readonly StrikeEffect[] {
  return origin.from === 'listing' ? pageUnmatched(state, origin.page) : unmatched(origin);
}

/**
 * A question without an answer is asked again by whoever needs it: the agent repeats its batches and reports until
 * they are acknowledged; the rest is asked in a while, or at the next wake.
 */
function unanswered(state: StrikeState, tag: StrikeTag, ctx: Ctx): StrikeOutcome {
  ctx.count(`strike_${tag.about}_failed`);
  if ('life' in tag && tag.life !== state.life) return stay(state);
  switch (tag.about) {
    case 'matched':
      return stay(state, ...rulesUnasked(state, tag));
    case 'reaching':
      if (!tag.isForMonitor) state.asking.delete(tag.key);
      return stay(state, ...(tag.isForMonitor ? [retryMonitor()] : lookAgain(state)));
    case 'facts':
      return stay(state, ...factsUnread(state, tag));
    case 'jobsRead':
      return stay(state, ...jobsUnread(tag));
    case 'workspaces':
      state.isAskingWorkspaces = false;
      return stay(state);
    case 'more':
      noteUnread(state.window);
      return stay(state, ...lookAgain(state));
    case 'deferred':
    case 'deferredMatched':
      state.isDeferredRunning = false;
      return stay(state);
    default:
      return stay(state);
  }
}

/** The agent came back without its work: it is ordered again, as it was. */
function workMissing(state: StrikeState, message: WorkMissing, ctx: Ctx): StrikeOutcome {
  const effects: StrikeEffect[] = [];
  const ingests: LiveIngest[] = [];
  for (const executionId of message.executionIds) {
    if (state.monitor?.executionId === executionId) {
      effects.push(...orderWork(state, message.nodeId), ...orderListingAgain(state, ctx));
    }
    const { live, byExecution } = state.window;
    const ingest = live.get(byExecution.get(executionId) ?? -1);
    if (ingest !== undefined) ingests.push(ingest);
  }
  return stay(state, ...effects, ...order(state, message.nodeId, ingests));
}

function edit(
  state: StrikeState,
  message: Extract<StrikeMessage, { type: 'edit' }>,
  ctx: Ctx,
): StrikeOutcome {
  const { type: _, ...fields } = message;
  const before = { configuration: state.configuration, workspaceId: state.workspaceId };
  const hasConfiguration = fields.configuration !== undefined;
  // Deferred files are tried again by the new rules, from the first.
  const patch: StrikePatch = hasConfiguration ? { ...fields, deferredCursor: 0 } : fields;
  if (hasConfiguration) state.configuration = fields.configuration as unknown as StrikeConfiguration;
  if (fields.workspaceId !== undefined) state.workspaceId = fields.workspaceId;
  if (fields.isPaused !== undefined) state.isPaused = fields.isPaused;
  if (hasConfiguration) state.deferredCursor = 0;
  const isOtherWatch =
    before.workspaceId !== state.workspaceId ||
    JSON.stringify(before.configuration.monitor) !== JSON.stringify(state.configuration.monitor);
  const effects: StrikeEffect[] = [save({ type: 'editStrike', strikeId: state.id, patch, atMs: ctx.nowMs })];
  // The first listing after a pause finds what arrived meanwhile.
  if (state.isPaused || isOtherWatch) effects.push(...endMonitor(state, null, ctx), ...forgetListing(state));
  if (isOtherWatch) effects.push(...leaveQueue(state, before.configuration.monitor));
  if (ctx.replyTo !== undefined) effects.push(reply(ctx.replyTo, {}));
  return stay(state, ...effects, ...goOn(state, ctx));
}

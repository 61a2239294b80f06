/** Requests to a scan other than starting it: canceling and editing it, canceling and requeueing single jobs. */
import type { IngestState } from '../../domain/ingest/ingest.ts';
import { isPassedBy } from '../../domain/job/job-request.ts';
import type { ScanMode, ScanPatch } from '../../domain/scan/scan.ts';
import { keepRules, type ScanState } from '../../domain/scan/scan-state.ts';
import { askerOf, type Ctx, call, refuse, reply, save, timer } from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { dispatch } from '../ingest/dispatch.ts';
import { cancelLive, changeJobs } from '../ingest/ingest-jobs.ts';
import { stampJobs } from '../job-request/stamps.ts';
import type { CancelJobs, RequeueJobs } from '../owner.messages.ts';
import { beginRun, isBusy, setWaiting } from './beginnings.ts';
import { endListing, endRun } from './listing.ts';
import type { ScanMessage } from './scan.messages.ts';
import { type CancelContext, type ScanEffect, type ScanReturn, saveScan, scanPorts } from './scan-effects.ts';

const MODES: readonly ScanMode[] = ['dry_run', 'ingest'];
/** limit: ingests that are canceled in one turn. */
const CANCELED_AT_ONCE = 500;
/** The interval at which ingests on nodes are checked again. */
const CANCEL_AGAIN_MS = 1_000;

const CANCELED = { error: null, reason: null } as const;

/** Drops waiting runs, ends the present one, so that no further ingests are added, and then reads the live ingests. */
export function cancel(
  state: ScanState,
  message: Extract<ScanMessage, { type: 'cancel' }>,
  ctx: Ctx,
): readonly ScanEffect[] {
  const ownJobIds = state.run === null ? [] : [state.jobs[state.run.mode].id];
  const about: CancelContext = { replyTo: askerOf(message, ctx), ownJobIds };
  const outcomes = {
    done: 'liveJobsRead',
    failed: 'liveIngestJobsFailed',
    evenIfReloaded: true,
    about,
  } as const;
  state.cancelsPending += 1;
  return [
    ...(state.waiting.length === 0 ? [] : setWaiting(state, [], ctx)),
    ...endRun(state, 'CANCELED', CANCELED, ctx),
    call(scanPorts.liveIngestJobs, state.id, outcomes),
  ];
}

type LiveJobsReturn = Extract<ScanReturn, { type: 'liveJobsRead' | 'liveIngestJobsFailed' }>;

/** Saves the highest id of the ingests to cancel; they are then canceled a set at a time. */
export function liveJobsRead(
  state: ScanState,
  message: Extract<ScanReturn, { type: 'liveJobsRead' }>,
  ctx: Ctx,
): readonly ScanEffect[] {
  const { replyTo, ownJobIds } = message.about;
  const { jobIds, lastIngestId } = message.result;
  cancelLookedUp(state, message);
  const answer = answerJobs(replyTo, [...jobIds, ...ownJobIds]);
  if (lastIngestId === 0) return answer;
  const cancelThrough = Math.max(lastIngestId, state.cancelThrough ?? 0);
  state.cancelThrough = cancelThrough;
  state.cancelAfter = 0;
  state.cancelOpen = 0;
  state.isPaused = true;
  return [saveScan(state, { cancelThrough }, ctx), ...answer, ...cancelNext(state)];
}

function answerJobs(replyTo: CancelContext['replyTo'], jobIds: readonly number[]): readonly ScanEffect[] {
  return replyTo === undefined ? [] : [reply(replyTo, { jobIds })];
}

/** Counts down the pending cancels, unless the cancel was requested from an earlier state. */
function cancelLookedUp(state: ScanState, { isStale }: LiveJobsReturn): void {
  if (isStale !== true) state.cancelsPending -= 1;
}

/** The run is canceled all the same. The ask is refused and may be repeated. */
export function onLiveIngestJobsFailed(
  state: ScanState,
  message: Extract<ScanReturn, { type: 'liveIngestJobsFailed' }>,
): readonly ScanEffect[] {
  const { replyTo } = message.about;
  cancelLookedUp(state, message);
  const error = { code: 'UNAVAILABLE', message: 'the ingests of the scan could not be read' };
  return replyTo === undefined ? [] : [refuse(replyTo, error)];
}

/** poll: continues at the next wake if a read fails. */
export function cancelNext(state: ScanState): readonly ScanEffect[] {
  if (state.cancelThrough === null || state.isCanceling) return [];
  state.isCanceling = true;
  const args = { owner: state.owner, afterId: state.cancelAfter, limit: CANCELED_AT_ONCE };
  return [call(scanPorts.liveIngests, args, { done: 'cancelPageRead', failed: 'cancelPageFailed' })];
}

export function cancelPage(
  state: ScanState,
  ingests: readonly IngestState[],
  ctx: Ctx,
): readonly ScanEffect[] {
  const { cancelThrough } = state;
  state.isCanceling = false;
  if (cancelThrough === null) return [];
  const meant = ingests.filter((one) => one.id <= cancelThrough);
  const { effects, openCount } = cancelLive(state, meant, ctx);
  state.cancelOpen += openCount;
  state.cancelAfter = meant.at(-1)?.id ?? cancelThrough;
  if (meant.length === CANCELED_AT_ONCE) return [...effects, ...cancelNext(state)];
  if (state.cancelOpen > 0) {
    // Ingests on nodes are canceled by their nodes' reports; the cancel is not done before.
    state.cancelAfter = 0;
    state.cancelOpen = 0;
    return [...effects, timer('cancel', CANCEL_AGAIN_MS, { type: 'cancelDue' })];
  }
  state.cancelThrough = null;
  state.isPaused = false;
  return [...effects, saveScan(state, { cancelThrough: null }, ctx), ...dispatch(state, ctx)];
}

/** Cancels single jobs: the scan's own jobs end the run, those of ingests end their ingest. */
export function cancelJobs(state: ScanState, message: CancelJobs, ctx: Ctx): readonly ScanEffect[] {
  const effects: ScanEffect[] = [];
  const done: number[] = [];
  for (const mode of MODES) {
    const job = state.jobs[mode];
    if (!message.jobIds.includes(job.id) || isPassedBy(job, message.position)) continue;
    const isWaiting = state.waiting.includes(mode);
    if (isWaiting) {
      const others = state.waiting.filter((one) => one !== mode);
      effects.push(...setWaiting(state, others, ctx));
    }
    if (state.run?.mode === mode) effects.push(...endRun(state, 'CANCELED', CANCELED, ctx));
    else if (job.status === 'FAILED' || job.status === 'PENDING') {
      const { id: jobId, exeNum, status } = job;
      const move = {
        kind: 'status',
        jobId,
        from: [status],
        exeNum,
        to: 'CANCELED',
        atMs: ctx.nowMs,
      } as const;
      effects.push(save({ type: 'moveJobs', moves: [move] }));
      job.status = 'CANCELED';
    } else if (!isWaiting) continue;
    effects.push(...stampJobs([job], message.position));
    done.push(job.id);
  }
  return [...effects, ...changeJobs(state, message, { all: ownJobIds(state), done }, ctx)];
}

/** While an earlier cancel is in progress, nothing is requeued, and the request has to be repeated. */
export function requeueJobs(state: ScanState, message: RequeueJobs, ctx: Ctx): readonly ScanEffect[] {
  if (state.cancelThrough !== null || state.cancelsPending > 0) {
    const error = { code: 'UNAVAILABLE', message: 'ingests of the scan are still being canceled' };
    return ctx.replyTo === undefined ? [] : [refuse(ctx.replyTo, error)];
  }
  const isEnded = (mode: ScanMode) => ['FAILED', 'CANCELED'].includes(state.jobs[mode].status);
  const isMeant = (mode: ScanMode) =>
    message.jobIds.includes(state.jobs[mode].id) &&
    isEnded(mode) &&
    !isPassedBy(state.jobs[mode], message.position);
  const mode = isBusy(state) ? undefined : MODES.findLast(isMeant);
  const done = mode === undefined ? [] : [state.jobs[mode].id];
  const effects =
    mode === undefined
      ? []
      : [...beginRun(state, mode, ctx), ...stampJobs([state.jobs[mode]], message.position)];
  return [...effects, ...changeJobs(state, message, { all: ownJobIds(state), done }, ctx)];
}

function ownJobIds({ jobs }: ScanState): readonly number[] {
  return MODES.map((mode) => jobs[mode].id);
}

/**
 * A run in progress restarts with the new configuration, so that its counts are those of the rules that the scan shows.
 * The counts of a run that has ended keep the rules that it counted by.
 */
export function edit(
  state: ScanState,
  message: Extract<ScanMessage, { type: 'edit' }>,
  ctx: Ctx,
): readonly ScanEffect[] {
  const { type: _, ...fields } = message;
  const { run, counts, configuration } = state;
  const patch: ScanPatch = fields;
  const effects: ScanEffect[] = [saveScan(state, patch, ctx)];
  if (fields.configuration !== undefined && run === null && counts !== null) {
    const { files_to_ingest: after } = fields.configuration;
    state.counts = keepRules(counts, configuration.files_to_ingest, after);
    effects.push(saveScan(state, { counts: state.counts }, ctx));
  }
  if (fields.workspaceId !== undefined) state.workspaceId = fields.workspaceId;
  if (fields.configuration !== undefined) {
    state.configuration = fields.configuration;
    if (run !== null)
      effects.push(...endListing(state, 'CANCELED', null, ctx), ...beginRun(state, run.mode, ctx));
  }
  return [...effects, ...answer(message, ctx, {})];
}

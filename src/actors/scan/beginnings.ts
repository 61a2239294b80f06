/**
 * Starts runs, one at a time. Further requests wait in the scan's row, at most one dry run and one ingest, and begin in
 * the turn in which the present run has ended.
 */
import { newQueue } from '../../domain/ingest/page-queue.ts';
import type { ScanMode } from '../../domain/scan/scan.ts';
import { noCounts, type ScanState } from '../../domain/scan/scan-state.ts';
import type { Ctx } from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { queueJob, wantListing } from './listing.ts';
import type { ScanMessage } from './scan.messages.ts';
import { type ScanEffect, saveScan } from './scan-effects.ts';

/** Starts a run, or lets it wait for the present one. */
export function process(
  state: ScanState,
  message: Extract<ScanMessage, { type: 'process' }>,
  ctx: Ctx,
): readonly ScanEffect[] {
  const { mode } = message;
  const effects = isBusy(state) ? wait(state, mode, ctx) : beginRun(state, mode, ctx);
  return [...effects, ...answer(message, ctx, {})];
}

/** Whether a run is in progress, or ingests are being canceled. */
export function isBusy({ run, cancelThrough, cancelsPending }: ScanState): boolean {
  return run !== null || cancelThrough !== null || cancelsPending > 0;
}

/** Adds a waiting run. An equal one is not added twice, but saved again, because the answer must follow a commit. */
function wait(state: ScanState, mode: ScanMode, ctx: Ctx): readonly ScanEffect[] {
  const { waiting } = state;
  return setWaiting(state, waiting.includes(mode) ? waiting : [...waiting, mode], ctx);
}

export function setWaiting(state: ScanState, waiting: readonly ScanMode[], ctx: Ctx): readonly ScanEffect[] {
  state.waiting = waiting;
  return [saveScan(state, { waiting }, ctx)];
}

/** Begins a waiting run when possible. Called at the end of each turn. */
export function beginWaiting(state: ScanState, ctx: Ctx): readonly ScanEffect[] {
  const [mode, ...others] = state.waiting;
  if (mode === undefined || isBusy(state)) return [];
  return [...setWaiting(state, others, ctx), ...beginRun(state, mode, ctx)];
}

export function beginRun(state: ScanState, mode: ScanMode, ctx: Ctx): readonly ScanEffect[] {
  const counts = noCounts(mode, state.configuration.files_to_ingest.length);
  state.run = { mode, cursor: '', counts };
  state.queue = newQueue('');
  state.reason = null;
  state.failures = 0;
  const { completed } = state;
  const before = completed === null ? {} : { previousCounts: completed };
  return [
    saveScan(state, { run: mode, cursor: '', counts, reason: null, ...before }, ctx),
    queueJob(state, ctx),
    ...wantListing(state),
  ];
}

/** Files that the monitor saw become ingests: rules are matched in the pool, rows are made set-wise. */
import type { ArrivalResult } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import type { SeenFile } from '../../domain/node/agent-messages.ts';
import { baseName } from '../../domain/paths.ts';
import { applyRule } from '../../domain/strike/ingest-rule.ts';
import { LIVE_INGESTS_MAX } from '../../domain/strike/strike.ts';
import { admit, type StrikeState, workspaceByName } from '../../domain/strike/strike-state.ts';
import { type Ctx, call, save, stay, tell } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { FilesSeenByMonitor } from '../owner.messages.ts';
import { dispatch } from './dispatch.ts';
import type { BatchOrigin, StrikeEffect, StrikeOutcome, StrikeTag } from './strike-effects.ts';

/** A batch of the current monitor. One of another is stopped: two monitors must never report for one strike. */
export function filesSeen(state: StrikeState, message: FilesSeenByMonitor, ctx: Ctx): StrikeOutcome {
  const { executionId, nodeId, batch, files } = message;
  if (state.monitor?.executionId !== executionId) {
    ctx.count('files_of_stale_monitor');
    return stay(state, tell(nodeAddress(nodeId), { type: 'stopMonitor', executionId }));
  }
  const rules = state.configuration.files_to_ingest;
  const paths = files.map((file) => file.path);
  const tag: StrikeTag = { about: 'matched', origin: { executionId, nodeId, batch }, files };
  return stay(state, call('matchRules', { rules, paths }, tag));
}

/** The rules have spoken: asks for the rows. */
export function matched(
  state: StrikeState,
  origin: BatchOrigin,
  files: readonly SeenFile[],
  ruleIndexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  const arrivals = files.map((file, index) => arrivalOf(state, file, ruleIndexes[index] ?? -1, ctx));
  return stay(state, ...record(state, arrivals, origin));
}

export function record(
  state: StrikeState,
  arrivals: readonly ArrivalRecord[],
  origin: BatchOrigin | null,
): readonly StrikeEffect[] {
  const tag: StrikeTag = { about: 'recorded', origin, arrivals };
  return [save({ type: 'recordArrivals', strikeId: state.id, template: state.ingestJob, arrivals }, tag)];
}

const STATUSES = { transferring: 'TRANSFERRING', gone: 'ERRORED' } as const;

function arrivalOf(state: StrikeState, file: SeenFile, ruleIndex: number, ctx: Ctx): ArrivalRecord {
  const bare = {
    ingestId: ctx.newId('ingest'),
    jobId: ctx.newId('job'),
    eventId: ctx.newId('event'),
    workspaceId: state.workspaceId,
    filePath: file.path,
    fileName: baseName(file.path),
    mediaType: mediaTypeOf(file.path),
    size: file.size,
    firstSeenMs: file.firstSeenMs,
    tags: [],
    newWorkspaceId: null,
    newFilePath: null,
    reason: null,
    atMs: ctx.nowMs,
  };
  if (file.arrival !== 'complete') {
    const reason = file.arrival === 'gone' ? 'the file vanished while it was being transferred' : null;
    return { ...bare, status: STATUSES[file.arrival], identity: null, mtimeMs: null, reason };
  }
  return {
    ...bare,
    identity: file.identity,
    mtimeMs: file.mtimeMs,
    ...ruled(state, file.path, ruleIndex, ctx),
  };
}

/** What the rules make of a complete file. */
function ruled(
  state: StrikeState,
  path: string,
  ruleIndex: number,
  ctx: Ctx,
): Pick<ArrivalRecord, 'status' | 'tags' | 'newWorkspaceId' | 'newFilePath' | 'reason'> {
  const deferred = { status: 'DEFERRED', tags: [], newWorkspaceId: null, newFilePath: null } as const;
  const rule = state.configuration.files_to_ingest[ruleIndex];
  if (rule === undefined) return { ...deferred, reason: 'no rule takes this file' };
  const effect = applyRule(rule, path, ctx.nowMs);
  if (effect === undefined) return { ...deferred, reason: 'the new path would be too long' };
  const target = effect.newWorkspace === undefined ? undefined : workspaceByName(state, effect.newWorkspace);
  if (effect.newWorkspace !== undefined && target === undefined) {
    return { ...deferred, reason: `the workspace '${effect.newWorkspace}' is not active` };
  }
  return {
    status: 'TRANSFERRED',
    tags: effect.dataTypes,
    newWorkspaceId: target?.id ?? null,
    newFilePath: effect.newFilePath ?? null,
    reason: null,
  };
}

/** Rows are made: the agent may forget the batch, and the new ingests go to nodes. */
export function recorded(
  state: StrikeState,
  origin: BatchOrigin | null,
  arrivals: readonly ArrivalRecord[],
  result: ArrivalResult,
  ctx: Ctx,
): StrikeOutcome {
  const byIdentity = new Map(arrivals.map((one) => [`${one.filePath}\0${one.identity ?? ''}`, one]));
  for (const one of result.accepted) {
    const arrival = byIdentity.get(`${one.filePath}\0${one.identity}`);
    if (arrival === undefined) continue;
    if (state.live.size >= LIVE_INGESTS_MAX) state.hasMore = true;
    else admit(state, ingestOf(state, arrival, one));
  }
  const effects: StrikeEffect[] = [...dispatch(state, ctx)];
  if (origin !== null) {
    const { executionId, nodeId, batch } = origin;
    effects.push(tell(nodeAddress(nodeId), { type: 'filesCommitted', executionId, batch }));
  }
  return stay(state, ...effects);
}

function ingestOf(
  state: StrikeState,
  arrival: ArrivalRecord,
  row: { readonly ingestId: number; readonly jobId: number; readonly identity: string },
): IngestState {
  return {
    id: row.ingestId,
    jobId: row.jobId,
    exeNum: 1,
    maxTries: state.ingestJob.maxTries,
    executionId: null,
    nodeId: null,
    status: 'TRANSFERRED',
    workspaceId: arrival.workspaceId,
    filePath: arrival.filePath,
    fileName: arrival.fileName,
    mediaType: arrival.mediaType,
    identity: row.identity,
    size: arrival.size,
    mtimeMs: arrival.mtimeMs ?? 0,
    tags: arrival.tags,
    newWorkspaceId: arrival.newWorkspaceId,
    newFilePath: arrival.newFilePath,
  };
}

// ---- deferred files, tried again when the rules change ----

const DEFERRED_AT_ONCE = 500;

/** Goes on with deferred ingests after the cursor. */
export function tryDeferred(state: StrikeState): readonly StrikeEffect[] {
  if (state.deferredCursor === null || state.isDeferredRunning) return [];
  state.isDeferredRunning = true;
  const args = { strikeId: state.id, afterId: state.deferredCursor, limit: DEFERRED_AT_ONCE };
  return [call('deferredIngests', args, { about: 'deferred' } satisfies StrikeTag)];
}

export function deferredRead(state: StrikeState, ingests: readonly IngestState[], ctx: Ctx): StrikeOutcome {
  if (ingests.length === 0) {
    state.isDeferredRunning = false;
    return stay(state, ...moveCursor(state, null, ctx));
  }
  const rules = state.configuration.files_to_ingest;
  const tag: StrikeTag = { about: 'deferredMatched', ingests };
  return stay(state, call('matchRules', { rules, paths: ingests.map((one) => one.filePath) }, tag));
}

export function deferredMatched(
  state: StrikeState,
  ingests: readonly IngestState[],
  ruleIndexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  state.isDeferredRunning = false;
  const taken = ingests.flatMap((ingest, index) => {
    const ruleIndex = ruleIndexes[index] ?? -1;
    if (ruleIndex < 0) return [];
    const file = {
      path: ingest.filePath,
      arrival: 'complete',
      size: ingest.size,
      mtimeMs: ingest.mtimeMs,
    } as const;
    return [arrivalOf(state, { ...file, identity: ingest.identity, firstSeenMs: ctx.nowMs }, ruleIndex, ctx)];
  });
  const lastId = ingests[ingests.length - 1]?.id ?? null;
  const effects: StrikeEffect[] = taken.length === 0 ? [] : [...record(state, taken, null)];
  effects.push(...moveCursor(state, lastId, ctx), ...tryDeferred(state));
  return stay(state, ...effects);
}

function moveCursor(state: StrikeState, cursor: number | null, ctx: Ctx): readonly StrikeEffect[] {
  state.deferredCursor = cursor;
  return [
    save({ type: 'editStrike', strikeId: state.id, patch: { deferredCursor: cursor }, atMs: ctx.nowMs }),
  ];
}

/**
 * Handles the ends of ingest executions: registers stored files, starts their recipes in the same turn, and repeats
 * failed tries. A report of an execution that is not its ingest's current one changes nothing.
 */
import type { Change } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { FileInfo, NewSourceFile } from '../../domain/file/file.ts';
import { canceledIngest, type IngestEnd } from '../../domain/ingest/ingest.ts';
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import { ingestStartOf, missingRecipe } from '../../domain/ingest/ingest-start.ts';
import { dismiss, type LiveIngest, noteFailed } from '../../domain/ingest/ingest-window.ts';
import type { ExecutionEnd, JobMove } from '../../domain/job/job.ts';
import type { QueuedEntry } from '../../domain/job/queueing.ts';
import { isRetryable, RETRY_PAUSE_MAX_MS } from '../../domain/job/retry.ts';
import { baseName } from '../../domain/paths.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';
import { type Ctx, save, shardOf, tell } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { OwnedIngestResult } from '../owner.messages.ts';
import { recipeAddress } from '../recipe/recipe.messages.ts';
import { announceQueued } from '../task-results.ts';
import { dispatch } from './dispatch.ts';
import type { IngestFacts, SourceAt } from './ingest.ports.ts';
import type { FactsQuestion, IngestEffect } from './ingest-effects.ts';
import { askFacts, closeFacts, contentOf, currentOf, placeOf, workspaceIdOf } from './ingest-facts.ts';

const RETRY_MS = 1_000;

/** A report with the live ingest that it is about. */
interface Current extends OwnedIngestResult {
  readonly ingest: LiveIngest;
}

/**
 * Handles reports. Reports of current executions wait for the facts, which are read for all waiting reports, one call
 * at a time.
 */
export function ingestsEnded(
  state: IngestOwnerState,
  results: readonly OwnedIngestResult[],
  ctx: Ctx,
): readonly IngestEffect[] {
  const current = results.filter((one) => currentOf(state, one) !== undefined);
  const stale = results.filter((one) => currentOf(state, one) === undefined);
  if (stale.length > 0) ctx.count('ingest_reports_stale', stale.length);
  return [...acknowledge(stale), ...askFacts(state, current)];
}

/** The combined result of the reports of one turn. */
class Ends {
  readonly state: IngestOwnerState;
  readonly ctx: Ctx;
  readonly files: NewSourceFile[] = [];
  readonly superseded: { fileId: number; atMs: number }[] = [];
  readonly ends: IngestEnd[] = [];
  readonly moves: JobMove[] = [];
  readonly executions: ExecutionEnd[] = [];
  readonly events: NewEvent[] = [];
  readonly recipeChanges: Change[] = [];
  readonly queued: QueuedEntry[] = [];
  readonly wakes: number[] = [];
  /** Sources by place: those in rows, then those of this turn. */
  readonly sources = new Map<string, SourceAt>();
  /** Contents that must not be registered again, by `contentOf`. */
  readonly purged = new Set<string>();

  constructor(state: IngestOwnerState, ctx: Ctx) {
    this.state = state;
    this.ctx = ctx;
  }
}

/** Handles all reports of a read in one turn, with its facts. */
export function onFactsRead(
  state: IngestOwnerState,
  question: FactsQuestion,
  facts: IngestFacts,
  ctx: Ctx,
): readonly IngestEffect[] {
  closeFacts(state, question);
  const { results } = question;
  const turn = new Ends(state, ctx);
  for (const one of facts.purged) turn.purged.add(contentOf(placeOf(one.workspaceId, one.filePath), one));
  for (const source of facts.sources) turn.sources.set(placeOf(source.workspaceId, source.filePath), source);
  for (const one of results) {
    // A repeat of a report that was handled while the facts were read.
    const ingest = currentOf(state, one);
    if (ingest !== undefined) settle(turn, { ...one, ingest }, facts);
  }
  return [
    ...changesOf(turn).map((change) => save(change)),
    ...announceQueued(turn.queued),
    ...acknowledge(results),
    ...turn.wakes.map((id) => tell(recipeAddress(id), { type: 'wake' })),
    ...dispatch(state, ctx),
    ...askFacts(state, question.waiting.values()),
  ];
}

function changesOf(turn: Ends): readonly Change[] {
  const changes: Change[] = [
    ...(turn.superseded.length === 0 ? [] : [{ type: 'supersedeFiles', files: turn.superseded } as const]),
    ...(turn.files.length === 0 ? [] : [{ type: 'createSourceFiles', files: turn.files } as const]),
    ...(turn.ends.length === 0 ? [] : [{ type: 'endIngests', ingests: turn.ends } as const]),
    ...(turn.moves.length === 0 ? [] : [{ type: 'moveJobs', moves: turn.moves } as const]),
    ...(turn.executions.length === 0 ? [] : [{ type: 'endExecutions', ends: turn.executions } as const]),
    ...(turn.events.length === 0 ? [] : [{ type: 'createEvents', events: turn.events } as const]),
  ];
  return [...changes, ...turn.recipeChanges];
}

function settle(turn: Ends, one: Current, facts: IngestFacts): void {
  const { outcome, error } = one.update;
  if (outcome === 'stored' || outcome === 'duplicate') stored(turn, one, facts);
  else if (outcome === 'canceled' || one.ingest.isCancelWanted) canceled(turn, one);
  else if (outcome === 'failed') {
    const ref = error === undefined ? UNKNOWN : { name: error.name, isBuiltin: error.isBuiltin };
    failed(turn, one, ref, { detail: error?.detail ?? 'no reason given', isRetried: isRetryable(ref) });
  } else {
    const isGone = outcome === 'gone';
    const detail = isGone ? 'the file is not there any more' : 'the file changed while it was ingested';
    failed(turn, one, isGone ? MISSING_FILE : FILESYSTEM_IO, { detail, isRetried: false });
  }
}

const UNKNOWN: ErrorRef = { name: 'unknown', isBuiltin: true };
const MISSING_FILE: ErrorRef = { name: 'missing-file', isBuiltin: true };
const FILESYSTEM_IO: ErrorRef = { name: 'filesystem-io', isBuiltin: true };

/** Registers stored content as a new file, or as that of an existing one. */
function stored(turn: Ends, one: Current, facts: IngestFacts): void {
  const { ingest, update } = one;
  const { ctx, state } = turn;
  const workspaceId = workspaceIdOf(state, one) ?? ingest.newWorkspaceId ?? ingest.workspaceId;
  const place = placeOf(workspaceId, update.path);
  const there = turn.sources.get(place);
  const isPurged = [place, placeOf(ingest.workspaceId, ingest.filePath)].some((one) =>
    turn.purged.has(contentOf(one, update)),
  );
  if (isPurged) {
    finish(turn, one, { status: 'DUPLICATE', sourceFileId: null, reason: 'this content was purged' });
    return;
  }
  const isSame = there !== undefined && there.size === update.size && there.sha256 === update.sha256;
  if (isSame) {
    finish(turn, one, {
      status: 'DUPLICATE',
      sourceFileId: there.fileId,
      reason: 'the same content is stored there',
    });
    return;
  }
  const file: NewSourceFile = {
    id: ctx.newId('file'),
    uuid: ingestUuid(ingest.id),
    fileName: baseName(update.path),
    mediaType: ingest.mediaType,
    size: update.size,
    sha256: update.sha256,
    tags: ingest.tags,
    workspaceId,
    filePath: update.path,
    atMs: ctx.nowMs,
  };
  turn.files.push(file);
  const { id: fileId, filePath, size, sha256 } = file;
  // Reports arrive in any order: content that arrived before the registered content was replaced by it.
  const isReplaced = there !== undefined && (there.arrivedMs ?? 0) > ingest.arrivedMs;
  if (there !== undefined)
    turn.superseded.push({ fileId: isReplaced ? fileId : there.fileId, atMs: ctx.nowMs });
  if (!isReplaced)
    turn.sources.set(place, { fileId, workspaceId, filePath, size, sha256, arrivedMs: ingest.arrivedMs });
  const reason = startRecipeFor(turn, ingest, file, facts);
  finish(turn, one, { status: 'INGESTED', sourceFileId: file.id, reason });
}

/** A uuid for each ingest, the same however often it is computed. */
function ingestUuid(ingestId: number): string {
  const hex = ingestId.toString(16).padStart(12, '0').slice(-12);
  return `1d9e57ed-0000-4000-8000-${hex}`;
}

function finish(
  turn: Ends,
  one: Current,
  end: {
    readonly status: 'INGESTED' | 'DUPLICATE';
    readonly sourceFileId: number | null;
    readonly reason: string | null;
  },
): void {
  const { ingest, update } = one;
  const atMs = turn.ctx.nowMs;
  turn.ends.push({
    ingestId: ingest.id,
    ...end,
    error: null,
    bytesTransferred: update.size,
    finalPath: update.path,
    atMs,
  });
  turn.moves.push(jobEnd(ingest, 'COMPLETED', null, atMs));
  turn.executions.push(executionEnd(one, 'COMPLETED', null, atMs));
  dismiss(turn.state.window, ingest);
}

function jobEnd(
  { jobId, exeNum }: LiveIngest,
  to: 'COMPLETED' | 'FAILED',
  error: ErrorRef | null,
  atMs: number,
): JobMove {
  return { kind: 'end', jobId, from: ['QUEUED', 'RUNNING'], exeNum, to, error, output: null, atMs };
}

function executionEnd(
  one: Current,
  status: ExecutionEnd['status'],
  error: ErrorRef | null,
  atMs: number,
): ExecutionEnd {
  const { executionId, startedMs, endedMs } = one.update;
  const exitCode = status === 'COMPLETED' ? 0 : null;
  const main = { phase: 'main', startedMs, endedMs, exitCode, isTimedOut: false } as const;
  return { executionId, status, error, output: null, phases: [main], atMs };
}

/** Tried again after a pause that doubles, while tries are left; otherwise ERRORED. The file stays where it is. */
function failed(
  turn: Ends,
  one: Current,
  error: ErrorRef,
  { detail, isRetried }: { readonly detail: string; readonly isRetried: boolean },
): void {
  const { ingest } = one;
  const atMs = turn.ctx.nowMs;
  const { jobId, exeNum } = ingest;
  turn.executions.push(executionEnd(one, 'FAILED', error, atMs));
  const end = {
    ingestId: ingest.id,
    sourceFileId: null,
    error,
    reason: detail,
    bytesTransferred: null,
    finalPath: null,
    atMs,
  };
  if (isRetried && exeNum < ingest.maxTries) {
    turn.ends.push({ ...end, status: 'TRANSFERRED' });
    const { priority } = turn.state.ingestJob;
    const queueing = {
      exeNum: exeNum + 1,
      priority,
      maxTries: ingest.maxTries,
      classKey: null,
      resources: {},
      atMs,
    };
    turn.moves.push({ kind: 'queue', jobId, from: ['QUEUED', 'RUNNING'], exeNum, queueing, input: null });
    const notBeforeMs = atMs + Math.min(RETRY_MS * 2 ** (exeNum - 1), RETRY_PAUSE_MAX_MS);
    noteFailed(turn.state.window, ingest, { exeNum: exeNum + 1, notBeforeMs });
    return;
  }
  turn.ends.push({ ...end, status: 'ERRORED' });
  turn.moves.push(jobEnd(ingest, 'FAILED', error, atMs));
  dismiss(turn.state.window, ingest);
}

function canceled(turn: Ends, one: Current): void {
  const { ingest } = one;
  const atMs = turn.ctx.nowMs;
  turn.executions.push(executionEnd(one, 'CANCELED', null, atMs));
  turn.ends.push(canceledIngest(ingest.id, atMs));
  const { jobId, exeNum } = ingest;
  turn.moves.push({ kind: 'status', jobId, from: ['QUEUED', 'RUNNING'], exeNum, to: 'CANCELED', atMs });
  dismiss(turn.state.window, ingest);
}

/** Starts the configured recipe for a file; returns the reason if it could not, or null. */
function startRecipeFor(
  turn: Ends,
  ingest: LiveIngest,
  file: NewSourceFile,
  facts: IngestFacts,
): string | null {
  const { ctx, state } = turn;
  const { recipe } = state.configuration;
  if (recipe === undefined) return null;
  if (facts.revision === null) return missingRecipe(recipe.name);
  const recipeId = ctx.newId('recipe');
  const started = ingestStartOf(facts.revision, {
    recipeId,
    shard: shardOf('recipe', String(recipeId)),
    eventId: ctx.newId('event'),
    ingestId: ingest.id,
    ownerKind: state.owner.kind,
    file: fileInfoOf(file),
    workspaces: state.workspaces,
    nowMs: ctx.nowMs,
    newId: (kind) => ctx.newId(kind),
  });
  if (typeof started === 'string') return `no recipe was started: ${started}`;
  turn.events.push(started.event);
  turn.recipeChanges.push(...started.changes);
  turn.queued.push(...started.queued);
  if (started.needsWake) turn.wakes.push(recipeId);
  return null;
}

function fileInfoOf(file: NewSourceFile): FileInfo {
  return {
    id: file.id,
    uuid: file.uuid,
    fileType: 'SOURCE',
    fileName: file.fileName,
    mediaType: file.mediaType,
    size: file.size,
    tags: file.tags,
    workspaceId: file.workspaceId,
    isDeleted: false,
    sourceStartedMs: null,
    sourceEndedMs: null,
    dataStartedMs: null,
    sourceSensorClass: null,
    sourceSensor: null,
    sourceCollection: null,
    sourceTask: null,
  };
}

/** Acknowledges the reports to their nodes. The content of an ingest is never removed because a report was late. */
function acknowledge(results: readonly OwnedIngestResult[]): readonly IngestEffect[] {
  const byNode = new Map<number, { executionId: number; spoolId: number | null; isVoid: boolean }[]>();
  for (const { nodeId, spoolId, update } of results) {
    const items = byNode.get(nodeId) ?? [];
    items.push({ executionId: update.executionId, spoolId, isVoid: false });
    byNode.set(nodeId, items);
  }
  return [...byNode].map(([nodeId, items]) => tell(nodeAddress(nodeId), { type: 'resultsCommitted', items }));
}

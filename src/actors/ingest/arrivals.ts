/**
 * Turns complete files into ingests: applies the rules, and adds the ingests to the window when their rows are saved.
 */
import type { ArrivalResult, Change } from '../../domain/changes.ts';
import { applyRules } from '../../domain/ingest/apply-rules.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import { admit, admitNew, type LiveIngest } from '../../domain/ingest/ingest-window.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import { baseName } from '../../domain/paths.ts';
import type { Ctx } from '../../kernel/mod.ts';

/** A file as it was found. */
export interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
  readonly firstSeenMs: number;
}

/** The fields of an arrival that do not depend on the file's status. */
export function bareArrival(workspaceId: number, file: Omit<FoundFile, 'mtimeMs'>, ctx: Ctx) {
  return {
    ingestId: ctx.newId('ingest'),
    jobId: ctx.newId('job'),
    eventId: ctx.newId('event'),
    workspaceId,
    filePath: file.path,
    fileName: baseName(file.path),
    mediaType: mediaTypeOf(file.path),
    seenIdentity: file.identity,
    size: file.size,
    firstSeenMs: file.firstSeenMs,
    tags: [],
    newWorkspaceId: null,
    newFilePath: null,
    reason: null,
    atMs: ctx.nowMs,
  };
}

/** A complete file with the index of the rule that matches it, or -1. */
export function completeArrival(
  state: IngestOwnerState & { readonly workspaceId: number },
  file: FoundFile,
  ruleIndex: number,
  ctx: Ctx,
): ArrivalRecord {
  const { identity, mtimeMs } = file;
  const bare = bareArrival(state.workspaceId, file, ctx);
  // Never earlier than that of another ingest, because this time decides which content of a path is newer.
  const atMs = Math.max(ctx.nowMs, state.window.newestMs + 1);
  const { files_to_ingest: rules } = state.configuration;
  const outcome = applyRules(rules, state.workspaces.byName, file.path, ruleIndex, ctx.nowMs);
  return { ...bare, atMs, identity, mtimeMs, ...outcome };
}

export function recordChange(
  state: IngestOwnerState,
  arrivals: readonly ArrivalRecord[],
): Extract<Change, { type: 'recordArrivals' }> {
  return { type: 'recordArrivals', owner: state.owner, template: state.ingestJob, arrivals };
}

/** Adds ingests whose rows are saved: new ones wait for nodes, except those that have begun, which are returned. */
export function admitArrivals(
  state: IngestOwnerState,
  arrivals: readonly ArrivalRecord[],
  result: ArrivalResult,
): readonly LiveIngest[] {
  const { window } = state;
  window.beginning -= arrivals.filter(({ start }) => start !== undefined).length;
  const begun: LiveIngest[] = [];
  const byIdentity = new Map(arrivals.map((one) => [`${one.filePath}\0${one.identity ?? ''}`, one]));
  for (const one of result.accepted) {
    const arrival = byIdentity.get(`${one.filePath}\0${one.identity}`);
    if (arrival === undefined) continue;
    const ingest = ingestOf(state, arrival, one);
    if (one.start === null) {
      admitNew(window, ingest);
      continue;
    }
    admit(window, { ...ingest, ...one.start, status: 'INGESTING' });
    const live = window.live.get(ingest.id);
    if (live !== undefined) begun.push(live);
  }
  return begun;
}

function ingestOf(
  state: IngestOwnerState,
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
    arrivedMs: arrival.atMs,
    size: arrival.size,
    mtimeMs: arrival.mtimeMs ?? 0,
    tags: arrival.tags,
    newWorkspaceId: arrival.newWorkspaceId,
    newFilePath: arrival.newFilePath,
  };
}

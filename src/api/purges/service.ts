/** Purges: started and shown for the interface, and worked off piece by piece through owners of jobs and agents. */
import { randomUUID } from 'node:crypto';
import { jobAddress } from '../../actors/job/job.messages.ts';
import { nodeAddress } from '../../actors/node/node.messages.ts';
import { ownerAddress } from '../../actors/owner.messages.ts';
import { purgeAddress } from '../../actors/purge/purge.messages.ts';
import type { PurgeProgress } from '../../actors/purge/purge.ports.ts';
import { recipeAddress } from '../../actors/recipe/recipe.messages.ts';
import type { AppError } from '../../domain/errors.ts';
import type { FileDeletion, FilesDeleted } from '../../domain/node/agent-messages.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { creating } from '../../store/catalog/creating.ts';
import { nodesRemoving, settleBytes, type WaitingFiles, waitingFiles } from '../../store/purge/bytes.ts';
import type { Owner } from '../../store/purge/finds.ts';
import { findPurge, listPurges } from '../../store/purge/list.ts';
import { previewPurge } from '../../store/purge/preview.ts';
import { type BegunPurge, beginPurge } from '../../store/purge/save.ts';
import { bytesDone, noteReason, type PurgeStep, released, stepPurge } from '../../store/purge/steps.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { ASK_DEADLINE_MS, freshId, unknownReference } from '../shared/requests.ts';
import { type PurgeRouteDeps, purgePath } from './routes.ts';

export interface PurgesParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'tell'>;
}

export function purgesApp({ sql, ids, system }: PurgesParts): PurgeRouteDeps['purges'] {
  return {
    list: (filter, order, page) => listPurges(sql, filter, order, page),
    find: (id) => findPurge(sql, id),
    async begin({ file_id: fileId, delete_source_bytes: deletesSourceBytes = false }, asker) {
      const { nowMs } = asker;
      const id = await freshId(ids, 'purge');
      const { kind, key } = purgeAddress(id);
      const shard = shardOf(kind, key);
      const also = savesAnswer(asker, async (_tx, made: number) => {
        return { status: 204, location: purgePath(made) };
      });
      const begun = await creating(sql, also, async (tx) =>
        begunId(fileId, await beginPurge(tx, { id, shard, fileId, deletesSourceBytes, nowMs })),
      );
      system.tell(purgeAddress(begun), { type: 'wake' });
      return begun;
    },
    async preview({ file_id: fileId, delete_source_bytes: deletesSourceBytes = false }, nowMs) {
      const id = await freshId(ids, 'purge');
      const found = await previewPurge(sql, { id, shard: 0, fileId, deletesSourceBytes, nowMs });
      if (found.kind !== 'found') throw nothingToPurge(fileId, found);
      const { files, workspaces, jobs, recipes, otherSources, datasetIds, batchIds, isCut } = found;
      return {
        ...{ files, workspaces: [...workspaces], jobs, recipes, is_cut: isCut },
        other_sources: { count: otherSources.count, ids: [...otherSources.ids] },
        ...{ dataset_ids: [...datasetIds], batch_ids: [...batchIds] },
      };
    },
  };
}

/** Throws UNKNOWN_REFERENCE if there is nothing to purge. */
function begunId(fileId: number, begun: BegunPurge): number {
  if (begun.kind === 'begun') return begun.id;
  throw nothingToPurge(fileId, begun);
}

function nothingToPurge(fileId: number, begun: Exclude<BegunPurge, { kind: 'begun' }>): AppError {
  switch (begun.kind) {
    case 'unknown':
      return unknownReference('file_id', `there is no file ${fileId}`);
    case 'product':
      return unknownReference('file_id', `the file ${fileId} is a product: only source files are purged`);
    case 'done':
      return unknownReference('file_id', `the file ${fileId} was purged: see /v6/purges/${begun.id}/`);
  }
}

/** The rows of purges, as far as a piece reads and writes them; each call is a transaction. */
export interface PurgeRows {
  /** The next step, after everything was done that needs only rows. */
  step(purgeId: number, nowMs: number): Promise<PurgeStep>;
  released(purgeId: number, owners: readonly Owner[]): Promise<void>;
  waitingFiles(purgeId: number, passedOver: readonly number[]): Promise<WaitingFiles | undefined>;
  nodesRemoving(workspaceId: number): Promise<readonly number[]>;
  /** Why some of the files still wait, or null. */
  settleBytes(
    purgeId: number,
    waiting: WaitingFiles,
    outcomes: readonly FileDeletion[],
    nowMs: number,
  ): Promise<string | null>;
  bytesDone(purgeId: number, nowMs: number): Promise<void>;
  noteReason(purgeId: number, reason: string, nowMs: number): Promise<void>;
}

export function purgeRows(sql: Sql): PurgeRows {
  return {
    step: (id, nowMs) => stepPurge(sql, id, nowMs),
    released: (id, owners) => released(sql, id, owners),
    waitingFiles: (id, passedOver) => waitingFiles(sql, id, passedOver),
    nodesRemoving: (id) => nodesRemoving(sql, id),
    settleBytes: (id, waiting, outcomes, nowMs) => settleBytes(sql, id, waiting, outcomes, nowMs),
    bytesDone: (id, nowMs) => bytesDone(sql, id, nowMs),
    noteReason: (id, reason, nowMs) => noteReason(sql, id, reason, nowMs),
  };
}

export interface PurgeParts {
  readonly rows: PurgeRows;
  readonly system: Pick<System, 'ask'>;
  readonly nowMs: () => number;
}

const WAIT_MS = 500;
/** The pause while no node reaches a workspace, or none can remove files. */
const BLOCKED_MS = 5_000;
const DELETE_DEADLINE_MS = 20_000;
/** limit: owners that are asked at a time. */
const ASKS_MAX = 16;

/** The next piece of a purge. Rejects if something could not be reached: it is tried again. */
export async function advancePurge(parts: PurgeParts, purgeId: number): Promise<PurgeProgress> {
  const { rows, nowMs, system } = parts;
  const options = { deadlineMs: ASK_DEADLINE_MS };
  const step = await rows.step(purgeId, nowMs());
  switch (step.type) {
    case 'done':
      return { isDone: true, pauseMs: 0 };
    case 'again':
      return { isDone: false, pauseMs: 0 };
    case 'wait':
      return { isDone: false, pauseMs: WAIT_MS };
    case 'cancel':
      await forEach(step.owners, ({ jobIds, ...owner }) =>
        system.ask(ownerAddress(owner), { type: 'cancelJobs', jobIds }, options),
      );
      return { isDone: false, pauseMs: WAIT_MS / 10 };
    case 'release':
      await forEach(step.owners, ({ kind, key }) =>
        kind === 'recipe'
          ? system.ask(recipeAddress(key), { type: 'forget' }, options)
          : system.ask(jobAddress(key), { type: 'forget' }, options),
      );
      await rows.released(purgeId, step.owners);
      return { isDone: false, pauseMs: 0 };
    case 'bytes':
      return removeBytes(parts, purgeId);
  }
}

async function forEach<Owner>(
  owners: readonly Owner[],
  ask: (owner: Owner) => Promise<unknown>,
): Promise<void> {
  const waiting = [...owners];
  const work = async (): Promise<void> => {
    for (let owner = waiting.pop(); owner !== undefined; owner = waiting.pop()) await ask(owner);
  };
  await Promise.all(Array.from({ length: ASKS_MAX }, work));
}

/** One request to one agent. Unreached workspaces are skipped; the purge waits when only they are left. */
async function removeBytes(parts: PurgeParts, purgeId: number): Promise<PurgeProgress> {
  const { rows, nowMs } = parts;
  const passedOver: number[] = [];
  const reasons: string[] = [];
  for (;;) {
    const waiting = await rows.waitingFiles(purgeId, passedOver);
    if (waiting === undefined) break;
    const trouble = await removeSome(parts, purgeId, waiting);
    if (trouble === null) return { isDone: false, pauseMs: 0 };
    reasons.push(`workspace '${waiting.workspaceName}': ${trouble}`);
    passedOver.push(waiting.workspaceId);
  }
  if (reasons.length === 0) {
    await rows.bytesDone(purgeId, nowMs());
    return { isDone: false, pauseMs: 0 };
  }
  await rows.noteReason(purgeId, reasons.join('; '), nowMs());
  return { isDone: false, pauseMs: BLOCKED_MS };
}

/** Why files of the workspace still wait, or null. */
async function removeSome(parts: PurgeParts, purgeId: number, waiting: WaitingFiles): Promise<string | null> {
  const { rows, nowMs } = parts;
  const files = waiting.files.filter((file) => !file.isShared).map(({ path, size }) => ({ path, size }));
  if (files.length === 0) return rows.settleBytes(purgeId, waiting, [], nowMs());
  if (!waiting.isActive) return 'it is not active';
  const nodeIds = await rows.nodesRemoving(waiting.workspaceId);
  let trouble = 'no node reaches it';
  for (const nodeId of nodeIds) {
    const answer = await askNode(parts, nodeId, waiting.workspaceUuid, files);
    if (typeof answer === 'string') {
      trouble = answer;
      continue;
    }
    const left = await rows.settleBytes(purgeId, waiting, answer.files, nowMs());
    if (left === null) return null;
    trouble = left;
  }
  return trouble;
}

/** The agent's answer, or why there is none. */
async function askNode(
  { system }: PurgeParts,
  nodeId: number,
  workspaceUuid: string,
  files: readonly { readonly path: string; readonly size: number }[],
): Promise<FilesDeleted | string> {
  const message = { type: 'deleteFiles', requestId: randomUUID(), workspaceUuid, files } as const;
  try {
    return await system.ask(nodeAddress(nodeId), message, { deadlineMs: DELETE_DEADLINE_MS });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

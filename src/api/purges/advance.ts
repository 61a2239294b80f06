/** Executes purges step by step, with the owners of jobs and with agents. */
import { randomUUID } from 'node:crypto';
import { jobAddress } from '../../actors/job/job.messages.ts';
import { nodeAddress } from '../../actors/node/node.messages.ts';
import { ownerAddress } from '../../actors/owner.messages.ts';
import type { PurgeProgress } from '../../actors/purge/purge.ports.ts';
import { recipeAddress } from '../../actors/recipe/recipe.messages.ts';
import type { FileDeletion, FilesDeleted } from '../../domain/node/agent-messages.ts';
import type { System } from '../../kernel/mod.ts';
import { nodesRemoving, settleBytes, type WaitingFiles, waitingFiles } from '../../store/purge/bytes.ts';
import type { Owner } from '../../store/purge/finds.ts';
import { bytesDone, noteReason, type PurgeStep, released, stepPurge } from '../../store/purge/steps.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

/** Reads and writes of the rows of purges. Each call is a transaction. */
export interface PurgeRows {
  /** Executes all steps that need only the database, and returns the next step that needs more. */
  step(purgeId: number, nowMs: number): Promise<PurgeStep>;
  released(purgeId: number, owners: readonly Owner[]): Promise<void>;
  /** Some files of one workspace whose bytes are still there. `skipped`: ids of workspaces that are left out. */
  waitingFiles(purgeId: number, skipped: readonly number[]): Promise<WaitingFiles | undefined>;
  nodesRemoving(workspaceId: number): Promise<readonly number[]>;
  /** Records the results of agents. Resolves with the reason why some of the files still wait, or with null. */
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
    waitingFiles: (id, skipped) => waitingFiles(sql, id, skipped),
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
/** The pause while no node reaches a workspace or can remove files there. */
const BLOCKED_MS = 5_000;
const DELETE_DEADLINE_MS = 20_000;
/** limit: concurrent requests to owners. */
const ASKS_MAX = 16;

/** Does the next step of a purge. Rejects if something could not be reached: the step is tried again. */
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

/**
 * Has files of one workspace removed. Skips workspaces that no node reaches; if only those are left, the purge waits.
 */
async function removeBytes(parts: PurgeParts, purgeId: number): Promise<PurgeProgress> {
  const { rows, nowMs } = parts;
  const skipped: number[] = [];
  const reasons: string[] = [];
  for (;;) {
    const waiting = await rows.waitingFiles(purgeId, skipped);
    if (waiting === undefined) break;
    const trouble = await removeSome(parts, purgeId, waiting);
    if (trouble === null) return { isDone: false, pauseMs: 0 };
    reasons.push(`workspace '${waiting.workspaceName}': ${trouble}`);
    skipped.push(waiting.workspaceId);
  }
  if (reasons.length === 0) {
    await rows.bytesDone(purgeId, nowMs());
    return { isDone: false, pauseMs: 0 };
  }
  await rows.noteReason(purgeId, reasons.join('; '), nowMs());
  return { isDone: false, pauseMs: BLOCKED_MS };
}

/** Resolves with the reason why files of the workspace still wait; null if they are settled. */
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

/** The agent's report, or the reason why there is none. */
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

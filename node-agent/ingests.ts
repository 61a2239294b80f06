/**
 * The ingests on this agent: they are accepted durably, performed in a bounded number, reported through the spool, and
 * finished after a restart. The code in ingest/ moves the files.
 */

import pLimit from 'p-limit';
import type { IngestUpdate } from '../src/domain/node/agent-messages.ts';
import type { Ingest, IngestItem, WorkspaceRef } from '../src/domain/node/coordinator-messages.ts';
import { withoutCredentials } from '../src/domain/workspace/withheld-credentials.ts';
import type { Logger } from '../src/observe/log.ts';
import { SMALL_BYTES_MAX } from '../src/storage/recent-file.ts';
import { type Clock, pause } from './clock.ts';
import type { Journal } from './data/journal.ts';
import type { Spool, SpooledUpdate } from './data/spool.ts';
import { finishIngest, performIngest } from './ingest/ingest-file.ts';
import type { IngestResult, IngestItem as MovedItem } from './ingest/ingest-item.ts';
import { inWorkspace, type Workspaces } from './workspaces.ts';

const PREFIX = 'ingest:';
// limit: ingests performed at once; the others wait. Ingests of small files that stay in place share a check of their
// workspace.
const CONCURRENCY = 16;
const SMALL_CONCURRENCY = 64;
const RETRY_MS = 5_000;
const PROGRESS_MS = 1_000;

interface Stored {
  readonly item: IngestItem;
  readonly workspaces: readonly WorkspaceRef[];
  /** The reported result; the remaining work is to finish it. */
  readonly result?: IngestResult;
}

interface Held {
  readonly item: IngestItem;
  readonly workspaces: readonly WorkspaceRef[];
  readonly canceled: AbortController;
  startedMs: number;
  result: IngestResult | undefined;
  isDone: boolean;
  isAcknowledged: boolean;
  bytesTransferred: number;
  bytesReported: number;
}

export interface IngestsOptions {
  readonly journal: Journal;
  readonly spool: Spool;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onProgress: (
    progress: readonly { ingestId: number; owner: string; bytesTransferred: number }[],
  ) => void;
}

export class Ingests {
  readonly #options: IngestsOptions;
  readonly #held = new Map<number, Held>();
  readonly #limit = pLimit(CONCURRENCY);
  readonly #smallLimit = pLimit(SMALL_CONCURRENCY);
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: IngestsOptions) {
    this.#options = options;
  }

  /** Continues ingests of earlier runs of the agent. */
  resume(): void {
    const { journal, spool } = this.#options;
    const reported = new Set([...spool.pending()].map(({ executionId }) => executionId));
    for (const [, value] of [...journal.entries(PREFIX)]) {
      const { item, workspaces, result } = value as Stored;
      const held = this.#hold(item, workspaces, result);
      const isReported = reported.has(item.executionId);
      // The result is recorded but not in the spool: it was acknowledged, and only the remaining work is not done.
      if (result !== undefined) held.isAcknowledged = !isReported;
      if (isReported && isDoneWhenReported(item)) held.isDone = true;
      else this.#run(held, Promise.resolve());
    }
    this.#reportProgress();
  }

  /** Ids of executions that are accepted and not acknowledged as ended. */
  holds(): number[] {
    return [...this.#held.keys()];
  }

  /**
   * Accepts the ingests durably, as a group, and then performs them. A repeat changes nothing. An ingest that changes
   * nothing on the disk is written without a sync of its own, because its report is synced anyway. If a power loss
   * removes it, its owner learns from the next hello that it is lost.
   */
  async accept({ items, workspaces }: Ingest): Promise<void> {
    const fresh = items.filter(({ executionId }) => !this.#held.has(executionId));
    const named = new Map(workspaces.map((workspace) => [workspace.uuid, workspace]));
    const appended = fresh.map((item) => {
      const uuids = new Set([item.sourceWorkspaceUuid, item.targetWorkspaceUuid]);
      const own = [...uuids].flatMap((uuid) => named.get(uuid) ?? []);
      const accepted = isDoneWhenReported(item) ? this.#note(item, own) : this.#stored(item, own);
      this.#run(this.#hold(item, own, undefined), accepted);
      return accepted;
    });
    await Promise.all(appended);
  }

  cancel(executionId: number): void {
    this.#held.get(executionId)?.canceled.abort(new Error('canceled'));
  }

  acknowledged(updates: readonly SpooledUpdate[]): void {
    for (const update of updates) {
      if (update.type !== 'ingestUpdate') continue;
      const held = this.#held.get(update.executionId);
      this.#options.spool.forget(update.spoolId);
      if (held === undefined) continue;
      held.isAcknowledged = true;
      this.#forgetIfDone(held);
    }
  }

  /** Resolves when nothing is in the middle of a step; the next start continues unfinished ones. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { canceled } of this.#held.values()) canceled.abort(new Error('the agent stops'));
    await Promise.all(this.#running);
  }

  #stored(item: IngestItem, workspaces: readonly WorkspaceRef[], result?: IngestResult): Promise<void> {
    const stored = { ...storedOf(item, workspaces), ...(result && { result }) };
    return this.#options.journal.append(`${PREFIX}${item.executionId}`, stored);
  }

  async #note(item: IngestItem, workspaces: readonly WorkspaceRef[]): Promise<void> {
    this.#options.journal.note(`${PREFIX}${item.executionId}`, storedOf(item, workspaces));
  }

  #hold(item: IngestItem, workspaces: readonly WorkspaceRef[], result: IngestResult | undefined): Held {
    const held: Held = {
      item,
      workspaces,
      canceled: new AbortController(),
      startedMs: this.#options.clock.nowMs(),
      result,
      isDone: false,
      isAcknowledged: false,
      bytesTransferred: 0,
      bytesReported: 0,
    };
    this.#held.set(item.executionId, held);
    return held;
  }

  #run(held: Held, accepted: Promise<void>): void {
    const isSmall = isDoneWhenReported(held.item) && held.item.expectedSize <= SMALL_BYTES_MAX;
    const limit = isSmall ? this.#smallLimit : this.#limit;
    const running = accepted
      .then(() => limit(() => this.#untilFinished(held)))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Performs the ingest, or finishes it if its result is recorded. Retries until that is done. Never rejects. */
  async #untilFinished(held: Held): Promise<void> {
    const { clock, log } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#perform(held);
        held.isDone = true;
        this.#forgetIfDone(held);
        return;
      } catch (error) {
        log.warn('ingest_tried_again', { ingestId: held.item.ingestId, error });
        await pause(clock, RETRY_MS, this.#stopping.signal);
      }
    }
  }

  async #perform(held: Held): Promise<void> {
    const { workspaces } = this.#options;
    const item = toMoved(held.item);
    // The next session brings the credentials that a restart has lost.
    if (!held.canceled.signal.aborted && !held.workspaces.every((one) => workspaces.isKnown(one))) {
      throw new Error('the credentials of a workspace are not known here yet');
    }
    const ports = {
      reached: async (uuid: string) => {
        const found = held.workspaces.find((workspace) => workspace.uuid === uuid);
        if (found === undefined) throw new Error(`the ingest names no workspace ${uuid}`);
        return inWorkspace(found, () => workspaces.reached(found));
      },
      recordResult: (result: IngestResult) => this.#record(held, result),
      onProgress: (_ingestId: number, bytes: number) => {
        held.bytesTransferred = bytes;
      },
      nowMs: () => this.#options.clock.nowMs(),
    };
    if (held.result !== undefined) return finishIngest(item, held.result, ports);
    held.startedMs = this.#options.clock.nowMs();
    await performIngest(item, ports, held.canceled.signal);
  }

  /**
   * The report and the record of it become durable with one sync, the report first: a crash in between repeats the
   * work.
   */
  async #record(held: Held, result: IngestResult): Promise<void> {
    // Stopping aborts the work like a cancellation, but nothing is reported, and the next start continues.
    if (this.#stopping.signal.aborted && result.outcome === 'canceled') throw new Error('the agent stops');
    const { item, workspaces } = held;
    const reported = this.#options.spool.record(toUpdate(held, result, this.#options.clock.nowMs()));
    await (isDoneWhenReported(item)
      ? reported
      : Promise.all([reported, this.#stored(item, workspaces, result)]));
    held.result = result;
  }

  #forgetIfDone(held: Held): void {
    if (!held.isDone || !held.isAcknowledged) return;
    this.#held.delete(held.item.executionId);
    this.#options.journal.forget(`${PREFIX}${held.item.executionId}`);
  }

  #reportProgress(): void {
    if (this.#stopping.signal.aborted) return;
    const moved = [...this.#held.values()].filter(
      (held) => held.bytesTransferred > held.bytesReported && !held.isDone,
    );
    for (const held of moved) held.bytesReported = held.bytesTransferred;
    const progress = moved.map(({ item, bytesTransferred }) => {
      return { ingestId: item.ingestId, owner: item.owner, bytesTransferred };
    });
    if (progress.length > 0) this.#options.onProgress(progress);
    this.#options.clock.after(PROGRESS_MS, () => this.#reportProgress());
  }
}

function storedOf(item: IngestItem, workspaces: readonly WorkspaceRef[]): Stored {
  return { item, workspaces: workspaces.map(withoutCredentials) };
}

/** Whether nothing remains to be done once the result is reported, because the file stays in place. */
function isDoneWhenReported(item: IngestItem): boolean {
  return item.targetPath === '';
}

function toMoved(item: IngestItem): MovedItem {
  const { ingestId, executionId, expectedSize, expectedMtimeMs, expectedIdentity } = item;
  return {
    ingestId,
    executionId,
    source: { workspace: item.sourceWorkspaceUuid, path: item.sourcePath },
    expectedSize,
    expectedMtimeMs,
    expectedIdentity,
    target: item.targetPath === '' ? null : { workspace: item.targetWorkspaceUuid, path: item.targetPath },
  };
}

function toUpdate(
  { item, startedMs }: Held,
  result: IngestResult,
  nowMs: number,
): Omit<IngestUpdate, 'spoolId'> {
  const hasPlace = result.outcome === 'stored' || result.outcome === 'duplicate';
  return {
    type: 'ingestUpdate',
    ingestId: item.ingestId,
    executionId: item.executionId,
    jobId: item.jobId,
    exeNum: item.exeNum,
    owner: item.owner,
    outcome: result.outcome,
    workspaceUuid: hasPlace ? result.place.workspace : '',
    path: hasPlace ? result.place.path : '',
    size: hasPlace ? result.size : 0,
    sha256: hasPlace ? result.sha256 : '',
    startedMs,
    endedMs: nowMs,
    error:
      result.outcome === 'failed'
        ? { name: result.errorName, isBuiltin: true, detail: result.message }
        : undefined,
  };
}

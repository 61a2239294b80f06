/** What actors read of the simulated database: the ports of strikes, nodes, the scheduler, recipes and jobs. */

import type { SourceAt } from '../../../../src/actors/ingest/ingest.ports.ts';
import type { FileInfo } from '../../../../src/domain/file/file.ts';
import type { IngestOfJob, IngestOwner, IngestState } from '../../../../src/domain/ingest/ingest.ts';
import { LIVE_INGESTS_MAX } from '../../../../src/domain/ingest/ingest-window.ts';
import { isPausing } from '../../../../src/domain/job/retry.ts';
import type { AssignedExecution, NodeRow, WorkspaceInfo } from '../../../../src/domain/node/node.ts';
import type { QueueMode, SchedulerSnapshot } from '../../../../src/domain/scheduling/snapshot.ts';
import type { StrikeRow } from '../../../../src/domain/strike/strike.ts';
import type { ExecutionRow, FileRow, IngestRow, JobRow, Tables, TombstoneRow } from '../tables.ts';

const LIVE: readonly IngestRow['status'][] = ['TRANSFERRED', 'INGESTING'];

function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
}

export function runningOf(tables: Tables, jobId: number): ExecutionRow | undefined {
  const job = tables.jobs.get(jobId);
  return tables.executions
    .withKey(jobId)
    .find((one) => one.exeNum === job?.exeNum && one.status === 'RUNNING');
}

// ---- nodes ----

export function assignedTo(tables: Tables, nodeId: number): AssignedExecution[] {
  const running = tables.executions.where((one) => one.nodeId === nodeId && one.status === 'RUNNING');
  return running.map((one) => {
    const job = tables.jobs.at(one.jobId);
    const { id: executionId, jobId, exeNum } = one;
    return { executionId, jobId, exeNum, owner: job.owner, work: workOf(tables, job) };
  });
}

export function unknownExecutions(tables: Tables, executionIds: readonly number[]): readonly number[] {
  return [...new Set(executionIds)]
    .filter((id) => tables.executions.get(id) === undefined)
    .sort((a, b) => a - b);
}

function workOf(tables: Tables, { id, owner }: JobRow): AssignedExecution['work'] {
  if (owner.kind === 'strike') return tables.strikes.at(owner.key).jobId === id ? 'monitor' : 'ingest';
  if (owner.kind !== 'scan') return 'task';
  const { jobId, dryRunJobId } = tables.scans.at(owner.key);
  return id === jobId || id === dryRunJobId ? 'listing' : 'ingest';
}

export function loadNodes(tables: Tables, ids: readonly number[]): Map<number, NodeRow> {
  const loaded = new Map<number, NodeRow>();
  for (const id of ids) {
    const row = tables.nodes.get(id);
    if (row === undefined) continue;
    const { shard: _, ...rest } = row;
    const reach = tables.reach
      .where((one) => one.nodeId === id)
      .map(({ workspaceId, isReachable, reason }) => {
        const isDeactivated = tables.workspaces.get(workspaceId)?.isActive === false;
        return { workspaceId, isReachable, reason, isDeactivated };
      });
    loaded.set(id, { ...rest, executions: assignedTo(tables, id), reach });
  }
  return loaded;
}

export function dueNodes(tables: Tables, shards: readonly number[]): number[] {
  const runs = (id: number) =>
    tables.executions.where((one) => one.nodeId === id && one.status === 'RUNNING').length > 0;
  const due = tables.nodes.where((one) => shards.includes(one.shard) && (one.isOnline || runs(one.id)));
  return due.map((one) => one.id).sort((a, b) => a - b);
}

function isReady(node: { isActive: boolean; isPaused: boolean; errors: readonly unknown[] }): boolean {
  return node.isActive && !node.isPaused && node.errors.length === 0;
}

export function reachableOf(tables: Tables, nodeId: number): number[] {
  return tables.reach
    .where((one) => one.nodeId === nodeId && one.isReachable)
    .map((one) => one.workspaceId)
    .sort((a, b) => a - b);
}

export function nodesReaching(tables: Tables, workspaceIds: readonly number[]): number[] {
  if (tables.settings.at(1).isPaused) return [];
  const reaching = tables.nodes.where((node) => {
    const reached = reachableOf(tables, node.id);
    return node.isOnline && isReady(node) && workspaceIds.every((id) => reached.includes(id));
  });
  return reaching.map((one) => one.id).sort((a, b) => a - b);
}

export function activeWorkspaces(tables: Tables): WorkspaceInfo[] {
  return tables.workspaces.where((one) => one.isActive).sort(byId);
}

// ---- the scheduler ----

export function loadScheduler(tables: Tables): SchedulerSnapshot {
  const { id: _, ...settings } = tables.settings.at(1);
  const queued = new Set(
    tables.jobs.where((one) => one.status === 'QUEUED' && one.classKey !== null).map((one) => one.classKey),
  );
  const running = tables.executions.where(
    (one) => one.status === 'RUNNING' && tables.jobs.at(one.jobId).classKey !== null,
  );
  return {
    settings,
    types: tables.jobTypes
      .where((one) => one.isPaused || one.maxScheduled !== null)
      .map(({ id: jobTypeId, isPaused, maxScheduled }) => ({
        jobTypeId,
        isPaused,
        maxScheduled,
        unmet: null,
      })),
    nodes: tables.nodes
      .where((one) => one.isOnline)
      .map((one) => ({
        nodeId: one.id,
        hostname: one.hostname,
        isReady: isReady(one),
        total: one.resources,
        executors: one.executors,
        takesWorkAhead: one.takesWorkAhead,
        workspaceIds: reachableOf(tables, one.id).filter(
          (id) => tables.workspaces.get(id)?.isActive !== false,
        ),
      })),
    running: running.map(({ id: executionId, nodeId, jobTypeId, resources, startedMs }) => {
      return { executionId, nodeId, jobTypeId, resources, startedMs };
    }),
    classes: [...queued]
      .sort()
      .flatMap((key) => tables.classes.get(key ?? '') ?? [])
      .map(({ id: _id, ...jobClass }) => jobClass),
  };
}

export function queuedHeads(
  tables: Tables,
  wanted: {
    readonly classKey: string;
    readonly mode: QueueMode;
    readonly limit: number;
    readonly nowMs: number;
  },
) {
  const row = tables.classes.get(wanted.classKey);
  if (row === undefined) return undefined;
  const { id: _, ...found } = row;
  const sign = wanted.mode === 'FIFO' ? 1 : -1;
  const isDue = (one: JobRow) => one.notBeforeMs === null || !isPausing(one.notBeforeMs, wanted.nowMs);
  const jobs = tables.jobs
    .where((one) => one.status === 'QUEUED' && one.classKey === wanted.classKey && isDue(one))
    .sort((a, b) => a.priority - b.priority || sign * (a.queuedMs - b.queuedMs) || sign * (a.id - b.id))
    .slice(0, wanted.limit)
    .map(({ id: jobId, exeNum, priority, queuedMs, owner }) => ({
      jobId,
      exeNum,
      priority,
      queuedMs,
      owner,
    }));
  return { class: found, jobs, isWhole: jobs.length < wanted.limit };
}

// ---- strikes ----

function toIngest(tables: Tables, row: IngestRow): IngestState {
  const job = row.jobId === null ? undefined : tables.jobs.get(row.jobId);
  const running = row.jobId === null ? undefined : runningOf(tables, row.jobId);
  const { id, status, workspaceId, filePath, fileName, mediaType, size, tags, newWorkspaceId, newFilePath } =
    row;
  return {
    ...{ id, status, workspaceId, filePath, fileName, mediaType, size, tags, newWorkspaceId, newFilePath },
    jobId: row.jobId ?? 0,
    exeNum: job?.exeNum ?? 0,
    maxTries: job?.maxTries ?? 0,
    executionId: running?.id ?? null,
    nodeId: running?.nodeId ?? null,
    identity: row.arrival ?? '',
    arrivedMs: row.arrivedMs ?? 0,
    mtimeMs: row.mtimeMs ?? 0,
  };
}

export function ingestsOf(
  tables: Tables,
  owner: IngestOwner,
  isIt: (row: IngestRow) => boolean,
): IngestState[] {
  const { kind, key } = owner;
  const rows = tables.ingests.where((one) => one.owner.kind === kind && one.owner.key === key && isIt(one));
  return rows.sort(byId).map((row) => toIngest(tables, row));
}

export function liveIngests(
  tables: Tables,
  page: { readonly owner: IngestOwner; readonly afterId: number; readonly limit: number },
): IngestState[] {
  const live = ingestsOf(tables, page.owner, (one) => one.id > page.afterId && LIVE.includes(one.status));
  return live.slice(0, page.limit);
}

/** What an owner of ingests holds in memory after a load. */
export function ingestWindow(tables: Tables, owner: IngestOwner) {
  const head = liveIngests(tables, { owner, afterId: 0, limit: LIVE_INGESTS_MAX });
  const running = ingestsOf(tables, owner, (one) => one.status === 'INGESTING');
  return { live: [...running, ...head], hasMore: head.length >= LIVE_INGESTS_MAX };
}

export function deferredIngests(
  tables: Tables,
  page: { readonly strikeId: number; readonly afterId: number; readonly limit: number },
): IngestState[] {
  const owner = { kind: 'strike', key: page.strikeId } as const;
  const deferred = ingestsOf(tables, owner, (one) => one.id > page.afterId && one.status === 'DEFERRED');
  return deferred.slice(0, page.limit);
}

export function ingestsOfJobs(
  tables: Tables,
  { owner, jobIds }: { readonly owner: IngestOwner; readonly jobIds: readonly number[] },
): IngestOfJob[] {
  const found = ingestsOf(tables, owner, (one) => one.jobId !== null && jobIds.includes(one.jobId));
  return found.map((one) => {
    const { status: jobStatus, requestPosition } = tables.jobs.at(one.jobId);
    return { ...one, jobStatus, requestPosition };
  });
}

export function loadStrikes(
  tables: Tables,
  ids: readonly number[],
  ingestJob: { readonly jobTypeId: number; readonly jobTypeRevId: number; readonly maxTries: number },
): Map<number, StrikeRow> {
  const loaded = new Map<number, StrikeRow>();
  for (const id of ids) {
    const row = tables.strikes.get(id);
    if (row === undefined) continue;
    const owner = { kind: 'strike', key: id } as const;
    const job = tables.jobs.at(row.jobId);
    const running = runningOf(tables, row.jobId);
    const { shard, jobId: _, ...rest } = row;
    loaded.set(id, {
      ...rest,
      job: {
        id: job.id,
        status: job.status,
        exeNum: job.exeNum,
        requestPosition: job.requestPosition,
      },
      monitor:
        running === undefined
          ? null
          : { executionId: running.id, exeNum: job.exeNum, nodeId: running.nodeId },
      ingestJob: { ...ingestJob, shard, priority: 10, timeoutS: 0 },
      ...ingestWindow(tables, owner),
      workspaces: activeWorkspaces(tables),
    });
  }
  return loaded;
}

export function dueStrikes(tables: Tables, shards: readonly number[]): number[] {
  const hasLive = (id: number) =>
    tables.ingests.where(
      (one) => one.owner.kind === 'strike' && one.owner.key === id && LIVE.includes(one.status),
    ).length > 0;
  const due = tables.strikes.where((one) => shards.includes(one.shard) && (!one.isPaused || hasLive(one.id)));
  return due.map((one) => one.id).sort((a, b) => a - b);
}

/** What was purged at places. */
export function purgedAt(
  tables: Tables,
  places: readonly { readonly workspaceId: number; readonly filePath: string }[],
) {
  const isAt = (one: TombstoneRow) =>
    places.some(({ workspaceId, filePath }) => one.workspaceId === workspaceId && one.filePath === filePath);
  return tables.tombstones
    .where(isAt)
    .map(({ workspaceId, filePath, size, sha256 }) => ({ workspaceId, filePath, size, sha256 }));
}

/** Monitors whose node does not reach what they watch any more, while another node does. */
export function lostMonitors(tables: Tables, shards: readonly number[]) {
  return tables.strikes
    .where((one) => shards.includes(one.shard) && !one.isPaused)
    .sort(byId)
    .flatMap(({ id: strikeId, jobId, workspaceId }) => {
      const running = runningOf(tables, jobId);
      const reach = running && tables.reach.get(`${running.nodeId}/${workspaceId}`);
      if (running === undefined || reach === undefined || reach.isReachable) return [];
      if (tables.nodes.at(running.nodeId).isOnline === false) return [];
      const others = nodesReaching(tables, [workspaceId]);
      return others.length === 0 ? [] : [{ strikeId, executionId: running.id }];
    });
}

export function sourcesAt(
  tables: Tables,
  places: readonly { readonly workspaceId: number; readonly filePath: string }[],
): SourceAt[] {
  const isAt = (file: FileRow) =>
    !file.isSuperseded &&
    places.some((one) => one.workspaceId === file.workspaceId && one.filePath === file.filePath);
  return tables.files.where(isAt).map(({ id: fileId, workspaceId, filePath, size, sha256 }) => {
    const brought = tables.ingests
      .where((one) => one.sourceFileId === fileId && one.status === 'INGESTED')
      .flatMap((one) => one.arrivedMs ?? []);
    const arrivedMs = brought.length === 0 ? null : Math.max(...brought);
    return { fileId, workspaceId, filePath, size, sha256, arrivedMs };
  });
}

export function fileInfoOf(row: FileRow): FileInfo {
  const { id, uuid, fileType, fileName, mediaType, size, tags, workspaceId } = row;
  return {
    ...{ id, uuid, fileType, fileName, mediaType, size, tags, workspaceId },
    isDeleted: row.isDeleted,
    sourceStartedMs: null,
    sourceEndedMs: null,
    dataStartedMs: null,
    sourceSensorClass: null,
    sourceSensor: null,
    sourceCollection: null,
    sourceTask: null,
  };
}

/**
 * What each kind of actor gets of the simulated world: as src/coordinator/actors/actor-ports.ts puts it together of the
 * real one.
 */
import type { BatchPorts } from '../../../src/actors/batch/batch.ports.ts';
import type { IngestPorts } from '../../../src/actors/ingest/ingest.ports.ts';
import type { JobPorts } from '../../../src/actors/job/job.ports.ts';
import type { JobRequestPorts } from '../../../src/actors/job-request/job-request.ports.ts';
import type { NodePorts } from '../../../src/actors/node/node.ports.ts';
import type { PurgePorts } from '../../../src/actors/purge/purge.ports.ts';
import type { RecipePorts } from '../../../src/actors/recipe/recipe.ports.ts';
import type { ScanPorts } from '../../../src/actors/scan/scan.ports.ts';
import type { SchedulerPorts } from '../../../src/actors/scheduler/scheduler.ports.ts';
import type { StrikePorts } from '../../../src/actors/strike/strike.ports.ts';
import { reprocessRecipes } from '../../../src/api/batches/reprocess.ts';
import {
  advanceJobRequest,
  type JobRequestRows,
  workOffBacklog,
} from '../../../src/api/job-requests/pages.ts';
import { advancePurge, type PurgeRows } from '../../../src/api/purges/advance.ts';
import type { Clock, System } from '../../../src/kernel/mod.ts';
import { INGEST_TYPE, REVISIONS, revisionOf } from '../scenario.ts';
import type { SimProcess } from '../sim-process.ts';
import * as batches from '../store/load/batch-loads.ts';
import * as loads from '../store/load/loads.ts';
import * as scans from '../store/load/scan-loads.ts';
import * as trees from '../store/load/tree-loads.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { duePurges, simPurgeRows } from '../store/purge/rows.ts';
import * as requests from '../store/request-rows.ts';
import type { JobRow } from '../store/tables.ts';
import type { SimGateway } from './gateway.ts';
import { launchSpecs } from './launches.ts';
import type { SimReaders } from './readers.ts';

export interface SimPortParts {
  readonly store: MemoryStore;
  readonly process: SimProcess;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly gateway: SimGateway;
  readonly readers: SimReaders;
  readonly system: () => System;
  /** Members of a batch that one commit makes recipes of. */
  readonly membersMax: number;
  /** Jobs of a page of a request for many. */
  readonly jobPage: number;
  readonly seams: {
    purgeRows?(rows: PurgeRows, store: MemoryStore): PurgeRows;
    requestRows?(rows: JobRequestRows): JobRequestRows;
  };
  /** Has the database run a statement. */
  readonly run: <T>(statement: () => T) => Promise<T>;
  readonly onSchedulerRead: (answer: Promise<unknown>) => void;
}

export function simPorts(parts: SimPortParts): Record<string, unknown> {
  return {
    scheduler: schedulerPorts(parts),
    node: nodePorts(parts),
    strike: strikePorts(parts),
    scan: scanPorts(parts),
    recipe: recipePorts(parts),
    job: jobPorts(parts),
    job_request: jobRequestPorts(parts),
    batch: batchPorts(parts),
    purge: purgePorts(parts),
  };
}

function schedulerPorts({ store, run, system, onSchedulerRead }: SimPortParts): SchedulerPorts {
  const { tables } = store;
  return {
    loadScheduler: () => {
      const snapshot = run(() => loads.loadScheduler(tables));
      onSchedulerRead(snapshot);
      return snapshot;
    },
    queuedHeads: (args) => run(() => loads.queuedHeads(tables, args)),
    applySettings: async ({ messageHandlerCount }) => system().setLanes(messageHandlerCount),
  };
}

function nodePorts({ store: { tables }, run, gateway }: SimPortParts): NodePorts {
  return {
    loadNodes: (ids) => run(() => loads.loadNodes(tables, ids)),
    dueNodes: (shards) => run(() => loads.dueNodes(tables, shards)),
    assignedTo: (id) => run(() => loads.assignedTo(tables, id)),
    unknownExecutions: (ids) => run(() => loads.unknownExecutions(tables, ids)),
    launchSpecs: (ids) => run(() => launchSpecs(tables, ids)),
    activeWorkspaces: () => run(() => loads.activeWorkspaces(tables)),
    send: async ({ sessionId, messages }) => gateway.send(sessionId, messages),
    dropSession: async ({ sessionId }) => gateway.dropSession(sessionId),
    loggingLevel: async () => 'INFO',
  };
}

function ingestPorts({ store: { tables }, run, process }: SimPortParts): IngestPorts {
  return {
    matchRules: ({ rules, paths }) =>
      process.later(1, () =>
        paths.map((path) => rules.findIndex((rule) => new RegExp(rule.filename_regex).test(path))),
      ),
    nodesReaching: (ids) => run(() => loads.nodesReaching(tables, ids)),
    activeWorkspaces: () => run(() => loads.activeWorkspaces(tables)),
    ingestFacts: ({ at, from, recipe }) =>
      run(() => ({
        sources: loads.sourcesAt(tables, at),
        purged: loads.purgedAt(tables, [...at, ...from]),
        revision: recipe === null ? null : revisionOf(recipe.name),
      })),
    liveIngests: (page) => run(() => loads.liveIngests(tables, page)),
    ingestsOfJobs: (args) => run(() => loads.ingestsOfJobs(tables, args)),
  };
}

function strikePorts(parts: SimPortParts): StrikePorts {
  const { store, run, readers } = parts;
  const { tables } = store;
  return {
    ...ingestPorts(parts),
    loadStrikes: (ids) => run(() => loads.loadStrikes(tables, ids, INGEST_TYPE)),
    dueStrikes: (shards) => run(() => loads.dueStrikes(tables, shards)),
    lostMonitors: (shards) => run(() => loads.lostMonitors(tables, shards)),
    watchQueue: async ({ strikeId, monitor }) => readers.watch(strikeId, monitor !== null),
    deferredIngests: (page) => run(() => loads.deferredIngests(tables, page)),
  };
}

function scanPorts(parts: SimPortParts): ScanPorts {
  const { store, run } = parts;
  const { tables } = store;
  return {
    ...ingestPorts(parts),
    loadScans: (ids) => run(() => scans.loadScans(tables, ids, INGEST_TYPE)),
    dueScans: (shards) => run(() => scans.dueScans(tables, shards)),
    liveIngestJobs: (id) => run(() => scans.liveIngestJobs(tables, id)),
  };
}

function recipePorts({ store: { tables }, run, clock }: SimPortParts): RecipePorts {
  return {
    loadRecipeTrees: (ids) => run(() => trees.loadRecipeTrees(tables, REVISIONS, ids)),
    dueRecipes: (shards, isTakenOver) => {
      const nowMs = clock.nowMs();
      return run(() => trees.dueRecipes(tables, REVISIONS, shards, { nowMs, isTakenOver }));
    },
    startFacts: ({ recipeTypeRevId, fileIds }) =>
      run(() => trees.startFacts(tables, REVISIONS, recipeTypeRevId, fileIds)),
    recipeRevision: async (id) => REVISIONS.recipes.get(id) ?? null,
    evaluateConditions: (asks) =>
      run(() =>
        asks.map(({ conditionId }) => {
          const isAccepted = conditionId % 3 !== 0;
          return { conditionId, isAccepted, reason: isAccepted ? null : 'not this one' };
        }),
      ),
    runningExecutions: (ids) => run(() => trees.runningExecutions(tables, ids)),
  };
}

function jobPorts({ store: { tables }, run }: SimPortParts): JobPorts {
  return {
    loadJobs: (ids) => run(() => trees.loadJobs(tables, REVISIONS, ids)),
    dueJobs: (shards) => run(() => trees.strayOwners(tables, 'job', shards)),
    runningExecutions: (ids) => run(() => trees.runningExecutions(tables, ids)),
  };
}

function jobRequestPorts({ store: { tables }, run, system, jobPage, seams }: SimPortParts): JobRequestPorts {
  const facts = { nameOf: String, isOfSystem: isSystemJob };
  const own = requests.memoryRequestRows(tables, facts, run);
  const pages = () => ({ rows: seams.requestRows?.(own) ?? own, system: system(), pageSize: jobPage });
  return {
    loadJobRequests: (ids) => run(() => requests.loadJobRequests(tables, ids)),
    dueJobRequests: (shards) => run(() => requests.dueJobRequests(tables, shards)),
    advanceJobRequest: (request) => advanceJobRequest(pages(), request),
    workOffBacklog: ({ request, belowId }) => workOffBacklog(pages(), request, belowId),
  };
}

function isSystemJob({ owner }: JobRow): boolean {
  return owner.kind === 'strike' || owner.kind === 'scan';
}

function batchPorts({ store: { tables }, run, system, membersMax }: SimPortParts): BatchPorts {
  return {
    loadBatches: (ids) => run(() => batches.loadBatches(tables, REVISIONS, ids)),
    dueBatches: (shards) => run(() => batches.dueBatches(tables, shards)),
    batchPage: (batch) => run(() => batches.batchPage(tables, batch, membersMax)),
    reprocessRecipes: (orders) => reprocessRecipes(system(), orders),
  };
}

function purgePorts({ store, run, system, clock, seams }: SimPortParts): PurgePorts {
  const own = simPurgeRows(store, run);
  const rows = seams.purgeRows?.(own, store) ?? own;
  const nowMs = () => clock.nowMs();
  return {
    duePurges: (shards) => run(() => duePurges(store.tables, shards)),
    advancePurge: (purgeId) => advancePurge({ rows, nowMs, system: system() }, purgeId),
  };
}

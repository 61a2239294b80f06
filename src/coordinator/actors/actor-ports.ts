/** Builds the ports of each kind of actor from the store, the evaluator and the gateway. */
import type { BatchPorts } from '../../actors/batch/batch.ports.ts';
import type { ChangesPorts } from '../../actors/change/change.ports.ts';
import type { DiagnosticPorts } from '../../actors/diagnostic/diagnostic.ports.ts';
import type { IngestPorts } from '../../actors/ingest/ingest.ports.ts';
import type { JobPorts } from '../../actors/job/job.ports.ts';
import type { JobRequestPorts } from '../../actors/job-request/job-request.ports.ts';
import type { NodePorts } from '../../actors/node/node.ports.ts';
import { purgeAddress } from '../../actors/purge/purge.messages.ts';
import type { PurgePorts } from '../../actors/purge/purge.ports.ts';
import type { RecipePorts } from '../../actors/recipe/recipe.ports.ts';
import type { RetentionPorts } from '../../actors/retention/retention.ports.ts';
import type { ScanPorts } from '../../actors/scan/scan.ports.ts';
import type { SchedulerPorts } from '../../actors/scheduler/scheduler.ports.ts';
import type { StatisticsPorts } from '../../actors/statistics/statistics.ports.ts';
import type { StrikePorts } from '../../actors/strike/strike.ports.ts';
import type { TypeUpdatePorts } from '../../actors/type-update/type-update.ports.ts';
import { reprocessRecipes } from '../../api/batches/reprocess.ts';
import { advanceJobRequest, JOB_PAGE, jobRequestRows, workOffBacklog } from '../../api/job-requests/pages.ts';
import { advancePurge, purgeRows } from '../../api/purges/advance.ts';
import { freshId } from '../../api/shared/requests.ts';
import { withOpenedWorkspaces } from '../../api/workspaces/opened-workspaces.ts';
import type { SchedulerSettings } from '../../domain/scheduling/snapshot.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';
import { matchRules } from '../../evaluator/match-rules.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AgentGateway } from '../../rpc/agent-gateway.ts';
import { removeEndedCredentials } from '../../store/account/access-tokens.ts';
import { removeOldAudit } from '../../store/audit/save.ts';
import { foldBatchCounts } from '../../store/batch/counts.ts';
import { batchPage, dueBatches, loadBatches } from '../../store/batch/load.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { dropOldChanges, extendChanges } from '../../store/change/partitions.ts';
import { tickAdder } from '../../store/change/ticks.ts';
import { finishDeletions } from '../../store/deletion/save.ts';
import { dueDiagnosticRuns, loadDiagnosticRuns } from '../../store/diagnostic/load.ts';
import { launchSpecs } from '../../store/execution/launch-load.ts';
import { purgedAt } from '../../store/file/tombstones.ts';
import { removeOldKeys } from '../../store/idempotency/keys.ts';
import { ingestsOfJobs, liveIngests, sourcesAt } from '../../store/ingest/load.ts';
import { dueJobs, loadJobs, runningExecutions } from '../../store/job/load.ts';
import { foldOutcomes } from '../../store/job/outcomes.ts';
import { heldChains } from '../../store/job-request/open-requests.ts';
import { dueJobRequests, loadJobRequests } from '../../store/job-request/save.ts';
import { removeTrials } from '../../store/job-type/trials.ts';
import { dropOldLogs, extendLogs, removeStrayLogs } from '../../store/log/partitions.ts';
import { sampleActivity } from '../../store/metrics/activity.ts';
import { foldStarts } from '../../store/metrics/daily-starts.ts';
import { foldHours } from '../../store/metrics/hour-totals.ts';
import { foldListCounts } from '../../store/metrics/list-counts.ts';
import { sampleLoad, sampleMinute } from '../../store/metrics/load-samples.ts';
import {
  activeWorkspaces,
  assignedTo,
  dueNodes,
  loadNodes,
  nodesReaching,
  unknownExecutions,
} from '../../store/node/load.ts';
import { duePurges } from '../../store/purge/steps.ts';
import { filterFacts } from '../../store/recipe/filter-facts.ts';
import { dueRecipes, loadRecipeTrees } from '../../store/recipe/load.ts';
import {
  removeOldJobs,
  removeOldRecipes,
  removeOldRecords,
  removeOldTries,
} from '../../store/retention/history.ts';
import { dueScans, liveIngestJobs, loadScans } from '../../store/scan/load.ts';
import { loadScheduler, loadSettings, queuedHeads } from '../../store/scheduler/load.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { deferredIngests, dueStrikes, loadStrikes, lostMonitors } from '../../store/strike/load.ts';
import { oldestTypeUpdate } from '../../store/type-update/save.ts';
import type { Tracing } from '../monitoring/tracing.ts';
import { conditionEvaluator } from './conditions.ts';
import { gatheredReads } from './gathered-reads.ts';
import { startFacts } from './start-facts.ts';

export interface PortParts {
  readonly sql: Sql;
  readonly log: Pick<Logger, 'error'>;
  readonly encryption: Encryption;
  readonly ids: IdPort;
  /** The object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  readonly revisions: RevisionCache;
  readonly evaluator: Evaluator;
  readonly gateway: Pick<AgentGateway, 'send' | 'dropSession'>;
  readonly nowMs: () => number;
  readonly applySettings: (settings: SchedulerSettings) => void;
  readonly watchQueue: StrikePorts['watchQueue'];
  /**
   * Updates the next page of recipe types that follow a new revision, in the thread for large bodies. Resolves with
   * whether no page is left.
   */
  readonly advanceTypeUpdates: (nowMs: number) => Promise<boolean>;
  /** Undefined: no traces are kept. */
  readonly tracing: Pick<Tracing, 'withParents'> | undefined;
  /** For requests to the owners of jobs. */
  readonly system: Pick<System, 'ask'>;
}

/** The ports of each kind of actor, by its name. */
export function actorPorts(parts: PortParts): Readonly<Record<string, unknown>> {
  return {
    scheduler: schedulerPorts(parts),
    node: nodePorts(parts),
    strike: strikePorts(parts),
    scan: scanPorts(parts),
    recipe: recipePorts(parts),
    job: jobPorts(parts),
    job_request: jobRequestPorts(parts),
    batch: batchPorts(parts),
    diagnostic: diagnosticPorts(parts),
    statistics: statisticsPorts(parts),
    purge: purgePorts(parts),
    type_update: typeUpdatePorts(parts),
    retention: retentionPorts(parts),
    changes: changesPorts(parts),
  };
}

function schedulerPorts({ sql, applySettings }: PortParts): SchedulerPorts {
  return {
    loadScheduler: () => loadScheduler(sql),
    queuedHeads: (args) => queuedHeads(sql, args),
    applySettings: async (settings) => applySettings(settings),
  };
}

// limits: keys of several actors' reads in one statement.
const FACTS_AT_ONCE = 100;
const NODES_AT_ONCE = 1_000;
const LAUNCHES_AT_ONCE = 500;

type NodePortParts = Pick<PortParts, 'sql' | 'log' | 'encryption' | 'gateway' | 's3Endpoint' | 'tracing'>;

export function nodePorts(parts: NodePortParts): NodePorts {
  const { sql, log, encryption, gateway, s3Endpoint, tracing } = parts;
  // All nodes are reconciled together, and a pass of the scheduler places jobs on many nodes.
  const assigned = gatheredReads((ids: readonly number[]) => assignedTo(sql, ids), NODES_AT_ONCE);
  const workspaces = gatheredReads(() => activeWorkspaces(sql), NODES_AT_ONCE);
  const specs = gatheredReads(async (ids: readonly number[]) => {
    const { launches, failed } = await launchSpecs(sql, encryption, ids, (executionId, error) =>
      log.error('launch_unreadable', { executionId, error }),
    );
    const traced = tracing === undefined ? launches : await tracing.withParents(launches);
    return { launches: byExecution(traced), failed: byExecution(failed) };
  }, LAUNCHES_AT_ONCE);
  return {
    loadNodes: (ids) => loadNodes(sql, ids),
    dueNodes: (shards) => dueNodes(sql, shards),
    assignedTo: async (id) => (await assigned([id])).get(id) ?? [],
    unknownExecutions: (ids) => unknownExecutions(sql, ids),
    async launchSpecs(ids) {
      const { launches, failed } = await specs(ids);
      const own = <T>(found: ReadonlyMap<number, T>): readonly T[] =>
        ids.flatMap((id) => found.get(id) ?? []);
      return { launches: own(launches), failed: own(failed) };
    },
    activeWorkspaces: () => workspaces([]),
    send: async ({ sessionId, messages }) =>
      gateway.send(sessionId, withOpenedWorkspaces(messages, { encryption, s3Endpoint })),
    dropSession: async ({ sessionId }) => gateway.dropSession(sessionId),
    loggingLevel: async () => (await loadSettings(sql)).loggingLevel,
  };
}

function byExecution<T extends { readonly executionId: number }>(list: readonly T[]): ReadonlyMap<number, T> {
  return new Map(list.map((one) => [one.executionId, one]));
}

function ingestPorts({ sql, revisions, evaluator }: PortParts): IngestPorts {
  return {
    matchRules: ({ rules, paths }) => matchRules(evaluator, rules, paths),
    nodesReaching: (ids) => nodesReaching(sql, ids),
    activeWorkspaces: () => activeWorkspaces(sql),
    async ingestFacts({ at, from, recipe }) {
      const [sources, purged, revision] = await Promise.all([
        sourcesAt(sql, at),
        purgedAt(sql, [...at, ...from]),
        recipe === null ? undefined : revisions.currentRecipeRevision(recipe.name, recipe.revisionNum),
      ]);
      return { sources, purged, revision: revision ?? null };
    },
    liveIngests: (page) => liveIngests(sql, page),
    ingestsOfJobs: (args) => ingestsOfJobs(sql, args),
  };
}

function strikePorts(parts: PortParts): StrikePorts {
  const { sql } = parts;
  return {
    ...ingestPorts(parts),
    loadStrikes: (ids) => loadStrikes(sql, ids),
    dueStrikes: (shards) => dueStrikes(sql, shards),
    lostMonitors: (shards) => lostMonitors(sql, shards),
    watchQueue: parts.watchQueue,
    deferredIngests: (page) => deferredIngests(sql, page),
  };
}

function scanPorts(parts: PortParts): ScanPorts {
  const { sql } = parts;
  return {
    ...ingestPorts(parts),
    loadScans: (ids) => loadScans(sql, ids),
    dueScans: (shards) => dueScans(sql, shards),
    liveIngestJobs: (id) => liveIngestJobs(sql, id),
  };
}

function recipePorts({ sql, revisions, evaluator, nowMs }: PortParts): RecipePorts {
  return {
    loadRecipeTrees: (ids) => loadRecipeTrees(sql, revisions, ids),
    dueRecipes: (shards, isTakenOver) => dueRecipes(sql, shards, nowMs(), isTakenOver),
    startFacts: startFacts(sql, revisions),
    recipeRevision: async (revId) => (await revisions.recipeRevisions([revId])).get(revId) ?? null,
    evaluateConditions: conditionEvaluator(
      evaluator,
      gatheredReads((ids) => filterFacts(sql, ids), FACTS_AT_ONCE),
    ),
    runningExecutions: (ids) => runningExecutions(sql, ids),
  };
}

function jobRequestPorts(parts: PortParts): JobRequestPorts {
  const pages = { rows: jobRequestRows(parts.sql), system: parts.system, pageSize: JOB_PAGE };
  return {
    loadJobRequests: (ids) => loadJobRequests(parts.sql, ids),
    dueJobRequests: (shards) => dueJobRequests(parts.sql, shards),
    advanceJobRequest: (request) => advanceJobRequest(pages, request),
    workOffBacklog: ({ request, belowId }) => workOffBacklog(pages, request, belowId),
  };
}

function jobPorts({ sql, revisions }: PortParts): JobPorts {
  return {
    loadJobs: (ids) => loadJobs(sql, revisions, ids),
    dueJobs: (shards) => dueJobs(sql, shards),
    runningExecutions: (ids) => runningExecutions(sql, ids),
  };
}

function batchPorts({ sql, revisions, system }: PortParts): BatchPorts {
  return {
    loadBatches: (ids) => loadBatches(sql, revisions, ids),
    dueBatches: (shards) => dueBatches(sql, shards),
    batchPage: (run) => batchPage(sql, run),
    async reprocessRecipes(orders) {
      // Earlier requests for many jobs come first. Chains that they hold are reprocessed by a later attempt.
      const held = await heldChains(
        sql,
        orders.map((order) => order.chainId),
      );
      const free = orders.filter((order) => !held.has(order.chainId));
      const report = await reprocessRecipes(system, free);
      return { ...report, failedCount: report.failedCount + orders.length - free.length };
    },
  };
}

function diagnosticPorts({ sql, revisions }: PortParts): DiagnosticPorts {
  return {
    loadDiagnosticRuns: (runIds) => loadDiagnosticRuns(sql, revisions, runIds),
    dueDiagnosticRuns: (shards) => dueDiagnosticRuns(sql, shards),
  };
}

function retentionPorts({ sql, ids }: PortParts): RetentionPorts {
  const newPurge = async () => {
    const id = await freshId(ids, 'purge');
    const { kind, key } = purgeAddress(id);
    return { id, shard: shardOf(kind, key) };
  };
  return {
    extendLogs: () => extendLogs(sql),
    async removeOldLogs(beforeMs) {
      await removeStrayLogs(sql, beforeMs);
      return dropOldLogs(sql, beforeMs);
    },
    async removeOldWork(beforeMs) {
      await removeOldRecords(sql, beforeMs);
      const more = [
        await removeOldAudit(sql, beforeMs),
        await removeOldRecipes(sql, beforeMs),
        await removeOldJobs(sql, beforeMs),
        await removeOldTries(sql, beforeMs),
      ];
      return more.includes(true);
    },
    removeEndedCredentials: (nowMs) => removeEndedCredentials(sql, nowMs),
    removeOldKeys: () => removeOldKeys(sql),
    finishDeletions: () => finishDeletions(sql),
    removeTrials: (nowMs) => removeTrials(sql, nowMs, newPurge),
    extendChanges: () => extendChanges(sql),
    removeOldChanges: (kept) => dropOldChanges(sql, kept),
  };
}

function changesPorts({ sql }: PortParts): ChangesPorts {
  return { addTick: tickAdder(sql) };
}

function purgePorts(parts: PortParts): PurgePorts {
  return {
    duePurges: (shards) => duePurges(parts.sql, shards),
    advancePurge: (purgeId) => advancePurge({ ...parts, rows: purgeRows(parts.sql) }, purgeId),
  };
}

function typeUpdatePorts({ sql, nowMs, advanceTypeUpdates }: PortParts): TypeUpdatePorts {
  return {
    hasTypeUpdates: async () => (await oldestTypeUpdate(sql)) !== undefined,
    advanceTypeUpdates: async () =>
      (await oldestTypeUpdate(sql)) === undefined || (await advanceTypeUpdates(nowMs())),
  };
}

function statisticsPorts({ sql }: PortParts): StatisticsPorts {
  return {
    sampleLoad: (atMs) => sampleLoad(sql, atMs),
    async sampleMinute(atMs) {
      await sampleMinute(sql, atMs);
      await sampleActivity(sql, atMs);
    },
    foldStarts: () => foldStarts(sql),
    foldBatchCounts: () => foldBatchCounts(sql),
    foldOutcomes: (nowMs) => foldOutcomes(sql, nowMs),
    foldHours: () => foldHours(sql),
    foldListCounts: () => foldListCounts(sql),
  };
}

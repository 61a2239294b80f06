/** What each kind of actor gets of the world: its ports, made of the store, the evaluator and the gateway. */
import { createHash } from 'node:crypto';
import type { DiagnosticPorts } from '../actors/diagnostic/diagnostic.ports.ts';
import type { JobPorts } from '../actors/job/job.ports.ts';
import type { JobRequestPorts } from '../actors/job-request/job-request.ports.ts';
import type { NodePorts } from '../actors/node/node.ports.ts';
import type { RecipePorts } from '../actors/recipe/recipe.ports.ts';
import type { SchedulerPorts } from '../actors/scheduler/scheduler.ports.ts';
import type { StatisticsPorts } from '../actors/statistics/statistics.ports.ts';
import type { StrikePorts } from '../actors/strike/strike.ports.ts';
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { System } from '../kernel/mod.ts';
import type { AgentGateway } from '../rpc/agent-gateway.ts';
import { foldStarts } from '../store/daily-starts.ts';
import { dueDiagnosticRuns, loadDiagnosticRuns } from '../store/diagnostic-loads.ts';
import { filterFacts } from '../store/filter-facts.ts';
import { dueJobs, loadJobs, runningExecutions } from '../store/job-loads.ts';
import { dueJobRequests, loadJobRequests } from '../store/job-requests.ts';
import { launchSpecs } from '../store/launch-loads.ts';
import { sampleLoad } from '../store/load-samples.ts';
import { activeWorkspaces, assignedTo, dueNodes, loadNodes, nodesReaching } from '../store/node-loads.ts';
import type { PlanStore } from '../store/plan-loads.ts';
import { dueRecipes, loadRecipeTrees } from '../store/recipe-loads.ts';
import { loadScheduler, loadSettings, queuedHeads } from '../store/scheduler-loads.ts';
import type { Seal } from '../store/sealing.ts';
import type { Sql } from '../store/sql.ts';
import {
  deferredIngests,
  dueStrikes,
  ingestsOfJobs,
  liveIngests,
  loadStrikes,
  sourcesAt,
} from '../store/strike-loads.ts';
import { conditionEvaluator } from './conditions.ts';
import { applyJobRequest } from './job-requests.ts';

export interface PortParts {
  readonly sql: Sql;
  readonly seal: Seal;
  readonly plans: PlanStore;
  readonly evaluator: Evaluator;
  readonly gateway: Pick<AgentGateway, 'send' | 'dropSession'>;
  readonly nowMs: () => number;
  readonly applySettings: (settings: SchedulerSettings) => void;
  /** How a port asks owners of jobs. */
  readonly system: Pick<System, 'ask'>;
}

/** By kind of actor. */
export function actorPorts(parts: PortParts): Readonly<Record<string, unknown>> {
  return {
    scheduler: schedulerPorts(parts),
    node: nodePorts(parts),
    strike: strikePorts(parts),
    recipe: recipePorts(parts),
    job: jobPorts(parts),
    job_request: jobRequestPorts(parts),
    diagnostic: diagnosticPorts(parts),
    statistics: statisticsPorts(parts),
  };
}

function schedulerPorts({ sql, applySettings }: PortParts): SchedulerPorts {
  return {
    loadScheduler: () => loadScheduler(sql),
    queuedHeads: (args) => queuedHeads(sql, args),
    applySettings: async (settings) => applySettings(settings),
  };
}

function nodePorts({ sql, seal, gateway }: PortParts): NodePorts {
  return {
    loadNodes: (ids) => loadNodes(sql, ids),
    dueNodes: (shards) => dueNodes(sql, shards),
    assignedTo: (id) => assignedTo(sql, id),
    launchSpecs: (ids) => launchSpecs(sql, seal, ids),
    activeWorkspaces: () => activeWorkspaces(sql),
    send: async ({ sessionId, messages }) => gateway.send(sessionId, messages),
    dropSession: async ({ sessionId }) => gateway.dropSession(sessionId),
    loggingLevel: async () => (await loadSettings(sql)).loggingLevel,
  };
}

function strikePorts({ sql, plans, evaluator }: PortParts): StrikePorts {
  return {
    loadStrikes: (ids) => loadStrikes(sql, ids),
    dueStrikes: (shards) => dueStrikes(sql, shards),
    async matchRules({ rules, paths }) {
      const key = createHash('sha256').update(JSON.stringify(rules)).digest('base64');
      return [...(await evaluator.matchRules({ key, rules }, paths))];
    },
    nodesReaching: (ids) => nodesReaching(sql, ids),
    activeWorkspaces: () => activeWorkspaces(sql),
    async ingestFacts({ at, recipe }) {
      const [sources, plan] = await Promise.all([
        sourcesAt(sql, at),
        recipe === null ? undefined : plans.currentRecipePlan(recipe.name, recipe.revisionNum),
      ]);
      return { sources, plan: plan ?? null };
    },
    liveIngests: (page) => liveIngests(sql, page),
    deferredIngests: (page) => deferredIngests(sql, page),
    ingestsOfJobs: (args) => ingestsOfJobs(sql, args),
  };
}

function recipePorts({ sql, plans, evaluator, nowMs }: PortParts): RecipePorts {
  return {
    loadRecipeTrees: (ids) => loadRecipeTrees(sql, plans, ids),
    dueRecipes: (shards, isTakenOver) => dueRecipes(sql, shards, nowMs(), isTakenOver),
    evaluateConditions: conditionEvaluator(evaluator, (ids) => filterFacts(sql, ids)),
    runningExecutions: (ids) => runningExecutions(sql, ids),
  };
}

function jobRequestPorts(parts: PortParts): JobRequestPorts {
  return {
    loadJobRequests: (ids) => loadJobRequests(parts.sql, ids),
    dueJobRequests: (shards) => dueJobRequests(parts.sql, shards),
    applyJobRequest: (request) => applyJobRequest(parts, request),
  };
}

function jobPorts({ sql, plans }: PortParts): JobPorts {
  return {
    loadJobs: (ids) => loadJobs(sql, plans, ids),
    dueJobs: (shards) => dueJobs(sql, shards),
    runningExecutions: (ids) => runningExecutions(sql, ids),
  };
}

function diagnosticPorts({ sql, plans }: PortParts): DiagnosticPorts {
  return {
    loadDiagnosticRuns: (runIds) => loadDiagnosticRuns(sql, plans, runIds),
    dueDiagnosticRuns: (shards) => dueDiagnosticRuns(sql, shards),
  };
}

function statisticsPorts({ sql }: PortParts): StatisticsPorts {
  return {
    sampleLoad: (atMs) => sampleLoad(sql, atMs),
    foldStarts: () => foldStarts(sql),
  };
}

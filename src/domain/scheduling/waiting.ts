/**
 * Why a queued job is not placed: the checks of a scheduling pass, in its order, on the same rows. The next pass places
 * a job that nothing prevents from being placed.
 */
import { type Amount, type Cause, cause, requeueOf, type Subject, subject } from '../cause.ts';
import { isPausing } from '../job/retry.ts';
import { comparedAmounts, rounded } from './amount-text.ts';
import { ClassQueue, isServedBefore } from './class-queue.ts';
import { isEligible } from './fleet.ts';
import { type NamedNode, placeJobs, unmetOf, unmetSentence } from './pass.ts';
import { missingNames } from './resources.ts';
import { PLACEMENTS_MAX, roomOf, type SchedulerState } from './scheduler-state.ts';
import type { SchedulingClass } from './scheduling-class.ts';
import type { QueuedJob } from './snapshot.ts';
import { type NodeFacts, notReady } from './unready.ts';

/** A workspace, and the nodes that do not reach it. */
export interface WorkspaceReach {
  readonly id: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly deactivatedMs: number | null;
  readonly unreached: readonly {
    readonly nodeId: number;
    readonly hostname: string;
    readonly reason: string | null;
    readonly checkedMs: number;
  }[];
}

export interface QueuedClassHead {
  readonly class: SchedulingClass;
  readonly job: QueuedJob;
}

export interface WaitingJob {
  readonly class: SchedulingClass;
  readonly job: QueuedJob;
  readonly notBeforeMs: number | null;
  readonly jobType: {
    readonly id: number;
    readonly name: string;
    readonly version: string;
    readonly pausedMs: number | null;
    readonly unmetSinceMs: number | null;
  };
  /** Queued jobs that are served before it: of its class, and of all others; each counted up to `AHEAD_MAX`. */
  readonly ahead: { readonly sameClass: number; readonly others: number };
}

export interface ClusterFacts {
  readonly nodes: readonly NodeFacts[];
  readonly workspaces: ReadonlyMap<number, WorkspaceReach>;
  /** The best queued job of each class. */
  readonly heads: readonly QueuedClassHead[];
}

/** limit: queued jobs counted before a job, in its class and in all others. */
export const AHEAD_MAX = 1_000;
// limit: nodes named by the causes of one job.
const NODES_MAX = 5;

/** Causes in the order of a pass. `state`: what the scheduler would know, loaded from rows. */
export function waitingCauses(
  state: SchedulerState,
  waiting: WaitingJob,
  facts: ClusterFacts,
  nowMs: number,
): readonly Cause[] {
  const causes: Cause[] = [];
  if (state.settings.isPaused) causes.push(SCHEDULER_PAUSED);
  if (state.types.get(waiting.class.jobTypeId)?.isPaused === true) causes.push(typePaused(waiting));
  if (waiting.notBeforeMs !== null && isPausing(waiting.notBeforeMs, nowMs))
    causes.push(retryPause(waiting, waiting.notBeforeMs, nowMs));
  if (roomOf(state, waiting.class.jobTypeId) <= 0) causes.push(typeLimit(state, waiting));
  causes.push(...placeCauses(state, waiting, facts, nowMs, causes.length === 0));
  return causes;
}

const SCHEDULER_PAUSED = cause('scheduler-paused', {
  reason: 'the scheduler is paused: nothing is placed',
  help: 'Resume the scheduler.',
  action: {
    ...{ title: 'Resume the scheduler', method: 'PATCH', path: '/v6/scheduler/' },
    body: { is_paused: false },
  },
});

function typePaused({ jobType }: WaitingJob): Cause {
  return cause('job-type-paused', {
    reason: 'its job type is paused',
    sinceMs: jobType.pausedMs,
    subjects: [typeSubject(jobType)],
    help: 'Resume the job type.',
    action: {
      ...{ title: 'Resume the job type', method: 'PATCH' },
      path: `/v6/job-types/${jobType.name}/${jobType.version}/`,
      body: { is_paused: false },
    },
  });
}

function typeSubject({ id, name }: WaitingJob['jobType']): Subject {
  return subject('job_type', id, name);
}

function retryPause({ job }: WaitingJob, dueMs: number, nowMs: number): Cause {
  const seconds = Math.ceil((dueMs - nowMs) / 1000);
  return cause('retry-pause', {
    reason: `it is tried again in ${seconds} s, after ${job.exeNum - 1} executions`,
    sinceMs: job.queuedMs,
    amounts: [
      {
        name: 'seconds',
        wanted: Math.ceil((dueMs - job.queuedMs) / 1000),
        there: Math.max(0, Math.floor((nowMs - job.queuedMs) / 1000)),
        node: null,
      },
    ],
    help: 'A job that somebody queues again does not wait.',
    action: requeueOf([job.jobId]),
  });
}

function typeLimit(state: SchedulerState, { jobType }: WaitingJob): Cause {
  const limit = state.types.get(jobType.id)?.maxScheduled ?? 0;
  const running = state.runningByType.get(jobType.id) ?? 0;
  return cause('job-type-limit', {
    reason: `${running} jobs of its type run, and max_scheduled of the type is ${limit}`,
    amounts: [{ name: 'jobs', wanted: running + 1, there: limit, node: null }],
    subjects: [typeSubject(jobType)],
    help: 'Raise max_scheduled of the job type, or wait until one of them ends.',
  });
}

/** The nodes that could run the job, and why none does now. `isFree`: nothing else prevents its placement. */
function placeCauses(
  state: SchedulerState,
  waiting: WaitingJob,
  facts: ClusterFacts,
  nowMs: number,
  isFree: boolean,
): readonly Cause[] {
  const ready = [...state.nodes.values()].filter((node) => node.isReady);
  const able = ready.filter((node) => couldHold(node, waiting.class));
  if (able.length === 0) return unableCauses(state, waiting, facts);
  const fitting = able.filter(({ free }) => missingNames(waiting.class.resources, free).length === 0);
  if (fitting.length === 0) return [busy(able, waiting.class), ...behind(state, waiting)];
  if (!isFree) return [];
  const pass = placeJobs({
    mode: state.settings.queueMode,
    nowMs,
    queues: queuesOf(state, waiting, facts.heads),
    nodes: ready,
    roomOf: (jobTypeId) => roomOf(state, jobTypeId),
    placementsMax: PLACEMENTS_MAX,
  });
  const kept = pass.reservations.filter(
    ({ nodeId, job }) => job.jobId !== waiting.job.jobId && fitting.some((node) => node.nodeId === nodeId),
  );
  const isPlaced = pass.placements.some(({ job }) => job.jobId === waiting.job.jobId);
  if (isPlaced) return waiting.ahead.sameClass === 0 ? [NEXT_PASS] : behindOwn(state, waiting);
  return [
    ...kept.slice(0, NODES_MAX).map(({ nodeId, job }) => reserved(facts, nodeId, job.jobId)),
    ...behind(state, waiting),
  ];
}

const NEXT_PASS = cause('next-pass', {
  reason: 'nothing prevents it: the next pass of the scheduler places it',
});

function couldHold(
  node: Pick<NamedNode, 'executors' | 'workspaceIds' | 'total'>,
  jobClass: SchedulingClass,
): boolean {
  return isEligible(node, jobClass) && missingNames(jobClass.resources, node.total).length === 0;
}

/** The heads of the classes and the job itself, as a pass would find them. */
function queuesOf(
  state: SchedulerState,
  waiting: WaitingJob,
  heads: readonly QueuedClassHead[],
): readonly ClassQueue[] {
  const queues = new Map<string, ClassQueue>();
  const offer = ({ class: jobClass, job }: QueuedClassHead): void => {
    if (state.types.get(jobClass.jobTypeId)?.isPaused === true) return;
    const known = queues.get(jobClass.key) ?? new ClassQueue(jobClass, state.settings.queueMode, true);
    queues.set(jobClass.key, known);
    known.offer(job);
  };
  for (const head of heads) if (isServedBefore(state.settings.queueMode, head.job, waiting.job)) offer(head);
  offer(waiting);
  return [...queues.values()];
}

/** No ready node could ever run the job: either other nodes could, or no node could. */
function unableCauses(state: SchedulerState, waiting: WaitingJob, facts: ClusterFacts): readonly Cause[] {
  const { class: jobClass, jobType } = waiting;
  if (facts.nodes.length === 0) {
    const help = 'Start an agent (docs/nodes.md).';
    return [cause('no-node', { reason: 'no agent has joined: there is no node', help })];
  }
  const named = facts.nodes.map(asNamed);
  const others = facts.nodes.filter((_, at) => couldHold(named[at] as NamedNode, jobClass));
  if (others.length > 0) {
    return others.slice(0, NODES_MAX).flatMap(notReady);
  }
  const online = [...state.nodes.values()];
  const considered = online.length > 0 ? online : named;
  const names = unmetOf(considered, jobClass);
  const sinceMs = jobType.unmetSinceMs;
  if (names[0] === 'workspace') return unreachedCauses(jobClass, facts, sinceMs);
  const reason = unmetSentence(considered, jobClass) ?? 'no node could run it';
  if (names[0]?.startsWith('executor ') === true) {
    const help = 'Start an agent that offers the executor (MILLRACE_EXECUTORS), or change container_image.';
    return [cause('no-executor', { reason, sinceMs, help })];
  }
  const amounts = names.flatMap((name) => amountsOf(considered, jobClass, name, ({ total }) => total));
  const help = 'Ask for less in the manifest of the job type, or add a node that has as much.';
  return [cause('resources-on-no-node', { reason, sinceMs, amounts, help })];
}

function asNamed(node: NodeFacts): NamedNode {
  return {
    ...{ nodeId: node.nodeId, hostname: node.hostname, total: node.total, free: node.total },
    executors: new Set(node.executors),
    workspaceIds: new Set(node.workspaceIds),
  };
}

function unreachedCauses(
  jobClass: SchedulingClass,
  facts: ClusterFacts,
  sinceMs: number | null,
): readonly Cause[] {
  return jobClass.workspaceIds.flatMap((id) => {
    const workspace = facts.workspaces.get(id);
    return workspace === undefined ? [] : workspaceCauses(workspace, sinceMs);
  });
}

/**
 * Why no node reaches the workspace: it is not active, or the failure of each node. Empty: no node has reported one.
 */
export function workspaceCauses(workspace: WorkspaceReach, sinceMs: number | null): readonly Cause[] {
  const { id, name, unreached } = workspace;
  const place = subject('workspace', id, name);
  if (!workspace.isActive) {
    return [
      cause('workspace-inactive', {
        reason: `the workspace ${name} is not active`,
        sinceMs: workspace.deactivatedMs,
        subjects: [place],
        help: 'Activate the workspace.',
        action: {
          ...{ title: 'Activate the workspace', method: 'PATCH', path: `/v6/workspaces/${id}/` },
          body: { is_active: true },
        },
      }),
    ];
  }
  if (unreached.length === 0) return [];
  const shown = unreached.slice(0, NODES_MAX);
  const texts = shown.map(
    ({ hostname, reason }) => `${hostname} does not reach ${name}${reason === null ? '' : `: ${reason}`}`,
  );
  const more = unreached.length > shown.length ? ` and ${unreached.length - shown.length} more` : '';
  return [
    cause('workspace-unreached', {
      reason: `${texts.join('; ')}${more}`,
      sinceMs,
      subjects: [place, ...shown.map((one) => subject('node', one.nodeId, one.hostname))],
      help: 'Fix what the node reports (mount, directory, address, credentials); agents check again by themselves.',
    }),
  ];
}

function busy(
  able: readonly (NamedNode & { readonly free: Readonly<Record<string, number>> })[],
  jobClass: SchedulingClass,
): Cause {
  const shown = able.slice(0, NODES_MAX);
  const amounts = shown.flatMap((node) =>
    missingNames(jobClass.resources, node.free).flatMap((name) =>
      amountsOf([node], jobClass, name, ({ free }) => free),
    ),
  );
  const texts = amounts.map(({ name, wanted, there, node }) => {
    const told = comparedAmounts(name, wanted, there);
    return `${node} has ${told.there} free, and it asks for ${told.wanted}`;
  });
  return cause('nodes-busy', {
    reason: `every node that could run it is busy: ${texts.join('; ')}`,
    amounts,
    subjects: shown.map(({ nodeId, hostname }) => subject('node', nodeId, hostname)),
    help: 'Wait until jobs end there, cancel some, or add a node.',
  });
}

function amountsOf(
  nodes: readonly NamedNode[],
  jobClass: SchedulingClass,
  name: string,
  room: (node: NamedNode) => Readonly<Record<string, number>>,
): readonly Amount[] {
  const wanted = rounded(jobClass.resources[name] ?? 0);
  // What was sent ahead to a node exceeds what it has.
  const there = (node: NamedNode): number => Math.max(0, rounded(room(node)[name] ?? 0));
  return [...nodes]
    .sort((one, other) => there(other) - there(one))
    .slice(0, NODES_MAX)
    .map((node) => ({ name, wanted, there: there(node), node: node.hostname }));
}

function reserved({ nodes }: ClusterFacts, nodeId: number, jobId: number): Cause {
  const hostname = nodes.find((node) => node.nodeId === nodeId)?.hostname ?? `node ${nodeId}`;
  return cause('node-reserved', {
    reason:
      `the node ${hostname} has room, and is kept free for the job ${jobId}, which has waited longer and fits ` +
      'nowhere',
    subjects: [subject('node', nodeId, hostname), subject('job', jobId)],
    help: 'Wait until that job has run, or cancel it.',
  });
}

/** The cause that jobs before it in the queue wait for the same nodes. */
function behind(state: SchedulerState, { job, ahead }: WaitingJob): readonly Cause[] {
  const count = ahead.sameClass + ahead.others;
  if (count === 0) return [];
  const isCut = ahead.sameClass >= AHEAD_MAX || ahead.others >= AHEAD_MAX;
  const order = state.settings.queueMode === 'FIFO' ? 'been queued earlier' : 'been queued later (LIFO)';
  return [
    cause('behind-others', {
      reason:
        `${count}${isCut ? ' or more' : ''} queued jobs come before it: their priority number is smaller than ` +
        `${job.priority}, or they have ${order}; ${ahead.sameClass} of them ask for the same`,
      amounts: [{ name: 'jobs', wanted: 0, there: count, node: null }],
      help: 'Queue it again with a smaller priority, or wait.',
    }),
  ];
}

/** The cause that earlier jobs of its class are placed first. */
function behindOwn(state: SchedulerState, waiting: WaitingJob): readonly Cause[] {
  return behind(state, { ...waiting, ahead: { ...waiting.ahead, others: 0 } });
}

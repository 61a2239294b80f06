/** Builds the status document from facts of the installation. Pure: everything is passed in. */
import type { HostTask } from '../../domain/node/agent-messages.ts';
import type { NodeCondition } from '../../domain/node/node.ts';
import { type ShownState, shownState } from '../../domain/node/shown-state.ts';
import type {
  EndedCount,
  RecentWork,
  StatusFacts,
  StatusJobType,
  StatusNode,
} from '../../store/status/facts.ts';
import type { StatusDocument } from './schema.ts';

export interface StatusReadings {
  readonly nowMs: number;
  readonly isSchedulerPaused: boolean;
  readonly messageHandlerCount: number;
  readonly nodes: readonly StatusNode[];
  readonly ended: readonly EndedCount[];
  readonly recent: RecentWork;
  readonly recentMs: number;
  readonly facts: StatusFacts;
  readonly cluster: string;
  /** `host:port` of the coordinator that owns the scheduler. */
  readonly schedulerAddress: string;
  readonly warnings: readonly NodeCondition[];
  readonly queue: {
    readonly depth: number;
    readonly type: string;
    readonly warnings: readonly { readonly name: string; readonly description: string }[];
  };
  /** Why secrets cannot be encrypted and decrypted; undefined if they can. */
  readonly secretsProblem: string | undefined;
  readonly databaseMs: number;
}

type Dependency = StatusDocument['dependencies']['logs'];
type Amounts = StatusDocument['resources']['cpus'];
type Node = StatusDocument['nodes'][number];

const RESOURCES = ['mem', 'gpus', 'disk', 'cpus'] as const;
const NOTHING: Amounts = { offered: 0, total: 0, running: 0, free: 0, unavailable: 0 };
/** The share of nodes that may be offline or degraded before it is an error. */
const FAULTY_SHARE_MAX = 0.3;
/** The number of waiting messages above which there is a warning. */
const QUEUE_DEPTH_MAX = 10_000;

/** Without the list of job types. */
export function statusDocument(readings: StatusReadings): Omit<StatusDocument, 'job_types'> {
  const { facts, isSchedulerPaused } = readings;
  const endedOf = Map.groupBy(readings.ended, (one) => one.nodeId);
  const types = new Map(facts.systemTypes.map((type) => [type.id, type]));
  const nodes = readings.nodes.map((node) => {
    const state = shownState({ ...node, errorCount: node.errors.length }, isSchedulerPaused);
    return nodeOf(node, state, endedOf.get(node.id) ?? [], types);
  });
  const active = nodes.filter((node) => node.is_active);
  return {
    timestamp: new Date(readings.nowMs).toISOString(),
    dependencies: dependenciesOf(readings, active),
    scheduler: schedulerOf(readings),
    system: {
      database_update: { is_completed: true, completed: facts.migrated },
      services: servicesOf(readings, active),
    },
    secrets_store: secretsOf(readings.secretsProblem),
    num_offers: nodes.reduce((sum, node) => sum + node.num_offers, 0),
    resources: sumOf(active.map((node) => node.resources)),
    nodes,
  };
}

function nodeOf(
  node: StatusNode,
  state: ShownState,
  ended: readonly EndedCount[],
  types: ReadonlyMap<number, StatusJobType>,
): Node {
  const resources = resourcesOf(node, state);
  return {
    id: node.id,
    hostname: node.hostname,
    agent_id: node.agentId,
    is_active: node.isActive,
    state,
    errors: node.errors.map(conditionOf),
    warnings: node.warnings.map(conditionOf),
    node_tasks: node.isOnline ? (node.host?.tasks ?? []).map(nodeTaskOf) : [],
    system_tasks: systemTasksOf(node, types),
    // An agent's offer is valid until it is replaced. An empty one does not count.
    num_offers: resources.cpus.offered > 0 && resources.mem.offered > 0 ? 1 : 0,
    resources,
    job_executions: executionsOf(node, ended),
  };
}

const NODE_TASKS: Readonly<Record<string, { readonly title: string; readonly description: string }>> = {
  'image-pull': { title: 'Image Pull', description: 'Executions that wait for their image' },
  cleanup: { title: 'Node Cleanup', description: 'Folders of ended executions that are being removed' },
};

function nodeTaskOf({ type, count }: HostTask): Node['node_tasks'][number] {
  return { type, ...(NODE_TASKS[type] ?? { title: type, description: '' }), count };
}

/** The system jobs that run on the node: monitors of strikes, listings of scans, ingests. */
function systemTasksOf(
  { running }: StatusNode,
  types: ReadonlyMap<number, StatusJobType>,
): Node['system_tasks'] {
  return running.flatMap(({ job_type_id, count }) => {
    const type = types.get(job_type_id);
    if (type?.is_system !== true) return [];
    const { name, title, description } = type;
    return [{ type: name, title, description, count }];
  });
}

/**
 * The resources of a node: `total` is the sum of running, offered, free and unavailable. A node that is offline or not
 * active has nothing free.
 */
function resourcesOf(node: StatusNode, state: ShownState): Node['resources'] {
  const { total: given, held, host, isActive, isOnline } = node;
  const names = new Set<string>([...RESOURCES, ...Object.keys(given), ...Object.keys(host?.resources ?? {})]);
  const amounts = [...names].map((name): [string, Amounts] => {
    // An agent may be configured with more than its host has.
    const total = Math.max(host?.resources[name] ?? 0, given[name] ?? 0);
    // Executions that wait on the node for room do not run yet.
    const running = Math.min(held[name] ?? 0, total);
    const rest = isActive && isOnline ? Math.max(0, (given[name] ?? 0) - running) : 0;
    const [offered, free] = state.name === 'READY' ? [rest, 0] : [0, rest];
    return [name, { offered, total, running, free, unavailable: Math.max(0, total - running - rest) }];
  });
  return withAll(Object.fromEntries(amounts));
}

/** The four resources that every node has, and all others. */
function withAll(amounts: Readonly<Record<string, Amounts>>): Node['resources'] {
  return { mem: NOTHING, gpus: NOTHING, disk: NOTHING, cpus: NOTHING, ...amounts };
}

function sumOf(all: readonly Node['resources'][]): Node['resources'] {
  const sums: Record<string, Amounts> = {};
  for (const [name, amounts] of all.flatMap((one) => Object.entries(one) as [string, Amounts][])) {
    const sum = sums[name] ?? NOTHING;
    sums[name] = {
      offered: sum.offered + amounts.offered,
      total: sum.total + amounts.total,
      running: sum.running + amounts.running,
      free: sum.free + amounts.free,
      unavailable: sum.unavailable + amounts.unavailable,
    };
  }
  return withAll(sums);
}

function executionsOf(node: StatusNode, ended: readonly EndedCount[]): Node['job_executions'] {
  const countsFor = (outcome: EndedCount['outcome']) =>
    countsOf(ended.filter((one) => one.outcome === outcome));
  const [data, algorithm, system] = [countsFor('DATA'), countsFor('ALGORITHM'), countsFor('SYSTEM')];
  const running = node.running.reduce((sum, one) => sum + one.count, 0);
  return {
    running: { total: running, by_job_type: [...node.running] },
    completed: countsFor('COMPLETED'),
    failed: { total: data.total + algorithm.total + system.total, data, algorithm, system },
  };
}

function countsOf(ended: readonly EndedCount[]): Node['job_executions']['completed'] {
  const byType = new Map<number, number>();
  for (const one of ended) byType.set(one.jobTypeId, (byType.get(one.jobTypeId) ?? 0) + one.count);
  const sorted = [...byType].sort(([a], [b]) => a - b);
  return {
    total: ended.reduce((sum, one) => sum + one.count, 0),
    by_job_type: sorted.map(([job_type_id, count]) => ({ job_type_id, count })),
  };
}

function conditionOf(condition: NodeCondition): StatusDocument['scheduler']['warnings'][number] {
  const { name, title, description, startedMs, lastUpdatedMs } = condition;
  return {
    ...{ name, title, description },
    started: new Date(startedMs).toISOString(),
    last_updated: new Date(lastUpdatedMs).toISOString(),
  };
}

function schedulerOf(readings: StatusReadings): StatusDocument['scheduler'] {
  const { recent, recentMs, schedulerAddress: address } = readings;
  const perSecond = (count: number) => rounded((count * 1_000) / recentMs);
  const hostname = address.replace(/:\d+$/, '');
  const [launched, ended] = [perSecond(recent.launched), perSecond(recent.ended)];
  return {
    metrics: {
      task_updates_per_sec: ended,
      new_offers_per_sec: perSecond(recent.endedNodes),
      jobs_finished_per_sec: ended,
      jobs_launched_per_sec: launched,
      tasks_launched_per_sec: launched,
      offers_launched_per_sec: perSecond(recent.launchedNodes),
      tasks_finished_per_sec: ended,
    },
    hostname,
    cluster_manager: {
      framework_id: readings.cluster,
      master_hostname: hostname,
      master_port: Number(/:(\d+)$/.exec(address)?.[1] ?? 0),
    },
    state: readings.isSchedulerPaused
      ? { name: 'PAUSED', title: 'Paused', description: 'No new jobs are started; running jobs continue.' }
      : { name: 'READY', title: 'Ready', description: 'Ready to run new jobs.' },
    warnings: readings.warnings.map(conditionOf),
  };
}

/** Rounded for people: above 100 to whole numbers, above 10 to one decimal, else to two. */
export function rounded(rate: number): number {
  const digits = rate > 100 ? 0 : rate > 10 ? 1 : 2;
  return Number(rate.toFixed(digits));
}

function servicesOf(
  { facts, isSchedulerPaused: _, nodes }: StatusReadings,
  active: readonly Node[],
): StatusDocument['system']['services'] {
  const { live, known } = facts.coordinators;
  const online = nodes.filter((node) => node.isActive && node.isOnline).length;
  return [
    {
      ...{ name: 'coordinator', title: 'Coordinator' },
      description: 'Serves the interface, decides and schedules',
      ...{ actual_count: live, desired_count: known },
    },
    {
      ...{ name: 'agent', title: 'Node agent' },
      description: 'Runs tasks and moves files, one on each active node',
      ...{ actual_count: online, desired_count: active.length },
    },
  ];
}

function secretsOf(problem: string | undefined): StatusDocument['secrets_store'] {
  if (problem === undefined) return { status: 'Ok', sealed: false, message: '' };
  return { status: 'Invalid Secret', sealed: false, message: problem };
}

function dependenciesOf(readings: StatusReadings, active: readonly Node[]): StatusDocument['dependencies'] {
  const { queue, databaseMs, facts, messageHandlerCount } = readings;
  const isLong = queue.depth > QUEUE_DEPTH_MAX;
  return {
    logs: fine('Logs of tasks are kept in the database', {
      ...{ logging_address: facts.databaseAddress, logging_health_address: '' },
    }),
    msg_queue: {
      ...fine(isLong ? 'Messages wait' : 'Messages are delivered', {
        ...{ type: queue.type, queue_name: readings.cluster, queue_depth: queue.depth },
        ...{ num_message_handlers: messageHandlerCount, region_name: facts.queueRegions },
      }),
      warnings: [
        ...(isLong ? [{ LARGE_QUEUE: `${queue.depth} messages wait` }] : []),
        ...queue.warnings.map(({ name, description }) => ({ [name]: description })),
      ],
    },
    database: fine('The database answers', { response_ms: databaseMs }),
    search_index: fine('not used'),
    nodes: nodesDependency(active),
    idam: fine('not used'),
    image_catalog: fine('not used'),
  };
}

function fine(msg: string, detail: Readonly<Record<string, unknown>> = {}): Dependency {
  return { OK: true, detail: { msg, ...detail }, errors: [], warnings: [] };
}

function nodesDependency(active: readonly Node[]): Dependency {
  if (active.length === 0) {
    const errors = [{ NODES_OFFLINE: 'no node is known' }];
    return { OK: false, detail: { msg: 'No nodes' }, errors, warnings: [] };
  }
  const countIn = (state: string) => active.filter((node) => node.state.name === state).length;
  const [offline, degraded] = [countIn('OFFLINE'), countIn('DEGRADED')];
  const warnings: Record<string, string>[] = [];
  if (offline > 0) warnings.push({ NODES_OFFLINE: `${offline} of ${active.length} nodes are offline` });
  if (degraded > 0) warnings.push({ NODES_DEGRADED: `${degraded} of ${active.length} nodes are degraded` });
  const isOk = offline + degraded <= FAULTY_SHARE_MAX * active.length;
  const text = `${offline + degraded} of ${active.length} nodes are offline or degraded`;
  return {
    OK: isOk,
    detail: { msg: isOk ? 'Enough nodes are healthy' : 'Too many nodes are offline or degraded' },
    errors: isOk ? [] : [{ NODES_ERRORED: text }],
    warnings,
  };
}

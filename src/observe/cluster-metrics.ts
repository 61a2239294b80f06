/**
 * The metrics of the whole cluster in Prometheus's text format. prom-client would block the event loop for 100 ms with
 * a thousand nodes, so they are written here, a slice at a time.
 */
import { setImmediate as afterOthers } from 'node:timers/promises';
import type { ClusterFigures, NodeFigures } from '../domain/metrics/cluster-figures.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

/** Samples written before the event loop runs other work. */
const SLICE = 500;

/** The metrics as Prometheus reads them. */
export async function clusterText(figures: ClusterFigures): Promise<string> {
  const lines: string[] = [];
  let written = 0;
  for (const { name, help, samples } of familiesOf(figures)) {
    lines.push(`# HELP millrace_${name} ${help}`, `# TYPE millrace_${name} gauge`);
    for (const { labels, value } of samples) {
      lines.push(`millrace_${name}${labelsText(labels)} ${value}`);
      written += 1;
      if (written % SLICE === 0) await afterOthers();
    }
  }
  return `${lines.join('\n')}\n`;
}

function labelsText(labels: Sample['labels']): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function familiesOf(figures: ClusterFigures): Family[] {
  const { jobs, ingests, recipes, database } = figures;
  const one = (name: string, help: string, value: number): Family => ({ name, help, samples: [{ value }] });
  const by = (name: string, help: string, samples: Iterable<Sample>): Family => ({ name, help, samples });
  const recipesThat = (isCompleted: boolean) =>
    recipes.find((one) => one.isCompleted === isCompleted)?.count ?? 0;
  return [
    by(
      'jobs',
      'Jobs by type and status, without superseded ones.',
      jobs.map(({ name, version, status, count }) => {
        return { labels: { job_type: name, job_type_version: version, status }, value: count };
      }),
    ),
    by(
      'ingests',
      'Ingests by status.',
      ingests.map(({ status, count }) => ({ labels: { status }, value: count })),
    ),
    by('recipes', 'Recipes, without superseded ones.', [
      { labels: { status: 'active' }, value: recipesThat(false) },
      { labels: { status: 'completed' }, value: recipesThat(true) },
    ]),
    one(
      'queue_oldest_seconds',
      'How long the job that waits longest has been queued, of types that are not paused.',
      figures.oldestQueuedS,
    ),
    one('scheduler_paused', '1 while the scheduler is paused.', Number(figures.isSchedulerPaused)),
    one('job_types_unmet', 'Active job types that need resources that no node has.', figures.unmetTypes),
    one('coordinators', 'Coordinators that are running.', figures.coordinators),
    ...familiesOfNodes(figures.nodes.filter(({ isActive }) => isActive)),
    one('database_size_bytes', 'The size of the database.', database.bytes),
    one('database_connections', 'Connections of all programs to the database.', database.connections),
    one('database_connections_limit', 'Connections that the server allows.', database.connectionsMax),
  ];
}

const STATES = ['online', 'paused', 'offline'] as const;

function familiesOfNodes(nodes: readonly NodeFigures[]): Family[] {
  const byNode = (name: string, help: string, amountOf: (node: NodeFigures) => number): Family => {
    const samples = nodes.map((node) => ({ labels: { node: node.hostname }, value: amountOf(node) }));
    return { name, help, samples };
  };
  return [
    {
      name: 'nodes',
      help: 'Active nodes by state.',
      samples: STATES.map((state) => {
        return { labels: { state }, value: nodes.filter((node) => stateOf(node) === state).length };
      }),
    },
    byNode('node_online', '1 while the agent of an active node is connected.', ({ isOnline }) =>
      Number(isOnline),
    ),
    byNode('node_executions', 'Executions that run on a node.', ({ running }) => {
      return running.reduce((sum, { count }) => sum + count, 0);
    }),
    {
      name: 'node_resources_offered',
      help: 'What a node offers to jobs: cpus in cores, mem and disk in MiB, others as named.',
      samples: resourcesOf(nodes, (node, resource) => node.total[resource] ?? 0),
    },
    {
      name: 'node_resources_held',
      help: 'What running executions hold of the resources of a node.',
      samples: resourcesOf(nodes, (node, resource) => node.held[resource] ?? 0),
    },
  ];
}

/** A sample for each resource of a node. */
function* resourcesOf(
  nodes: readonly NodeFigures[],
  amountOf: (node: NodeFigures, resource: string) => number,
): Iterable<Sample> {
  for (const node of nodes) {
    for (const resource of Object.keys(node.total)) {
      yield { labels: { node: node.hostname, resource }, value: amountOf(node, resource) };
    }
  }
}

function stateOf({ isOnline, isPaused }: NodeFigures): (typeof STATES)[number] {
  if (!isOnline) return 'offline';
  return isPaused ? 'paused' : 'online';
}

/** `node …`: the hosts that run jobs. */
import type { Command } from 'commander';
import type { AnswerOf } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { findNodeId } from '../frame/references.ts';
import { repeatable, WATCH } from '../live/live.ts';

export function addNodes(program: Command, run: Run): void {
  const node = program.command('node').summary('nodes: list, drain, resume');
  node
    .command('list')
    .summary('all nodes')
    .addHelpText('after', examples('node list'))
    .option(...WATCH)
    .action(run(repeatable(listNodes)));
  node
    .command('drain')
    .argument('<host>')
    .summary('give it no more jobs; those that run there go on')
    .option('--reason <text>', 'shown with the node', 'drained')
    .option('--wait', 'until nothing runs there')
    .addHelpText('after', examples('node drain host-1 --reason "new disk" --wait'))
    .action(run(drain));
  node
    .command('resume')
    .argument('<host>')
    .summary('give it jobs again')
    .addHelpText('after', examples('node resume host-1'))
    .action(run(resume));
}

async function listNodes(context: Context): Promise<void> {
  const client = await context.client();
  const nodes = [];
  for await (const node of client.list('/v6/nodes/', { signal: context.signal })) nodes.push(node);
  context.records(
    nodes,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'HOST', value: ({ hostname }) => hostname },
      {
        title: 'STATE',
        value: (one) => (one.is_active ? (one.is_paused ? 'paused' : 'active') : 'inactive'),
      },
      { title: 'REASON', value: ({ pause_reason: reason }) => reason },
    ],
    ({ hostname }) => hostname,
  );
}

async function drain(
  context: Context,
  options: { readonly reason: string; readonly wait?: boolean },
  host: string,
): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const id = await findNodeId(client, host);
  const body = { is_paused: true, pause_reason: options.reason };
  const { cursor } = await client.get('/v6/changes/', { query: { limit: 1 }, signal });
  await client.patch('/v6/nodes/{id}/', { path: { id }, body, signal });
  context.note(`${host} gets no more jobs`);
  if (options.wait !== true) return;
  const running = async () => jobsOn(id, await client.get('/v6/status/', { signal }));
  if ((await running()) > 0) {
    const filters = { kind: ['execution' as const], node_id: [id] };
    const ended = client.changes({ filters, after: cursor, signal, retryForMs: Number.POSITIVE_INFINITY });
    for await (const _ of ended) if ((await running()) === 0) break;
  }
  context.note(`nothing runs on ${host}`);
}

/** How many jobs run on a node, without those of strikes and scans, which stay where they are. */
function jobsOn(id: number, { nodes, job_types: types }: AnswerOf<'get', '/v6/status/'>): number {
  const ofSystem = new Set(types.filter(({ is_system: isSystem }) => isSystem).map((type) => type.id));
  const { by_job_type: counts } = nodes.find((node) => node.id === id)?.job_executions.running ?? {
    by_job_type: [],
  };
  return counts.reduce((sum, { job_type_id: type, count }) => sum + (ofSystem.has(type) ? 0 : count), 0);
}

async function resume(context: Context, _options: unknown, host: string): Promise<void> {
  const client = await context.client();
  const path = { id: await findNodeId(client, host) };
  await client.patch('/v6/nodes/{id}/', { path, body: { is_paused: false }, signal: context.signal });
  context.note(`${host} gets jobs again`);
}

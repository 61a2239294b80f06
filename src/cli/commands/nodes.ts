/** `node …`: the hosts that run jobs. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { change, DRY_RUN, unchanged } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { findNodeId } from '../frame/references.ts';
import { patient, waitFor } from '../frame/waiting.ts';
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
    .summary('start no more jobs on a node; those that run there continue')
    .option('--reason <text>', 'shown with the node', 'drained')
    .option('--wait', 'until nothing runs there')
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      examples('node drain host-1 --reason "new disk" --wait', 'node drain host-1 --dry-run'),
    )
    .action(run(drain));
  node
    .command('resume')
    .argument('<host>')
    .summary('start jobs on a node again')
    .option(...DRY_RUN)
    .addHelpText('after', examples('node resume host-1'))
    .action(run(resume));
}

async function listNodes(context: Context): Promise<void> {
  const client = await context.client();
  const nodes = [];
  const { signal } = context;
  for await (const node of client.list('/v6/nodes/', { signal })) nodes.push(node);
  const { nodes: shown } = await client.get('/v6/status/', { query: { fields: 'nodes' }, signal });
  const shownOf = new Map(shown.map((one) => [one.id, one]));
  context.records(
    nodes,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'HOST', value: ({ hostname }) => hostname },
      { title: 'STATE', value: (one) => stateOf(one, shownOf.get(one.id)) },
      { title: 'REASON', value: (one) => one.pause_reason ?? problemsOf(shownOf.get(one.id)) },
      { title: 'EXECUTORS', isWide: true, value: ({ executors }) => executors.join(', ') },
    ],
    ({ hostname }) => hostname,
  );
}

type Shown = AnswerOf<'get', '/v6/status/'>['nodes'][number];

/** The status may be two seconds old: what the commands of nodes change is taken from the record. */
function stateOf(
  record: { readonly is_active: boolean; readonly is_paused: boolean },
  shown: Shown | undefined,
): string {
  if (!record.is_active) return 'inactive';
  if (shown?.state.name === 'OFFLINE') return 'offline';
  if (record.is_paused) return 'paused';
  return shown?.state.name === 'DEGRADED' ? 'degraded' : 'active';
}

function problemsOf(shown: Shown | undefined): string | null {
  const titles = [...(shown?.errors ?? []), ...(shown?.warnings ?? [])].map(({ title }) => title);
  return titles.length === 0 ? null : titles.join(', ');
}

async function drain(
  context: Context,
  options: { readonly reason: string; readonly wait?: boolean },
  host: string,
): Promise<void> {
  const client = await context.client();
  const id = await findNodeId(client, host);
  const body = { is_paused: true, pause_reason: options.reason };
  await setPaused(context, client, id, body);
  if (options.wait !== true || context.options.dryRun) return;
  const filters = { kind: ['job' as const, 'execution' as const], node_id: [id] };
  await waitFor(
    context,
    client,
    filters,
    () => isBusy(context, client, id),
    (isStillBusy) => !isStillBusy,
  );
  context.note(`nothing runs on ${host}`);
}

/**
 * Whether jobs run on a node, apart from those of strikes and scans, which stay there. Counted from the list of jobs:
 * `/v6/status/` may be two seconds old, and after the last change there is none that would cause another read.
 */
async function isBusy(context: Context, client: Client, id: number): Promise<boolean> {
  const query = { running_node_id: [id] };
  for await (const { job_type: type } of client.list('/v6/jobs/', { query, ...patient(context) }))
    if (!type.is_system) return true;
  return false;
}

async function resume(context: Context, _options: unknown, host: string): Promise<void> {
  const client = await context.client();
  await setPaused(context, client, await findNodeId(client, host), { is_paused: false });
}

async function setPaused(
  context: Context,
  client: Client,
  id: number,
  body: { readonly is_paused: boolean; readonly pause_reason?: string },
): Promise<void> {
  const { signal } = context;
  const path = { id };
  const { hostname, is_paused: isPausedNow } = await client.get('/v6/nodes/{id}/', { path, signal });
  const effect = body.is_paused ? 'gets no more jobs' : 'gets jobs again';
  const does = `${body.is_paused ? 'drains' : 'resumes'} node ${hostname}: it ${effect}`;
  await change(context, client, isPausedNow === body.is_paused ? unchanged(isPausedNow) : does, async () => {
    await client.patch('/v6/nodes/{id}/', { path, body, signal });
    context.note(`${hostname} ${effect}`);
  });
}

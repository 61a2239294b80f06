/** `status`, `queue`, `pause`, `resume`: the service as a whole. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { change, DRY_RUN, unchanged } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { repeatable, WATCH } from '../live/live.ts';

export function addStatus(program: Command, run: Run): void {
  program
    .command('status')
    .summary('nodes, jobs and warnings at a glance')
    .addHelpText('after', examples('status', 'status -o json'))
    .option(...WATCH)
    .action(run(repeatable(status)));
  program
    .command('queue')
    .summary('what waits, by job type')
    .addHelpText('after', examples('queue'))
    .option(...WATCH)
    .action(run(repeatable(queue)));
  program
    .command('pause')
    .summary('start no more jobs; those that run continue')
    .option(...DRY_RUN)
    .addHelpText('after', examples('pause', 'pause --dry-run'))
    .action(run((context) => setPaused(context, true)));
  program
    .command('resume')
    .summary('start jobs again')
    .option(...DRY_RUN)
    .addHelpText('after', examples('resume'))
    .action(run((context) => setPaused(context, false)));
}

async function status(context: Context): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const all = await client.get('/v6/status/', { signal });
  if (context.isStructured) return context.document(all);
  if (context.options.output !== 'name') await showSummary(context, client, all);
  context.records(
    all.nodes,
    [
      { title: 'NODE', value: ({ hostname }) => hostname },
      { title: 'STATE', value: ({ state }) => state.name },
      { title: 'RUNNING', value: (node) => node.job_executions.running.total },
      { title: 'WARNINGS', value: ({ warnings, errors }) => warnings.length + errors.length },
    ],
    ({ hostname }) => hostname,
  );
}

async function showSummary(
  context: Context,
  client: Client,
  { scheduler, nodes, dependencies }: AnswerOf<'get', '/v6/status/'>,
): Promise<void> {
  const { signal } = context;
  const version = await client.get('/v6/version/', { signal });
  const [queued, running, failed] = await Promise.all(
    (['QUEUED', 'RUNNING', 'FAILED'] as const).map((one) =>
      client.count('/v6/jobs/', { query: { status: [one], is_superseded: false }, signal }),
    ),
  );
  context.printWrapped(`Millrace ${version.version}, scheduler ${scheduler.state.name}`);
  context.printWrapped(`jobs: ${queued} queued, ${running} running, ${failed} failed`);
  for (const { title, description } of scheduler.warnings)
    context.printWrapped(`warning: ${title}: ${description}`);
  for (const [name, { OK: isOk, detail }] of Object.entries(dependencies)) {
    if (!isOk) context.printWrapped(`not well: ${name}: ${(detail as { msg?: string }).msg ?? ''}`);
  }
  for (const { hostname, errors, warnings } of nodes) {
    for (const { title, description } of [...errors, ...warnings])
      context.printWrapped(`${hostname}: ${title}: ${description}`);
  }
  context.print('');
}

async function queue(context: Context): Promise<void> {
  const client = await context.client();
  const { results } = await client.get('/v6/queue/status/', {
    query: { page_size: 1_000 },
    signal: context.signal,
  });
  context.records(
    results,
    [
      { title: 'TYPE', value: ({ job_type: type }) => `${type.name} ${type.version}` },
      { title: 'QUEUED', value: ({ count }) => count },
      { title: 'PRIORITY', value: ({ highest_priority: priority }) => priority },
      { title: 'LONGEST SINCE', value: ({ longest_queued: since }) => since },
    ],
    ({ job_type: type }) => type.name,
  );
}

async function setPaused(context: Context, isPaused: boolean): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const { is_paused: isPausedNow } = await client.get('/v6/scheduler/', { signal });
  const does = isPaused ? 'pauses the service: no more jobs start' : 'resumes the service: jobs start again';
  await change(context, client, isPausedNow === isPaused ? unchanged(isPaused) : does, async () => {
    await client.patch('/v6/scheduler/', { body: { is_paused: isPaused }, signal });
    context.note(isPaused ? 'paused: no more jobs start' : 'resumed');
  });
}

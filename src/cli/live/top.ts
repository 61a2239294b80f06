/** `top`: the present work of a service, on one screen. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { UsageError } from '../frame/exit-codes.ts';
import { showLive } from './live.ts';

type Status = AnswerOf<'get', '/v6/status/'>;
type Counts = AnswerOf<'get', '/v6/job-types/status/'>['results'][number]['job_counts'];

const TYPES_SHOWN = 12;
const FAILURES_SHOWN = 5;
const COUNTED = ['PENDING', 'QUEUED', 'RUNNING'] as const;
const MIB_PER_GIB = 1_024;

export function addTop(program: Command, run: Run): void {
  program
    .command('top')
    .summary('nodes, types and failures on a full screen, kept current')
    .description(
      'Shows on a full screen what the service does: its nodes with what they have given to jobs, the job types with ' +
        'their jobs of the last three hours, and the latest failures. q or Ctrl-C ends it. Without a terminal it is ' +
        'printed once.',
    )
    .addHelpText('after', examples('top', 'top --server http://host-1:8080'))
    .action(run(top));
}

async function top(context: Context): Promise<void> {
  if (context.options.output !== 'table') {
    throw new UsageError('-o: `top` is a screen; for programs there is `millrace status -o json`');
  }
  if (context.hasScreen) return showLive(context, draw);
  return draw(context);
}

async function draw(context: Context): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const [{ server }, version, status, types, failed, counts] = await Promise.all([
    context.connection(),
    client.get('/v6/version/', { signal }),
    client.get('/v6/status/', { signal }),
    client.get('/v6/job-types/status/', { query: { page_size: 1_000 }, signal }),
    client.get('/v6/jobs/', {
      query: { status: ['FAILED'], order: ['-id'], page_size: FAILURES_SHOWN },
      signal,
    }),
    countJobs(client, signal),
  ]);
  const { scheduler, nodes } = status;
  const { jobs_launched_per_sec: launched, jobs_finished_per_sec: finished } = scheduler.metrics;
  context.printWrapped(`Millrace ${version.version}  ${server}  scheduler ${scheduler.state.name}`);
  context.printWrapped(
    `jobs: ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}, ${failed.count} failed; ` +
      `${rate(launched)} started/s, ${rate(finished)} ended/s`,
  );
  for (const line of warningsOf(status)) context.printWrapped(`warning: ${line}`);
  context.print('');
  context.records(
    nodes,
    [
      { title: 'NODE', value: ({ hostname }) => hostname },
      { title: 'STATE', value: ({ state }) => state.name },
      { title: 'JOBS', value: (node) => node.job_executions.running.total },
      { title: 'CPUS', value: ({ resources }) => used(resources.cpus, 1) },
      { title: 'MEM GIB', value: ({ resources }) => used(resources.mem, MIB_PER_GIB) },
      { title: 'DISK GIB', value: ({ resources }) => used(resources.disk, MIB_PER_GIB) },
    ],
    ({ hostname }) => hostname,
  );
  if (nodes.length > 1) context.printWrapped(`all nodes: ${totalOf(status)}`);
  context.print('');
  const rows = types.results
    .filter(({ job_type: type, job_counts: jobs }) => !type.is_system && jobs.length > 0)
    .map(({ job_type: type, job_counts: jobs }) => ({ type, countIn: countsOf(jobs) }))
    .sort((one, other) => weight(other.countIn) - weight(one.countIn));
  context.records(
    rows.slice(0, TYPES_SHOWN),
    [
      { title: 'TYPE', value: ({ type }) => `${type.name} ${type.version}` },
      { title: 'RUNNING', value: ({ countIn }) => countIn('RUNNING') },
      { title: 'QUEUED', value: ({ countIn }) => countIn('QUEUED') },
      { title: 'DONE', value: ({ countIn }) => countIn('COMPLETED') },
      { title: 'FAILED', value: ({ countIn }) => countIn('FAILED') },
    ],
    ({ type }) => type.name,
  );
  if (rows.length > TYPES_SHOWN) context.printWrapped(`${rows.length - TYPES_SHOWN} more types`);
  if (failed.results.length === 0) return;
  context.print('');
  context.records(
    failed.results,
    [
      { title: 'FAILED JOB', value: ({ id }) => id },
      { title: 'TYPE', value: ({ job_type: type }) => type.name },
      { title: 'REASON', value: ({ reason }) => reason },
    ],
    ({ id }) => id,
  );
}

function countJobs(client: Client, signal: AbortSignal): Promise<[name: string, count: number][]> {
  return Promise.all(
    COUNTED.map(async (status): Promise<[string, number]> => {
      const query = { status: [status], is_superseded: false };
      return [status.toLowerCase(), await client.count('/v6/jobs/', { query, signal })];
    }),
  );
}

function warningsOf({ scheduler, dependencies, nodes }: Status): string[] {
  const bad = Object.entries(dependencies).filter(([, { OK: isOk }]) => !isOk);
  return [
    ...scheduler.warnings.map(({ title, description }) => `${title}: ${description}`),
    ...bad.map(([name, { detail }]) => `${name}: ${(detail as { msg?: string }).msg ?? ''}`),
    ...nodes.flatMap(({ hostname, errors, warnings }) =>
      [...errors, ...warnings].map(({ title }) => `${hostname}: ${title}`),
    ),
  ];
}

function totalOf({ resources: { cpus, mem } }: Status): string {
  return `${used(cpus, 1)} cpus, ${used(mem, MIB_PER_GIB)} GiB of memory`;
}

/** The part of a node's resource that running jobs hold, and its total. */
function used({ running, total }: { running: number; total: number }, unit: number): string {
  return `${rate(running / unit)}/${rate(total / unit)}`;
}

function rate(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function countsOf(counts: Counts): (status: string) => number {
  return (status) => counts.reduce((sum, one) => sum + (one.status === status ? one.count : 0), 0);
}

/** Types with running or queued jobs come first. */
function weight(countIn: (status: string) => number): number {
  return countIn('RUNNING') * 1e6 + countIn('QUEUED') * 1e3 + countIn('COMPLETED') + countIn('FAILED');
}

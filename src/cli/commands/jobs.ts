/** `jobs`, `job …`: lists of jobs, single jobs, and requests for many jobs. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { BodyOf } from '../../client/operations.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { FailedError, NotFoundError, UsageError } from '../frame/exit-codes.ts';
import { integer, limited, list } from '../frame/lists.ts';
import { idOf } from '../frame/references.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { showLogs } from './job-logs.ts';
import { jobThat } from './job-waiting.ts';

const STATUSES = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED', 'COMPLETED', 'CANCELED'] as const;
type JobStatus = (typeof STATUSES)[number];
export const ENDED: ReadonlySet<string> = new Set(['FAILED', 'COMPLETED', 'CANCELED']);

interface Chosen {
  readonly status?: string;
  readonly type?: readonly string[];
  readonly recipe?: readonly string[];
  readonly batch?: readonly string[];
  readonly dryRun?: boolean;
}

export function addJobs(program: Command, run: Run): void {
  withFilters(program.command('jobs').summary('list jobs, the newest first'))
    .option('--limit <n>', 'show at most this many', '50')
    .addHelpText(
      'after',
      examples('jobs --status FAILED', 'jobs --type count --limit 200 -o json', 'jobs -o name'),
    )
    .option(...WATCH)
    .action(run(repeatable(listJobs)));
  const job = program.command('job').summary('one job: show, logs, cancel, requeue, wait');
  job
    .command('show')
    .argument('<id>')
    .summary('a job with its input, its output and its last try')
    .addHelpText('after', examples('job show 7', 'job show id:7 -o yaml'))
    .option(...WATCH)
    .action(run(repeatable(show)));
  job
    .command('logs')
    .argument('<id>')
    .summary('what the last try of a job has written')
    .option('-f, --follow', 'follow it until the job ends; waits for the start of the job')
    .addHelpText('after', examples('job logs 7', 'job logs -f 7 2>/dev/null'))
    .action(run(logs));
  withFilters(job.command('cancel').argument('[id...]').summary('cancel jobs, by ids or filters'))
    .option('--dry-run', 'say how many, and change nothing')
    .addHelpText('after', examples('job cancel 7 8', 'job cancel --type count --status QUEUED --dry-run'))
    .action(run((context, options, ids) => changeJobs(context, 'cancel', options, ids)));
  withFilters(job.command('requeue').argument('[id...]').summary('run failed or canceled jobs again'))
    .option('--dry-run', 'say how many, and change nothing')
    .option('--newest', "with the newest revision of the jobs' types")
    .option('--priority <n>', 'with this priority')
    .addHelpText('after', examples('job requeue 7', 'job requeue --status FAILED --newest --yes'))
    .action(run((context, options, ids) => changeJobs(context, 'requeue', options, ids)));
  job
    .command('wait')
    .argument('<id...>')
    .summary('wait until jobs end; fails unless all complete')
    .addHelpText('after', examples('job wait 7 8'))
    .action(run(wait));
}

function withFilters(command: Command): Command {
  return command
    .option('--status <status>', `one of ${STATUSES.join(', ')}`)
    .option('--type <name>', 'of this job type; repeatable', list)
    .option('--recipe <id>', 'of this recipe; repeatable', list)
    .option('--batch <id>', 'of this batch; repeatable', list);
}

function statusOf(text: string | undefined): JobStatus | undefined {
  if (text === undefined) return undefined;
  const status = STATUSES.find((known) => known === text.toUpperCase());
  if (status === undefined) throw new UsageError(`--status '${text}': one of ${STATUSES.join(', ')}`);
  return status;
}

const idsOf = (what: string, texts: readonly string[] = []): number[] =>
  texts.map((text) => idOf(what, text));

async function listJobs(context: Context, options: Chosen & { readonly limit: string }): Promise<void> {
  const status = statusOf(options.status);
  const query = {
    ...(status === undefined ? {} : { status: [status] }),
    ...{ job_type_name: [...(options.type ?? [])], order: ['-id' as const] },
    ...{ recipe_id: idsOf('recipe', options.recipe), batch_id: idsOf('batch', options.batch) },
  };
  const limit = integer('--limit', options.limit, 1);
  const client = await context.client();
  const all = client.list('/v6/jobs/', { query, pageSize: Math.min(limit, 500), signal: context.signal });
  const jobs = await limited(context, all, limit);
  // A mistyped name has no jobs either.
  if (jobs.length === 0)
    await requireAll(context, client, {
      job_type_names: query.job_type_name,
      recipe_ids: query.recipe_id,
      batch_ids: query.batch_id,
    });
  context.records(
    jobs,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'TYPE', value: ({ job_type: type }) => `${type.name} ${type.version}` },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'NODE', value: ({ node }) => node?.hostname },
      { title: 'CREATED', value: ({ created }) => created, isWide: true },
      { title: 'RECIPE', value: ({ recipe }) => recipe?.id, isWide: true },
      { title: 'REASON', value: ({ reason }) => reason },
    ],
    ({ id }) => id,
  );
}

async function show(context: Context, _options: unknown, text: string): Promise<void> {
  const id = idOf('job', text);
  const client = await context.client();
  const job = await client.get('/v6/jobs/{id}/', { path: { id }, signal: context.signal });
  if (context.isStructured) return context.document(job);
  if (context.options.output === 'name') return context.print(String(job.id));
  const { execution, error } = job;
  context.fields([
    ['job', job.id],
    ['type', `${job.job_type.name} ${job.job_type.version}, revision ${job.job_type_rev.revision_num}`],
    ['status', job.status],
    ['reason', job.reason],
    ['error', error === null ? null : `${error.name} (${error.category})`],
    ['recipe', job.recipe?.id],
    ['node', job.node?.hostname],
    ['tries', `${job.num_exes} of ${job.max_tries}`],
    ['created', job.created],
    ['started', job.started],
    ['ended', job.ended],
    ['input', job.input],
    ['output', job.output],
    ['execution', execution?.id],
  ]);
}

async function logs(context: Context, options: { readonly follow?: boolean }, text: string): Promise<void> {
  const id = idOf('job', text);
  const client = await context.client();
  const hasBegun = ({ execution, status }: { execution: unknown; status: string }) =>
    execution !== null || ENDED.has(status) || options.follow !== true;
  const job = await jobThat(context, client, id, hasBegun);
  if (job.execution === null) throw new FailedError(`job ${id} is ${job.status} and has not run`);
  await showLogs(context, client, job.execution.id, options.follow === true);
}

type Filters = BodyOf<'post', '/v6/jobs/cancel/'>;

export async function changeJobs(
  context: Context,
  verb: 'cancel' | 'requeue',
  options: Chosen & { readonly newest?: boolean; readonly priority?: string },
  ids: readonly string[],
): Promise<void> {
  const status = statusOf(options.status);
  const body: Filters = {
    ...(ids.length === 0 ? {} : { job_ids: idsOf('job', ids) }),
    ...(status === undefined ? {} : { status }),
    ...(options.type === undefined ? {} : { job_type_names: [...options.type] }),
    ...(options.recipe === undefined ? {} : { recipe_ids: idsOf('recipe', options.recipe) }),
    ...(options.batch === undefined ? {} : { batch_ids: idsOf('batch', options.batch) }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('name jobs by their ids, or choose them by --status, --type, --recipe, --batch');
  const client = await context.client();
  const { signal } = context;
  const more = {
    ...(options.newest === true ? { revision: 'newest' as const } : {}),
    ...(options.priority === undefined ? {} : { priority: integer('--priority', options.priority, 1) }),
  };
  const send = (isDry: boolean) =>
    verb === 'cancel'
      ? client.post('/v6/jobs/cancel/', { body, query: { dry_run: isDry }, signal })
      : client.post('/v6/jobs/requeue/', { body: { ...body, ...more }, query: { dry_run: isDry }, signal });
  const preview = await send(true);
  if (preview === undefined || !('job_count' in preview))
    throw new FailedError('the service gave no preview');
  const counts = preview.statuses.map(({ status, job_count: count }) => `${count} ${status}`).join(', ');
  const does = verb === 'cancel' ? 'cancels' : 'requeues';
  const least = preview.is_cut ? 'at least ' : '';
  const what = `${does} ${least}${countOf(preview.job_count, 'job')}${counts === '' ? '' : `: ${counts}`}`;
  // Filters by an id that does not exist choose no job, so the ids are checked.
  if (preview.job_count < Math.max(1, new Set(body.job_ids).size)) await requireAll(context, client, body);
  const isDry = options.dryRun === true;
  if (isDry && context.isStructured) context.document(preview);
  if (preview.job_count === 0)
    throw new FailedError(`no job that can be ${verb === 'cancel' ? 'canceled' : 'requeued'} is chosen`);
  if (isDry) return context.isStructured ? undefined : context.printWrapped(what);
  const isNamed = ids.length > 0 && Object.keys(body).length === 1;
  if (!isNamed && !(await context.confirm(`This ${what}. Continue?`)))
    throw new FailedError('nothing was changed');
  const answer = await send(false);
  for (const { description } of (answer !== undefined && 'warnings' in answer && answer.warnings) || []) {
    context.note(`warning: ${description}`);
  }
  context.note(what);
}

/** Throws the service's answer for the first record that does not exist. */
async function requireAll({ signal }: Context, client: Client, body: Filters): Promise<void> {
  const query = { fields: 'id' };
  for (const id of body.batch_ids ?? [])
    await client.get('/v6/batches/{id}/', { path: { id }, query, signal });
  for (const id of body.recipe_ids ?? [])
    await client.get('/v6/recipes/{id}/', { path: { id }, query, signal });
  for (const name of body.job_type_names ?? []) {
    if ((await client.count('/v6/job-types/{name}/', { path: { name }, signal })) > 0) continue;
    const names: string[] = [];
    for await (const known of client.list('/v6/job-type-names/', { signal })) names.push(known.name);
    throw new NotFoundError(`there is no job type '${name}'${nearestOf(name, names)}`);
  }
  for (const id of body.job_ids ?? []) await client.get('/v6/jobs/{id}/', { path: { id }, query, signal });
}

async function wait(context: Context, _options: unknown, texts: readonly string[]): Promise<void> {
  const ids = idsOf('job', texts);
  const client = await context.client();
  const jobs = await Promise.all(
    ids.map((id) => jobThat(context, client, id, ({ status }) => ENDED.has(status))),
  );
  context.records(
    jobs,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'REASON', value: ({ reason }) => reason },
    ],
    ({ id }) => id,
  );
  const bad = jobs.filter(({ status }) => status !== 'COMPLETED');
  if (bad.length > 0)
    throw new FailedError(`${bad.length} of ${countOf(jobs.length, 'job')} did not complete`);
}

/** `run`: queues a job of a type for given files. */
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { showLogs } from '../commands/job-logs.ts';
import { type Job, jobThat } from '../commands/job-waiting.ts';
import { ENDED } from '../commands/jobs.ts';
import type { Context } from '../frame/context.ts';
import { FailedError, InvalidError, NotFoundError } from '../frame/exit-codes.ts';
import { describeRun, inputOf } from './inputs.ts';

interface Options {
  readonly set?: readonly string[];
  readonly uploadTo?: string;
  readonly wait?: boolean;
  readonly logs?: boolean;
}

export async function runJob(
  context: Context,
  options: Options,
  typeText: string,
  files: readonly string[],
): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const type = await typeOf(context, client, typeText);
  requireUsable(type);
  const typed = { files, values: options.set ?? [], uploadTo: options.uploadTo };
  if (context.options.dryRun)
    return describeRun(context, client, type, typed, `queues a job of ${type.name} ${type.version}`);
  const input = await inputOf(context, client, type, typed);
  const { id } = await client.post('/v6/jobs/', { body: { job_type_id: type.id, input }, signal });
  context.note(`job ${id} of ${type.name} ${type.version} is queued`);
  if (options.logs === true) await follow(context, client, id);
  else if (options.wait !== true) {
    if (!context.isStructured) return context.print(String(id));
    return context.document(await client.get('/v6/jobs/{id}/', { path: { id }, signal }));
  }
  const job = await jobThat(context, client, id, ({ status }) => ENDED.has(status));
  // With logs, standard output is for the job's own output.
  if (options.logs !== true) showEnd(context, job);
  if (job.status !== 'COMPLETED')
    throw new FailedError(`job ${id} is ${job.status}${job.reason === null ? '' : `: ${job.reason}`}`);
  context.note(`job ${id} is COMPLETED`);
}

/** Throws what the service would refuse the job for, before files are uploaded for it. */
function requireUsable({ name, version, is_active: isActive, is_system: isSystem }: JobType): void {
  if (!isActive) throw new InvalidError(`the job type ${name} ${version} is deprecated`);
  if (isSystem) throw new InvalidError(`jobs of ${name} ${version} are queued by the system only`);
}

function showEnd(context: Context, job: Job): void {
  if (context.isStructured) context.document(job);
  else if (context.options.output === 'name') context.print(String(job.id));
  else
    context.fields([
      ['job', job.id],
      ['status', job.status],
      ['reason', job.reason],
      ['output', job.output],
    ]);
}

async function follow(context: Context, client: Client, id: number): Promise<void> {
  const hasBegun = ({ execution, status }: Job) => execution !== null || ENDED.has(status);
  const { execution } = await jobThat(context, client, id, hasBegun);
  if (execution !== null) await showLogs(context, client, execution.id, true);
}

type JobType = AnswerOf<'get', '/v6/job-types/{name}/{version}/'>;

/** The named version, or the newest active one. */
async function typeOf({ signal }: Context, client: Client, text: string): Promise<JobType> {
  const id = /^id:(\d{1,15})$/.exec(text)?.[1];
  if (id !== undefined) {
    for await (const { name, version } of client.list('/v6/job-types/', {
      query: { id: [Number(id)] },
      signal,
    }))
      return client.get('/v6/job-types/{name}/{version}/', { path: { name, version }, signal });
    throw new NotFoundError(`there is no job type '${text}'`);
  }
  const [, name = text, version] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  if (version !== undefined)
    return client.get('/v6/job-types/{name}/{version}/', { path: { name, version }, signal });
  const query = { is_active: true };
  for await (const one of client.list('/v6/job-types/{name}/', { path: { name }, query, signal }))
    return client.get('/v6/job-types/{name}/{version}/', { path: { name, version: one.version }, signal });
  const names: string[] = [];
  for await (const known of client.list('/v6/job-type-names/', { query, signal })) names.push(known.name);
  throw new NotFoundError(`there is no active job type '${name}'${nearestOf(name, names)}`);
}

/** Jobs and their executions: reads them from the store, and queues jobs through their actors. */

import { type JobMessage, jobAddress } from '../../actors/job/job.messages.ts';
import type { OpenStreams } from '../../auth/open-streams.ts';
import type { NewJob } from '../../domain/job/job.ts';
import { fullConfiguration, type JobConfigurationPart, splitSecrets } from '../../domain/job/job-config.ts';
import { validateJobConfiguration } from '../../domain/job/job-config-check.ts';
import { manifestOf, newStandaloneJob } from '../../domain/job/queueing.ts';
import { inputInterfaceOf } from '../../domain/manifest/manifest.ts';
import type { JobTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { dataLoader, shared } from '../../lib/data-loader.ts';
import { currentJobPlans, type WorkspaceCatalog, workspaceCatalog } from '../../store/catalog/facts.ts';
import { findExecution, hasExecution, listExecutions } from '../../store/execution/list.ts';
import { findJobs, listJobs } from '../../store/job/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { ConfigurationOf } from '../executions/configurations.ts';
import { openLog } from '../executions/log.ts';
import { logBytes } from '../executions/log-bytes.ts';
import type { ExecutionRouteDeps } from '../executions/routes.ts';
import { jobAsCreated } from '../shared/as-created.ts';
import { existing } from '../shared/existing.ts';
import { finished } from '../shared/finished-stream.ts';
import { answerByKey } from '../shared/idempotency.ts';
import {
  FIRST_ASK,
  freshId,
  refuseProblems,
  unknownReference,
  userEvent,
  workDocumentProblems,
} from '../shared/requests.ts';
import { checkInput } from './input-data.ts';
import { type JobRouteDeps, jobPath } from './routes.ts';

export interface WorkParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

type CreateBody = Parameters<JobRouteDeps['jobs']['create']>[0];

/** The reads for queueing; jobs that are queued together share the statements. */
interface Reads {
  plan(jobTypeId: number): Promise<JobTypeRevision | undefined>;
  workspaces(): Promise<WorkspaceCatalog>;
}

export function jobsApp(parts: WorkParts, configurationOf: ConfigurationOf): JobRouteDeps['jobs'] {
  const { sql } = parts;
  const details = dataLoader((ids: readonly number[]) => findJobs(sql, ids), { lanes: 1 });
  const reads: Reads = {
    plan: dataLoader((ids) => currentJobPlans(sql, ids), { lanes: 1 }),
    workspaces: shared(() => workspaceCatalog(sql)),
  };
  return {
    list: (filter, order, page) => listJobs(sql, filter, order, page),
    async find(id) {
      const job = await details(id);
      if (job === undefined) return undefined;
      const { execution } = job;
      if (execution === null) return { ...job, execution };
      return { ...job, execution: { ...execution, configuration: await configurationOf(execution.id) } };
    },
    async create(body, asker) {
      const { job, warnings } = await create(parts, reads, body, asker);
      const record = jobAsCreated(existing(await details(job.id), 'job'), job);
      return { record, warnings };
    },
    documentProblems: (raw) => workDocumentProblems(parts.sql, raw, 'texts'),
  };
}

export function executionsApp(
  sql: Sql,
  configurationOf: ConfigurationOf,
  streams: OpenStreams,
): ExecutionRouteDeps['executions'] {
  return {
    list: (jobId, query) => listExecutions(sql, jobId, query, query.paging),
    async find(jobId, exeNum) {
      const execution = await findExecution(sql, jobId, exeNum);
      return execution && { ...execution, configuration: await configurationOf(execution.id) };
    },
    log: (executionId, stream, sinceMs, signal) => openLog(sql, { executionId, stream, sinceMs, signal }),
    async logBytes(executionId, stream, { offset, isFollowed }, { caller, address, signal: gone }) {
      if (!(await hasExecution(sql, executionId))) return undefined;
      if (!isFollowed) return { stream: logBytes(sql, { executionId, stream, offset, gone }) };
      const open = streams.open('logs', caller, address);
      const bytes = logBytes(sql, { executionId, stream, offset, gone, open });
      return { stream: finished(bytes, () => open.close()), cut: open.ending };
    },
  };
}

async function create(
  { sql, ids, system }: WorkParts,
  reads: Reads,
  body: CreateBody,
  asker: Asker,
): Promise<{ job: NewJob; warnings: readonly Problem[] }> {
  const [plan, workspaces] = await Promise.all([usablePlan(sql, reads, body), reads.workspaces()]);
  const issues = new IssueList();
  const { data, files } = await checkInput(sql, body.input, inputInterfaceOf(manifestOf(plan)), issues);
  const configuration = checkConfiguration(body.configuration, plan, workspaces, issues);
  refuseProblems(issues);
  await asker.recorded;
  const event = await userEvent(ids, asker);
  const jobId = await freshId(ids, 'job');
  const { job, class: schedulingClass } = newStandaloneJob({
    jobId,
    shard: shardOf('job', String(jobId)),
    eventId: event.id,
    plan,
    configuration: configuration === null ? null : { ...configuration },
    input: data,
    files,
    workspaces,
    atMs: asker.nowMs,
  });
  const message: JobMessage = {
    ...{ type: 'queue', event, job: withWrittenInput(job), class: schedulingClass },
    ...answerByKey(
      asker,
      { status: 201, location: jobPath(jobId), warnings: issues.warnings },
      { type: 'job', id: jobId },
    ),
  };
  await system.ask(jobAddress(jobId), message, FIRST_ASK);
  return { job, warnings: issues.warnings };
}

/** With its input serialized: this may run on a thread, and the coordinator only has to store it. */
function withWrittenInput(job: NewJob): NewJob {
  const { input } = job;
  if (input === null) return job;
  const { files } = input.input;
  return { ...job, input: { ...input, input: { files, json: {} }, inputText: JSON.stringify(input.input) } };
}

async function usablePlan(sql: Sql, reads: Reads, body: CreateBody): Promise<JobTypeRevision> {
  const plan = await reads.plan(body.job_type_id);
  const problem = planProblem(plan, body.job_type_id);
  if (plan !== undefined && problem === undefined) return plan;
  throw unknownReference('job_type_id', `${problem}`, await workDocumentProblems(sql, { ...body }, 'texts'));
}

/** Why a job of the type cannot be queued. */
function planProblem(plan: JobTypeRevision | undefined, jobTypeId: number): string | undefined {
  if (plan === undefined) return `there is no job type ${jobTypeId}`;
  const name = `${plan.jobTypeName} ${plan.jobTypeVersion}`;
  if (!plan.isActive) return `the job type ${name} is deprecated`;
  return plan.isSystem ? `jobs of ${name} are queued by the system only` : undefined;
}

/** The given sections without secrets, which belong to the job type only. Null: none were given. */
function checkConfiguration(
  document: unknown,
  plan: JobTypeRevision,
  workspaces: WorkspaceCatalog,
  issues: IssueList,
): JobConfigurationPart | null {
  if (document === undefined) return null;
  const manifest = manifestOf(plan);
  const base = fullConfiguration(plan.configuration as JobConfigurationPart);
  const checked = validateJobConfiguration(document, base, manifest, workspaces.facts);
  issues.include('configuration', { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings });
  if (!checked.ok || Object.keys(checked.value).length === 0) return null;
  const part = checked.value;
  if (part.settings === undefined) return part;
  const { settings, secrets } = splitSecrets(manifest, part.settings);
  warnOfSecrets(issues, Object.keys(secrets));
  return { ...part, settings };
}

/** Secret settings of a single job or recipe are not stored. */
export function warnOfSecrets(issues: IssueList, names: readonly string[]): void {
  for (const name of names) {
    const text = `'${name}' is secret: it is taken from the job type's configuration only`;
    issues.warning('SECRET_IGNORED', `configuration.settings.${name}`, text);
  }
}

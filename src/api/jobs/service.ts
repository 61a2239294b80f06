/** Jobs and their executions: reads them from the store, and queues jobs through their actors. */

import { type JobMessage, jobAddress } from '../../actors/job/job.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { NewJob } from '../../domain/job/job.ts';
import { fullConfiguration, type JobConfigurationPart, splitSecrets } from '../../domain/job/job-config.ts';
import { validateJobConfiguration } from '../../domain/job/job-config-check.ts';
import { manifestOf, newStandaloneJob } from '../../domain/job/queueing.ts';
import { inputInterfaceOf } from '../../domain/manifest/manifest.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { dataLoader, shared } from '../../lib/data-loader.ts';
import {
  type CurrentJobRevision,
  currentJobRevisions,
  type WorkspaceCatalog,
  workspaceCatalog,
} from '../../store/catalog/facts.ts';
import { findJobs, newJobReasons } from '../../store/job/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { ConfigurationOf } from '../executions/configurations.ts';
import { jobAsCreated } from '../shared/as-created.ts';
import { answerByKey } from '../shared/idempotency.ts';
import {
  FIRST_ASK,
  freshId,
  refuseProblems,
  tracedEvent,
  unknownReference,
  workDocumentProblems,
} from '../shared/requests.ts';
import { checkInput, type GivenInput } from './input-data.ts';
import { type JobCreateBody, type JobDetailsRecord, jobPath } from './schema.ts';

export interface WorkParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

/** What queues jobs. */
export interface QueueParts extends WorkParts {
  readonly jobReads: JobReads;
}

/** Reads that concurrent requests share. */
export type JobReads = ReturnType<typeof jobReads>;

export function jobReads(sql: Sql) {
  return {
    details: dataLoader((ids: readonly number[]) => findJobs(sql, ids), { lanes: 1 }),
    reason: dataLoader((ids: readonly number[]) => newJobReasons(sql, ids), { lanes: 1 }),
    revision: dataLoader((ids: readonly number[]) => currentJobRevisions(sql, ids), { lanes: 1 }),
    workspaces: shared(() => workspaceCatalog(sql)),
  };
}

/** Throws NOT_FOUND. */
export async function jobDetails(
  { jobReads, configurationOf }: Pick<QueueParts, 'jobReads'> & { readonly configurationOf: ConfigurationOf },
  id: number,
): Promise<JobDetailsRecord> {
  const job = await jobReads.details(id);
  if (job === undefined) throw new AppError('NOT_FOUND', `there is no job ${id}`);
  const { execution } = job;
  if (execution === null) return { ...job, execution };
  return { ...job, execution: { ...execution, configuration: await configurationOf(execution.id) } };
}

/**
 * Queues a job; resolves once it is committed, with the job as committed. Throws UNKNOWN_REFERENCE or INVALID_REQUEST.
 */
export async function queueJob(parts: QueueParts, body: JobCreateBody, asker: Asker): Promise<QueuedRecord> {
  const { sql, jobReads: reads } = parts;
  const [revision, workspaces] = await Promise.all([usableRevision(sql, reads, body), reads.workspaces()]);
  const issues = new IssueList();
  const { data, files } = await checkInput(sql, body.input, inputInterfaceOf(manifestOf(revision)), issues);
  const configuration = checkConfiguration(body.configuration, revision, workspaces, issues);
  refuseProblems(issues);
  await asker.recorded;
  const work = { revision, configuration, data, files, workspaces, warnings: issues.warnings };
  return queueChecked(parts, work, asker);
}

export interface QueuedRecord {
  readonly record: JobDetailsRecord;
  readonly warnings: readonly Problem[];
}

/** A job whose parts were checked. */
interface CheckedWork extends GivenInput {
  readonly revision: CurrentJobRevision;
  /** Null: the configuration of its type, unchanged. */
  readonly configuration: JobConfigurationPart | null;
  readonly workspaces: WorkspaceCatalog;
  readonly warnings: readonly Problem[];
}

/** Resolves once the job is committed, with the job as committed. */
export async function queueChecked(
  { ids, system, jobReads: reads }: QueueParts,
  { revision, configuration, data, files, workspaces, warnings }: CheckedWork,
  asker: Asker,
): Promise<QueuedRecord> {
  const event = await tracedEvent(ids, asker);
  const jobId = await freshId(ids, 'job');
  const { job, class: schedulingClass } = newStandaloneJob({
    jobId,
    shard: shardOf('job', String(jobId)),
    eventId: event.id,
    revision,
    configuration: configuration === null ? null : { ...configuration },
    input: data,
    files,
    workspaces,
    atMs: asker.nowMs,
  });
  const message: JobMessage = {
    ...{ type: 'queue', event, job: withWrittenInput(job), class: schedulingClass },
    ...answerByKey(asker, { status: 201, location: jobPath(jobId), warnings }, { type: 'job', id: jobId }),
  };
  await system.ask(jobAddress(jobId), message, FIRST_ASK);
  const reason = mayWait(revision) ? ((await reads.reason(jobId)) ?? null) : null;
  return { record: jobAsCreated({ job, event, revision, data, files, reason }), warnings };
}

/** Whether a new job of the type may have a reason to wait, which a read finds. */
function mayWait({ summary }: CurrentJobRevision): boolean {
  return summary.is_paused || summary.unmet_resources !== null;
}

/** The job with its input as JSON text. In the thread for large bodies this spares the event loop to write it. */
function withWrittenInput(job: NewJob): NewJob {
  const { input } = job;
  if (input === null) return job;
  const { files } = input.input;
  return { ...job, input: { ...input, input: { files, json: {} }, inputText: JSON.stringify(input.input) } };
}

async function usableRevision(sql: Sql, reads: JobReads, body: JobCreateBody): Promise<CurrentJobRevision> {
  const revision = await reads.revision(body.job_type_id);
  const problem = revisionProblem(revision, body.job_type_id);
  if (revision !== undefined && problem === undefined) return revision;
  throw unknownReference('job_type_id', `${problem}`, await workDocumentProblems(sql, { ...body }, 'texts'));
}

/** Why a job of the type cannot be queued. */
function revisionProblem(revision: CurrentJobRevision | undefined, jobTypeId: number): string | undefined {
  if (revision === undefined) return `there is no job type ${jobTypeId}`;
  const name = `${revision.jobTypeName} ${revision.jobTypeVersion}`;
  if (!revision.isActive) return `the job type ${name} is deprecated`;
  return revision.isSystem ? `jobs of ${name} are queued by the system only` : undefined;
}

/** The given sections, without secret settings, which only a job type may have. Null: no section was given. */
function checkConfiguration(
  document: unknown,
  revision: CurrentJobRevision,
  workspaces: WorkspaceCatalog,
  issues: IssueList,
): JobConfigurationPart | null {
  if (document === undefined) return null;
  const manifest = manifestOf(revision);
  const base = fullConfiguration(revision.configuration as JobConfigurationPart);
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

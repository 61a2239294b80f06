/**
 * The values that are fixed when a job is queued: the size of its input, the resources that it holds, its priority and
 * scheduling class. They are computed each time a job is queued, so that an edited configuration applies from the next
 * execution on.
 */
import { assert } from '../../lib/assert.ts';
import type { FileInfo } from '../file/file.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import { executorOf, type SchedulingClass, schedulingClassOf } from '../scheduling/scheduling-class.ts';
import type { QueuedJob } from '../scheduling/snapshot.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { DataDocument, JobInput, JobOwner, NewJob, Queueing, SourceInfo } from './job.ts';
import {
  fullConfiguration,
  type JobConfiguration,
  type JobConfigurationPart,
  outputWorkspaceOf,
  queuedPriority,
  withJobConfiguration,
} from './job-config.ts';
import { heldResources } from './resources.ts';
import { inputMibOf } from './task-environment.ts';

/** A job that enters the queue, as it is announced to the scheduler. */
export interface QueuedEntry extends QueuedJob {
  readonly class: SchedulingClass;
}

export interface QueueOrder {
  readonly revision: JobTypeRevision;
  /** The job's own configuration; null = its type's. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  readonly input: DataDocument;
  /** Contains every file of the input. */
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
  /** The number of the execution that is queued. */
  readonly exeNum: number;
  readonly maxTries: number;
  /** An explicit priority; undefined: as configured. */
  readonly priority: number | undefined;
  /** The priority of the job's batch; absent: none. */
  readonly batchPriority?: number | undefined;
  /** The earliest time of its placement; absent: at once. */
  readonly notBeforeMs?: number;
  /** As in `Queueing`. */
  readonly queuedMs?: number;
  readonly atMs: number;
}

export interface QueueEntryParts {
  readonly queueing: Queueing;
  readonly class: SchedulingClass;
  readonly input: JobInput;
}

export function manifestOf(revision: JobTypeRevision): Manifest {
  return revision.manifest;
}

/** The configuration a job runs with. */
export function configurationOf(
  revision: JobTypeRevision,
  own: QueueOrder['configuration'],
): JobConfiguration {
  const base = fullConfiguration(revision.configuration as JobConfigurationPart);
  return own === null ? base : withJobConfiguration(base, own as JobConfigurationPart);
}

export function prepareQueueing(order: QueueOrder): QueueEntryParts {
  const { revision, files } = order;
  const configuration = configurationOf(revision, order.configuration);
  const input = jobInputOf(order.input, files);
  const { resources } = heldResources(manifestOf(revision), input.inputFileSizeMib);
  const workspaceIds = inputFilesOf(order.input, files).map((file) => file.workspaceId);
  for (const output of manifestOf(revision).job.interface.outputs.files) {
    const name = outputWorkspaceOf(configuration, output.name);
    // A missing workspace adds no requirement: the launch will fail with the reason.
    const id = name === undefined ? undefined : order.workspaces.byName.get(name);
    if (id !== undefined) workspaceIds.push(id);
  }
  const executor = executorOf(revision.containerImage);
  const jobClass = schedulingClassOf({ jobTypeId: revision.jobTypeId, resources, executor, workspaceIds });
  const queueing: Queueing = {
    exeNum: order.exeNum,
    priority: queuedPriority(configuration, { requeue: order.priority, batch: order.batchPriority }),
    maxTries: order.maxTries,
    classKey: jobClass.key,
    resources: jobClass.resources,
    ...(order.notBeforeMs === undefined ? {} : { notBeforeMs: order.notBeforeMs }),
    ...(order.queuedMs === undefined ? {} : { queuedMs: order.queuedMs }),
    atMs: order.atMs,
  };
  return { queueing, class: jobClass, input };
}

/** Measures an input: its size in MiB, rounded up, and the origin of its data. `files` has every file of the input. */
export function jobInputOf(input: DataDocument, files: ReadonlyMap<number, FileInfo>): JobInput {
  const given = inputFilesOf(input, files);
  const bytes = given.reduce((sum, file) => sum + file.size, 0);
  return { input, inputFileSizeMib: inputMibOf(bytes), source: sourceOf(given) };
}

/** The files of a data document; a file of two parameters occurs twice, as it is staged twice. */
export function inputFilesOf(input: DataDocument, files: ReadonlyMap<number, FileInfo>): FileInfo[] {
  return Object.values(input.files).flatMap((ids) =>
    ids.map((id) => {
      const file = files.get(id);
      assert(file !== undefined, `file ${id} of an input is not known`);
      return file;
    }),
  );
}

/** The origin of the data of files. */
export function sourceOf(files: readonly FileInfo[]): SourceInfo {
  return {
    startedMs: least(files.map((file) => file.sourceStartedMs)),
    endedMs: greatest(files.map((file) => file.sourceEndedMs)),
    sensorClass: greatest(files.map((file) => file.sourceSensorClass)),
    sensor: greatest(files.map((file) => file.sourceSensor)),
    collection: greatest(files.map((file) => file.sourceCollection)),
    task: greatest(files.map((file) => file.sourceTask)),
  };
}

/** The least known value; null if none is known. */
export function least(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (best, value) => (value !== null && (best === null || value < best) ? value : best),
    null,
  );
}

/** The greatest known value; null if none is known. */
export function greatest<T extends number | string>(values: readonly (T | null)[]): T | null {
  return values.reduce(
    (best, value) => (value !== null && (best === null || value > best) ? value : best),
    null,
  );
}

export interface StandaloneRequest {
  readonly jobId: number;
  /** `shardOf('job', String(jobId))`. */
  readonly shard: number;
  readonly eventId: number;
  readonly revision: JobTypeRevision;
  /** The sections of a configuration that were sent with the job; null: none. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Valid for the manifest's input interface. */
  readonly input: DataDocument;
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
  readonly atMs: number;
}

/** A job without a recipe, QUEUED from the start. The `queue` message of its actor carries both parts. */
export function newStandaloneJob(request: StandaloneRequest): {
  readonly job: NewJob;
  readonly class: SchedulingClass;
} {
  const { revision, atMs } = request;
  const owner: JobOwner = { kind: 'job', key: request.jobId };
  const own = request.configuration === null ? null : configurationOf(revision, request.configuration);
  const up = prepareQueueing({ ...request, exeNum: 1, maxTries: revision.maxTries, priority: undefined });
  const job: NewJob = {
    id: request.jobId,
    shard: request.shard,
    owner,
    jobTypeId: revision.jobTypeId,
    jobTypeRevId: revision.jobTypeRevId,
    eventId: request.eventId,
    recipeId: null,
    recipeNode: null,
    recipeIds: [],
    batchId: null,
    status: 'QUEUED',
    maxTries: revision.maxTries,
    priority: up.queueing.priority,
    timeoutS: manifestOf(revision).job.timeout,
    configuration: own === null ? null : { ...own },
    queueing: up.queueing,
    input: up.input,
    atMs,
  };
  return { job, class: up.class };
}

/** `/v6/jobs/`: queued units of work. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choices, flag, integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { type Asker, defineRoute, type RawBody, reply } from '../../http/route.ts';
import { document, id, instant, integer, named, orNull } from '../../http/schema.ts';
import { Data } from '../documents/interface.ts';
import { JobConfiguration } from '../documents/job-configuration.ts';
import { StoredManifest } from '../documents/manifest.ts';
import { JobExecutionDetails } from '../executions/routes.ts';
import { JOB } from '../shared/examples.ts';
import {
  BatchSummary,
  count,
  DataRecord,
  ErrorRecord,
  EventRecord,
  IdRef,
  JobStatus,
  JobTypeSummary,
  NodeSummary,
  nullableInstant,
  RecipeSummary,
  sourceFields,
  versionField,
} from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

const headFields = { id: id(), ...versionField, job_type: JobTypeSummary };
const bodyFields = {
  event: EventRecord,
  recipe: orNull(RecipeSummary),
  batch: orNull(BatchSummary),
  is_superseded: Type.Boolean(),
  status: JobStatus,
  node: orNull(NodeSummary),
  error: orNull(ErrorRecord),
  reason: orNull(Type.String({ description: 'What went wrong this time, or what a queued job waits for.' })),
  num_exes: count,
  input_file_size: orNull(Type.Number({ description: 'MiB of the input files.' })),
  input_files: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Names of files by input.',
  }),
  ...sourceFields,
  created: instant(),
  queued: nullableInstant,
  started: nullableInstant,
  ended: nullableInstant,
  last_status_change: instant(),
  superseded: nullableInstant,
  last_modified: instant(),
};
const revisionFields = { id: id(), job_type: IdRef, revision_num: integer({ minimum: 1 }) };

export const Job = named(
  'Job',
  Type.Object({
    ...headFields,
    job_type_rev: Type.Object(revisionFields),
    ...bodyFields,
    superseded_job: orNull(IdRef),
  }),
);

export type JobRecord = Static<typeof Job>;

const ChainNeighbour = orNull(Type.Object({ id: id(), job_type: JobTypeSummary, status: JobStatus }));

const JobDetails = named(
  'JobDetails',
  Type.Object({
    ...headFields,
    job_type_rev: Type.Object({
      ...revisionFields,
      container_image: Type.String(),
      created: instant(),
      manifest: document(undefined, StoredManifest),
    }),
    ...bodyFields,
    superseded_job: ChainNeighbour,
    superseded_by_job: ChainNeighbour,
    resources: Type.Object({
      resources: document(
        'By name: cpus, mem and disk (MiB), gpus, …',
        Type.Record(Type.String(), Type.Number()),
      ),
    }),
    max_tries: count,
    timeout: integer({ minimum: 0, description: 'Seconds of the main task; 0 = none.' }),
    execution: orNull(JobExecutionDetails),
    input: DataRecord,
    output: DataRecord,
    configuration: document('What it runs with, without secrets.', JobConfiguration),
  }),
);

const JobCreate = named(
  'JobCreate',
  Type.Object(
    {
      job_type_id: id('A job of its newest revision is queued.'),
      input: document('Values for its inputs.', Data),
      configuration: Type.Optional(document('Sections that replace those of its type.', JobConfiguration)),
    },
    { examples: [JOB] },
  ),
);

export interface JobRouteDeps {
  readonly jobs: {
    list: List<typeof filters, typeof order, Static<typeof Job>>;
    find(id: number): Promise<Static<typeof JobDetails> | undefined>;
    /**
     * Queues a job; resolves once it is committed, with the job as committed. Throws UNKNOWN_REFERENCE or
     * INVALID_REQUEST.
     */
    create(
      body: Static<typeof JobCreate>,
      asker: Asker,
    ): Promise<{ readonly record: Static<typeof JobDetails>; readonly warnings: readonly Problem[] }>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

export const JOB_ORDER = [
  ...scalarFields(Job),
  // Values that the record does not have itself; a type, recipe or node sorts by its name.
  ...(['max_tries', 'duration', 'job_type', 'node', 'recipe'] as const),
] as const;

/** Filters that the lists of jobs and recipes share. */
export const sourceFilters = {
  range: timeRange(),
  sourceRange: timeRange({ names: ['source_started', 'source_ended'] }),
  source_sensor_class: texts('Sensor classes of the source data.'),
  source_sensor: texts('Sensors of the source data.'),
  source_collection: texts('Collections of the source data.'),
  source_task: texts('Tasks of the source data.'),
};

const ids = (records: string) => integers(`Ids of ${records}.`, { minimum: 1 });

const filters = {
  ...sourceFilters,
  source_tasks: texts('The same as `source_task`.'),
  status: choices('Statuses.', JOB_STATUSES),
  job_id: ids('jobs'),
  job_type_id: ids('job types'),
  job_type_name: texts('Names of job types.'),
  job_type_version: texts('Versions of job types.'),
  batch_id: ids('batches, also those that the job lives on in'),
  recipe_id: ids('recipes that hold the job itself, also those that it lives on in'),
  error_category: choices('Categories of errors.', ERROR_CATEGORIES),
  error_id: ids('errors'),
  is_superseded: flag('True: superseded jobs only; false: none of them.'),
};
const order = orderBy(JOB_ORDER, ['last_modified']);

const list = defineList({
  path: '/v6/jobs/',
  summary: 'List jobs',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Job,
  records: ({ query }, { jobs }: JobRouteDeps) => {
    const source_task = [...query.source_task, ...query.source_tasks];
    return jobs.list({ ...query, source_task }, query.order, query.paging);
  },
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/',
  summary: 'Show a job',
  params: { id: pathId },
  replies: { 200: JobDetails },
  async handle({ params }, { jobs }: JobRouteDeps) {
    const found = await jobs.find(params.id);
    if (found === undefined) throw new AppError('NOT_FOUND', `there is no job ${params.id}`);
    return reply(200, found);
  },
});

/** The path of one job. */
export const jobPath = (id: number): string => `/v6/jobs/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/jobs/',
  summary: 'Queue a job',
  waitsForEntry: true,
  repeats: 'keyed',
  hasLargeBody: true,
  body: JobCreate,
  documentProblems: (raw, { jobs }: JobRouteDeps) => jobs.documentProblems(raw),
  replies: { 201: JobDetails },
  async handle({ body, request }, { jobs }: JobRouteDeps) {
    const { record, warnings } = await jobs.create(body, request);
    return reply(201, record, { location: jobPath(record.id), ...warningHeader(warnings) });
  },
});

export const jobRoutes = [list, create, get];

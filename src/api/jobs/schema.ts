/** Jobs as the interface shows and takes them. */
import { type Static, Type } from '@sinclair/typebox';
import { document, id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { Data } from '../documents/interface.ts';
import { JobConfiguration } from '../documents/job-configuration.ts';
import { StoredManifest } from '../documents/manifest.ts';
import { JobExecutionDetails } from '../executions/schema.ts';
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

const headFields = { id: id(), ...versionField, job_type: JobTypeSummary };
const bodyFields = {
  event: EventRecord,
  recipe: orNull(RecipeSummary),
  batch: orNull(BatchSummary),
  is_superseded: Type.Boolean(),
  status: JobStatus,
  node: orNull(NodeSummary),
  error: orNull(ErrorRecord),
  reason: orNull(
    Type.String({ description: 'What went wrong in the last execution, or what a queued job waits for.' }),
  ),
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

const ChainNeighbour = orNull(Type.Object({ id: id(), job_type: JobTypeSummary, status: JobStatus }));

export const JobDetails = named(
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
    actions: Type.Array(oneOf(['requeue', 'cancel']), {
      description: 'What the calls of these names would change of it now.',
    }),
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

export const JobCreate = named(
  'JobCreate',
  Type.Object(
    {
      job_type_id: id('The job has its newest revision.'),
      input: document('Values for its inputs.', Data),
      configuration: Type.Optional(document('Sections that replace those of its type.', JobConfiguration)),
    },
    { examples: [JOB] },
  ),
);

export type JobDetailsRecord = Static<typeof JobDetails>;
export type JobCreateBody = Static<typeof JobCreate>;

/** The path of one job. */
export const jobPath = (id: number): string => `/v6/jobs/${id}/`;

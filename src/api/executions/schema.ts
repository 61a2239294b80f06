/** Schemas of executions. */
import { Type } from '@sinclair/typebox';
import { EXECUTION_STATUSES } from '../../domain/job/job.ts';
import { document, id, instant, named, oneOf, orNull, integer as wholeNumber } from '../../http/schema.ts';
import {
  ErrorRecord,
  IdRef,
  JobTypeSummary,
  NodeSummary,
  nullableInstant,
  versionField,
} from '../shared/records.ts';

const amount = (description: string) => orNull(wholeNumber({ minimum: 0, description }));

const fields = {
  id: id(),
  ...versionField,
  status: oneOf(EXECUTION_STATUSES),
  exe_num: wholeNumber({ minimum: 1 }),
  cluster_id: Type.String({ description: 'The name of the execution in the cluster.' }),
  created: instant(),
  queued: instant(),
  started: instant(),
  ended: nullableInstant,
  last_modified: instant(),
  job: IdRef,
  node: orNull(NodeSummary),
  error: orNull(ErrorRecord),
  reason: orNull(Type.String({ description: 'What went wrong in this execution.' })),
  job_type: JobTypeSummary,
  timeout: wholeNumber({ minimum: 0, description: 'Seconds of the main task; 0 = none.' }),
  input_file_size: orNull(Type.Number({ description: 'MiB.' })),
  image_digest: orNull(
    Type.String({
      description: 'The image that it ran, as `sha256:…`; null for a plain process, and until it ends.',
    }),
  ),
  used: orNull(
    Type.Object(
      {
        source: oneOf(['cgroup', 'rusage', 'engine'] as const),
        memory_bytes: amount('The most memory at one time.'),
        processor_seconds: orNull(Type.Number({ minimum: 0, description: 'Of all processors together.' })),
        read_bytes: amount('Read from storage.'),
        written_bytes: amount('Written to storage.'),
        disk_bytes: amount('Allocated to its folder when its main task ended.'),
      },
      { description: 'What its main task used. Null if nothing was measured, and until it ends.' },
    ),
  ),
  log_cut: orNull(
    Type.Object(
      { stdout: wholeNumber({ minimum: 0 }), stderr: wholeNumber({ minimum: 0 }) },
      { description: 'Bytes of its output that were cut off. Null: none.' },
    ),
  ),
};

export const JobExecution = named('JobExecution', Type.Object(fields));

const Amounts = Type.Record(Type.String(), Type.Number());
const Mode = oneOf(['ro', 'rw'] as const);

const TaskVolume = Type.Object({
  container_path: Type.String(),
  mode: Mode,
  type: oneOf(['host', 'volume'] as const),
  host_path: Type.Optional(Type.String()),
  driver: Type.Optional(Type.String()),
  driver_opts: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const ExecutionTask = named(
  'ExecutionTask',
  Type.Object({
    task_id: Type.String(),
    type: oneOf(['pull', 'pre', 'main', 'post'] as const),
    resources: Amounts,
    args: Type.String({ description: 'The arguments, with the values of inputs; for `pull` the image.' }),
    env_vars: Type.Record(Type.String(), Type.String(), { description: 'Secrets are shown as `*****`.' }),
    workspaces: Type.Record(Type.String(), Type.Object({ mode: Mode })),
    mounts: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Names of volumes; null where the mount is not configured.',
    }),
    settings: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Null where the setting has no value; secrets are shown as `*****`.',
    }),
    volumes: Type.Record(Type.String(), TaskVolume),
    docker_params: Type.Array(Type.Object({ flag: Type.String(), value: Type.String() }), {
      description: 'Limits of its container, as flags of `docker run`.',
    }),
  }),
);

const ExecutionConfiguration = named(
  'ExecutionConfiguration',
  Type.Object({
    version: Type.String(),
    input_files: Type.Record(
      Type.String(),
      Type.Array(
        Type.Object({
          id: id(),
          type: Type.String(),
          workspace_name: Type.String(),
          workspace_path: Type.String(),
          local_file_name: Type.Optional(Type.String()),
          is_deleted: Type.Boolean(),
        }),
      ),
      { description: 'Files by input, with their present paths; the first 1,000.' },
    ),
    output_workspaces: Type.Record(Type.String(), Type.String(), {
      description: 'Names of workspaces by output.',
    }),
    tasks: Type.Array(ExecutionTask),
  }),
);

export const JobExecutionDetails = named(
  'JobExecutionDetails',
  Type.Object({
    ...fields,
    task_results: orNull(document('Times and exit codes of its tasks.')),
    resources: Type.Object({ resources: document('Amounts that it holds, by name.') }),
    configuration: ExecutionConfiguration,
    output: Type.Object({
      output_data: Type.Array(Type.Object({ name: Type.String(), file_id: id() })),
      files: document('Ids of files by output.'),
      json: document('JSON values by output.'),
    }),
  }),
);

export type LogStream = 'stdout' | 'stderr' | 'combined';

/** Schemas of records that several resources embed. `src/store/<noun>/list.ts` projects the rows in the same form. */
import { Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { document, id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';

export const nullableText = orNull(Type.String());
export const nullableInstant = orNull(instant());
export const count = integer({ minimum: 0 });

/** The numbers of jobs of a recipe or batch, by status. */
export const jobCounts = {
  jobs_total: count,
  jobs_pending: count,
  jobs_blocked: count,
  jobs_queued: count,
  jobs_running: count,
  jobs_failed: count,
  jobs_completed: count,
  jobs_canceled: count,
};

export const IdRef = named('IdRef', Type.Object({ id: id() }));

export const JobTypeSummary = named(
  'JobTypeSummary',
  Type.Object({
    id: id(),
    name: Type.String(),
    version: Type.String(),
    title: Type.String(),
    description: Type.String(),
    is_active: Type.Boolean(),
    is_paused: Type.Boolean(),
    is_published: Type.Boolean(),
    icon_code: nullableText,
    unmet_resources: orNull(
      Type.String({ description: 'Required resources that no node has, separated by commas.' }),
    ),
    is_system: Type.Boolean(),
  }),
);

export const RecipeTypeSummary = named(
  'RecipeTypeSummary',
  Type.Object({
    id: id(),
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    revision_num: integer({ minimum: 1 }),
  }),
);

export const EventRecord = named(
  'Event',
  Type.Object({
    id: id(),
    type: Type.String({ description: 'What triggered the record, such as USER.' }),
    rule: Type.Null(),
    occurred: instant(),
    description: document('Varies with the type.'),
  }),
);

export const ErrorRecord = named(
  'RegisteredError',
  Type.Object({
    id: id(),
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    job_type_name: nullableText,
    category: oneOf(['SYSTEM', 'ALGORITHM', 'DATA']),
    is_builtin: Type.Boolean(),
    should_be_retried: Type.Boolean(),
    created: instant(),
    last_modified: instant(),
  }),
);

export const NodeSummary = named('NodeSummary', Type.Object({ id: id(), hostname: Type.String() }));

/** The version of a record whose changes `/v6/changes/` returns. The record shows all changes up to its version. */
export const versionField = {
  object_version: integer({
    minimum: 1,
    description: 'Each change of the record adds one. `/v6/changes/` returns the changes.',
  }),
};

/** `batch` inside other records. */
export const BatchSummary = named(
  'BatchSummary',
  Type.Object({ id: id(), title: Type.String(), description: Type.String(), created: instant() }),
);

/** `recipe` inside jobs and sub-recipes. */
export const RecipeSummary = named(
  'RecipeSummary',
  Type.Object({ id: id(), recipe_type: RecipeTypeSummary, recipe_type_rev: IdRef, event: IdRef }),
);

export const JobStatus = oneOf(JOB_STATUSES);

export const DataRecord = named(
  'Data',
  Type.Object({
    files: Type.Record(Type.String(), Type.Array(id()), { description: 'Ids of files by parameter.' }),
    json: document('JSON values by parameter.', Type.Record(Type.String(), Type.Unknown())),
  }),
);

/** The origin of the source data of a job or recipe. */
export const sourceFields = {
  source_started: nullableInstant,
  source_ended: nullableInstant,
  source_sensor_class: nullableText,
  source_sensor: nullableText,
  source_collection: nullableText,
  source_task: nullableText,
};

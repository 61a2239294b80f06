/** `/v6/jobs/`: queued units of work. */
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { defineList } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choices, flag, integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { listJobs } from '../../store/job/list.ts';
import type { Parts } from '../parts.ts';
import { workDocumentProblems } from '../shared/requests.ts';
import { warningHeader } from '../shared/warnings.ts';
import { Job, JobCreate, JobDetails, jobPath } from './schema.ts';
import { jobDetails, type QueueParts, queueJob } from './service.ts';

export const JOB_ORDER = [
  ...scalarFields(Job),
  // Keys that are no fields of the record. A type, recipe or node sorts by its name.
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
  batch_id: ids('batches of the recipes that contain the jobs, or have taken them over'),
  recipe_id: ids('recipes that contain the jobs directly, or have taken them over'),
  error_category: choices('Categories of errors.', ERROR_CATEGORIES),
  error_id: ids('errors'),
  running_node_id: ids('nodes that run it now'),
  waits_for: choices(
    '`input`: PENDING jobs, without those of scans that nobody has started. `queue_lengths` counts the same.',
    ['input'],
  ),
  is_superseded: flag('True: only superseded jobs; false: only the others.'),
};
const order = orderBy(JOB_ORDER, ['last_modified']);

const list = defineList({
  path: '/v6/jobs/',
  summary: 'List jobs',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Job,
  records: ({ query, shown }, { sql }: Parts<'sql'>) => {
    const source_task = [...query.source_task, ...query.source_tasks];
    return listJobs(sql, { ...query, source_task }, query.order, query.paging, shown);
  },
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/',
  summary: 'Show a job',
  params: { id: pathId },
  replies: { 200: JobDetails },
  async handle({ params }, parts: Parts<'jobReads' | 'configurationOf'>) {
    return reply(200, await jobDetails(parts, params.id));
  },
});

export const createJob = defineRoute({
  method: 'POST',
  path: '/v6/jobs/',
  summary: 'Queue a job',
  waitsForEntry: true,
  repeats: 'keyed',
  hasLargeBody: true,
  body: JobCreate,
  documentProblems: (raw, { sql }: Parts<'sql'>) => workDocumentProblems(sql, raw, 'texts'),
  replies: { 201: JobDetails },
  async handle({ body, request }, parts: QueueParts) {
    const { record, warnings } = await queueJob(parts, body, request);
    return reply(201, record, { location: jobPath(record.id), ...warningHeader(warnings) });
  },
});

export const jobRoutes = [list, createJob, get];

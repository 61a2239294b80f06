/** `/v6/job-types/status|pending|running|system-failures/`: job types by the state of their jobs. */
import { Type } from '@sinclair/typebox';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { defineList } from '../../http/list.ts';
import { flag } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { instant, named, oneOf, orNull } from '../../http/schema.ts';
import { EXECUTIONS_MAX, findJobTypeUsed } from '../../store/job-type/used.ts';
import {
  jobTypeStatus,
  pendingJobTypes,
  runningJobTypes,
  systemFailures,
} from '../../store/job-type/views.ts';
import type { Parts } from '../parts.ts';
import { count, ErrorRecord, JobStatus, JobTypeSummary, nullableInstant } from '../shared/records.ts';
import { unknownJobType } from './schema.ts';

const JobTypeStatus = named(
  'JobTypeStatus',
  Type.Object({
    job_type: JobTypeSummary,
    job_counts: Type.Array(
      Type.Object({
        status: JobStatus,
        count,
        most_recent: instant(),
        category: orNull(oneOf(ERROR_CATEGORIES)),
      }),
    ),
  }),
);
const PendingJobType = named(
  'PendingJobType',
  Type.Object({ job_type: JobTypeSummary, count, longest_pending: instant() }),
);
const RunningJobType = named(
  'RunningJobType',
  Type.Object({ job_type: JobTypeSummary, count, longest_running: instant() }),
);
const SystemFailure = named(
  'SystemFailure',
  Type.Object({
    job_type: JobTypeSummary,
    error: ErrorRecord,
    count,
    first_error: orNull(instant()),
    last_error: orNull(instant()),
  }),
);

const Figure = orNull(
  named(
    'UsedFigure',
    Type.Object({
      p50: Type.Number(),
      p95: Type.Number(),
      max: Type.Number(),
      given: orNull(Type.Number({ description: 'What the newest of these executions was given.' })),
    }),
  ),
);
const JobTypeUsed = named(
  'JobTypeUsed',
  Type.Object({
    job_type: JobTypeSummary,
    executions: count,
    oldest: nullableInstant,
    newest: nullableInstant,
    figures: Type.Object({
      memory_bytes: Figure,
      cpus: Figure,
      processor_seconds: Figure,
      seconds: Figure,
      read_bytes: Figure,
      written_bytes: Figure,
      disk_bytes: Figure,
    }),
  }),
);

const HOUR_MS = 3_600_000;

const status = defineList({
  path: '/v6/job-types/status/',
  summary: 'Job types with the numbers of their jobs by status',
  description: `Lists every job type. Counts jobs that got their status within the range, by default the last three
hours, and all running jobs. For jobs that are FAILED, COMPLETED or CANCELED the range is extended to whole slots of
five minutes.`,
  query: {
    is_active: flag('True: active types; false: deprecated ones.'),
    range: timeRange({ daysMax: 31, startDefault: (nowMs) => nowMs - 3 * HOUR_MS }),
  },
  record: JobTypeStatus,
  async records({ query, request }, { sql }: Parts<'sql'>) {
    const { startedMs = request.nowMs - 3 * HOUR_MS, endedMs = request.nowMs } = query.range;
    return jobTypeStatus(sql, query.is_active, { startedMs, endedMs }, query.paging);
  },
});

const pending = defineList({
  path: '/v6/job-types/pending/',
  summary: 'Job types with jobs that wait for others',
  description: 'The type with the job that has waited longest comes first.',
  record: PendingJobType,
  records: ({ query }, { sql }: Parts<'sql'>) => pendingJobTypes(sql, query.paging),
});

const running = defineList({
  path: '/v6/job-types/running/',
  summary: 'Job types with jobs that run',
  description: 'The type with the job that has run longest comes first.',
  record: RunningJobType,
  records: ({ query }, { sql }: Parts<'sql'>) => runningJobTypes(sql, query.paging),
});

const failures = defineList({
  path: '/v6/job-types/system-failures/',
  summary: 'Jobs that failed by errors of the system',
  description:
    'Jobs that are FAILED now, by job type and error of category SYSTEM; the newest failure first.',
  record: SystemFailure,
  records: ({ query }, { sql }: Parts<'sql'>) => systemFailures(sql, query.paging),
});

const used = defineRoute({
  method: 'GET',
  path: '/v6/job-types/{name}/{version}/used/',
  summary: 'What recent executions of a job type used',
  description: `For the newest ${EXECUTIONS_MAX} executions that were measured: the median, the 95th percentile and the
maximum of each figure, and what they were given. \`seconds\` is the time of the main task, \`cpus\` its
\`processor_seconds\` for each second. A figure that was not measured is null.`,
  params: { name: pathText, version: pathText },
  replies: { 200: JobTypeUsed },
  async handle({ params: { name, version } }, { sql }: Parts<'sql'>) {
    const found = await findJobTypeUsed(sql, name, version);
    if (found === undefined) throw unknownJobType(name, version);
    return reply(200, found);
  },
});

export const jobTypeViewRoutes = [status, pending, running, failures, used];

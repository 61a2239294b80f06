/** `/v6/job-types/status|pending|running|system-failures/`: job types by the state of their jobs. */
import { Type } from '@sinclair/typebox';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { defineList } from '../../http/list.ts';
import { flag } from '../../http/request/parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { instant, named, oneOf, orNull } from '../../http/schema.ts';
import {
  jobTypeStatus,
  pendingJobTypes,
  runningJobTypes,
  systemFailures,
} from '../../store/job-type/views.ts';
import type { Parts } from '../parts.ts';
import { count, ErrorRecord, JobStatus, JobTypeSummary } from '../shared/records.ts';

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

const HOUR_MS = 3_600_000;

const status = defineList({
  path: '/v6/job-types/status/',
  summary: 'Job types with the numbers of their jobs by status',
  description: `Every job type is listed. Counted are jobs that came to their status within the range, by default
the last three hours, and all that run. The range begins and ends with whole slots of five minutes for jobs that are
FAILED, COMPLETED or CANCELED.`,
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

export const jobTypeViewRoutes = [status, pending, running, failures];

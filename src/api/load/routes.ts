/** `/v6/load/`: how many jobs were waiting and running, sampled every hour. */
import { Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { choice, integers, texts } from '../../http/request/parameters.ts';
import { timeRange, weekAgo } from '../../http/request/time-range.ts';
import { instant, named } from '../../http/schema.ts';
import { listLoad } from '../../store/metrics/load-list.ts';
import type { Parts } from '../parts.ts';
import { count } from '../shared/records.ts';

const LoadItem = named(
  'LoadItem',
  Type.Object({
    time: instant('When the jobs were counted.'),
    pending_count: count,
    queued_count: count,
    running_count: count,
  }),
);

const list = defineList({
  path: '/v6/load/',
  summary: 'Pending, queued and running jobs over time',
  description:
    'One item for each hour or minute that was sampled, the oldest first; a type without such jobs counts as zero. ' +
    'The jobs of a scan that nobody has started are not counted. ' +
    'The range begins a week ago, at midnight UTC, when it is not given.',
  query: {
    range: timeRange({ daysMax: 31, startDefault: weekAgo }),
    interval: choice('How often jobs were counted, by default each hour. Minutes are kept for a day.', [
      ...(['hour', 'minute'] as const),
    ]),
    job_type_id: integers('Ids of job types.', { minimum: 1 }),
    job_type_name: texts('Names of job types, of any version.'),
    job_type_category: texts('Categories: tags of the job types.'),
    job_type_priority: integers('Priorities that the job types are configured with now.'),
  },
  record: LoadItem,
  records: ({ query }, { sql }: Parts<'sql'>) => listLoad(sql, query, query.paging),
});

export const loadRoutes = [list];

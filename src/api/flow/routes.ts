/** `/v6/flow/`: the way of files from workspaces to products, with counts. */
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { assert } from '../../lib/assert.ts';
import type { Parts } from '../parts.ts';
import { flowOf } from './flow.ts';
import { Flow } from './schema.ts';

const DAYS_MAX = 7;
const HOUR_MS = 3_600_000;

const flow = defineRoute({
  method: 'GET',
  path: '/v6/flow/',
  summary: 'The way of files from workspaces to products, with counts',
  description:
    'A graph of workspaces, the strikes and scans that changed last (200 and 50), the recipe types that they start ' +
    'or that have live recipes (200), and the job types of these (500). Ended work is counted by whole hours. The ' +
    'range begins an hour ago when it is not given.',
  query: { range: timeRange({ daysMax: DAYS_MAX, startDefault: (nowMs) => nowMs - HOUR_MS }) },
  replies: { 200: Flow },
  async handle({ query }, { sql }: Parts<'sql'>) {
    const { startedMs, endedMs } = query.range;
    assert(startedMs !== undefined && endedMs !== undefined, 'both ends of a range that is limited');
    return reply(200, await flowOf(sql, { startedMs, endedMs }));
  },
});

export const flowRoutes = [flow];

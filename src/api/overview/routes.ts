/** `/v6/overview/`: the present work and the problems of the whole installation in one answer. */
import { type TSchema, Type } from '@sinclair/typebox';
import { defineRoute, reply } from '../../http/route.ts';
import { integer, named } from '../../http/schema.ts';
import { listFailures } from '../../store/failure/list.ts';
import { listNodes } from '../../store/node/list.ts';
import { liveTotals, queueClasses, queueStatus } from '../../store/scheduler/queue.ts';
import type { Listed } from '../../store/sql/listing.ts';
import { recentCounts } from '../../store/status/recent-counts.ts';
import { listStrikes } from '../../store/strike/list.ts';
import { listUnreached } from '../../store/workspace/list.ts';
import { FailureGroup } from '../failures/routes.ts';
import { Node } from '../nodes/routes.ts';
import type { Parts } from '../parts.ts';
import { QueueClass, QueueLengths, QueueStatus } from '../scheduler/routes.ts';
import { StrikeSummary } from '../strikes/schema.ts';
import { UnreachedWorkspace } from '../workspaces/schema.ts';

const DAY_MS = 86_400_000;
// limit: entries of each kind in one answer; the lists have the others.
const ENTRIES_MAX = 10;
// limit: classes of queued jobs that are looked at.
const CLASSES_MAX = 100;

const NEWEST_FIRST = [
  { field: 'last_modified', isDescending: true },
  { field: 'id', isDescending: true },
] as const;

const ALWAYS = { startedMs: undefined, endedMs: undefined } as const;

const firstOf = <S extends TSchema>(record: S, description: string) =>
  Type.Object(
    { count: integer({ minimum: 0, description: 'All of them.' }), results: Type.Array(record) },
    { description },
  );

const Overview = named(
  'Overview',
  Type.Object({
    arriving_count: integer({
      minimum: 0,
      description: 'Ingests that are TRANSFERRING, of those that changed within a day.',
    }),
    failed_count: integer({
      minimum: 0,
      description: 'Jobs that are FAILED, of those that changed within a day.',
    }),
    queue_lengths: QueueLengths,
    queue: firstOf(QueueStatus, 'Queued jobs by job type, as in `/v6/queue/status/`.'),
    unmet_classes: Type.Array(QueueClass, {
      description: 'Queued jobs that no node could run, as in `/v6/queue/classes/`.',
    }),
    failures: firstOf(
      FailureGroup,
      'Failures of the last day that are not marked as known, as in `/v6/failures/`.',
    ),
    unreached_workspaces: firstOf(UnreachedWorkspace, 'Active workspaces that no connected node reaches.'),
    paused_nodes: firstOf(Node, 'Active nodes that somebody has paused.'),
    strikes: firstOf(StrikeSummary, 'Strikes; those that changed last come first.'),
  }),
);

const overview = defineRoute({
  method: 'GET',
  path: '/v6/overview/',
  summary: 'What arrives, waits, runs, has failed and needs attention',
  description: `The figures that a person on duty watches, in one answer. Of each kind of entry the first
${ENTRIES_MAX} are answered.`,
  replies: { 200: Overview },
  async handle({ request: { nowMs } }, { sql }: Parts<'sql'>) {
    const page = { pageSize: ENTRIES_MAX, offset: 0 };
    const sinceMs = nowMs - DAY_MS;
    const unknown = { startedMs: sinceMs, endedMs: nowMs, is_known: false, job_type_id: [] };
    const paused = { range: ALWAYS, is_active: true, is_paused: true };
    const [counts, totals, queue, classes, failures, unreached, pausedNodes, strikes] = await Promise.all([
      recentCounts(sql, sinceMs),
      liveTotals(sql),
      queueStatus(sql, page),
      queueClasses(sql, { pageSize: CLASSES_MAX, offset: 0 }),
      listFailures(sql, unknown, page),
      listUnreached(sql, {}, [{ field: 'name', isDescending: false }], page),
      listNodes(sql, paused, [{ field: 'hostname', isDescending: false }], page),
      listStrikes(sql, { range: ALWAYS, id: [], name: [], label: [], keyword: [] }, NEWEST_FIRST, page),
    ]);
    return reply(200, {
      arriving_count: counts.arriving,
      failed_count: counts.failed,
      queue_lengths: { PENDING: 0, QUEUED: 0, RUNNING: 0, ...totals.lengths },
      queue: answered(queue),
      unmet_classes: classes.results.filter(({ unmet }) => unmet !== null).slice(0, ENTRIES_MAX),
      failures: answered(failures),
      unreached_workspaces: answered(unreached),
      paused_nodes: answered(pausedNodes),
      strikes: answered(strikes),
    });
  },
});

const answered = <R>({ count, results }: Listed<R>) => ({ count, results: [...results] });

export const overviewRoutes = [overview];

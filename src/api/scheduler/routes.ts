/** `/v6/scheduler/` and `/v6/queue/`: settings and resources of the whole cluster, and the queue. */
import { type Static, Type } from '@sinclair/typebox';
import { SCHEDULER, type SchedulerMessage } from '../../actors/scheduler/scheduler.messages.ts';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/near-names.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList } from '../../http/list.ts';
import { invalidBody } from '../../http/problem.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, integer, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import type { System } from '../../kernel/mod.ts';
import { loadSettings } from '../../store/scheduler/load.ts';
import { clusterResources, liveTotals, queueClasses, queueStatus } from '../../store/scheduler/queue.ts';
import type { Parts } from '../parts.ts';
import { JobTypeSummary, versionField } from '../shared/records.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

const QUEUE_MODES = ['FIFO', 'LIFO'] as const;
const LOGGING_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

// limit: concurrent commits of a coordinator, as in the column's check constraint.
const MESSAGE_HANDLERS_MAX = 64;

const Scheduler = named(
  'Scheduler',
  Type.Object({
    ...versionField,
    is_paused: Type.Boolean({ description: 'True: no node gets new jobs, as if every node were paused.' }),
    num_message_handlers: integer({ minimum: 0, description: 'Parallel commit lanes of a coordinator.' }),
    queue_mode: oneOf(QUEUE_MODES),
    system_logging_level: oneOf(LOGGING_LEVELS),
  }),
);
const SchedulerEdit = named(
  'SchedulerEdit',
  Type.Object(
    {
      is_paused: Type.Optional(Type.Boolean()),
      num_message_handlers: Type.Optional(integer({ minimum: 0, maximum: MESSAGE_HANDLERS_MAX })),
      queue_mode: Type.Optional(Type.String({ description: 'LIFO or FIFO, in any case.' })),
      system_logging_level: Type.Optional(
        Type.String({ description: `${LOGGING_LEVELS.join(', ')}; any other value becomes INFO.` }),
      ),
    },
    { additionalProperties: false },
  ),
);

const Amounts = Type.Record(Type.String(), Type.Number(), {
  description: 'cpus in cores; mem and disk in MiB; gpus in units.',
});
const byState = <S extends typeof Amounts | ReturnType<typeof integer>>(schema: S) =>
  Type.Object({ PENDING: schema, QUEUED: schema, RUNNING: schema });
export const QueueLengths = byState(
  integer({
    minimum: 0,
    description: 'Jobs. The jobs of a scan that nobody has started are not counted.',
  }),
);
const QueuedResources = named(
  'QueuedResources',
  Type.Object({
    cluster_resources: Type.Object(
      { cpus: Type.Number(), disk: Type.Number(), gpus: Type.Number(), mem: Type.Number() },
      { additionalProperties: Type.Number() },
    ),
    queue_lengths: QueueLengths,
    total_resources: byState(Amounts),
  }),
);

export const QueueStatus = named(
  'QueueStatus',
  Type.Object({
    job_type: JobTypeSummary,
    count: integer({ minimum: 1, description: 'Queued jobs of the type.' }),
    longest_queued: instant('When the job that waits longest was queued.'),
    highest_priority: integer({ description: 'The smallest number: the most urgent.' }),
  }),
);

export const QueueClass = named(
  'QueueClass',
  Type.Object({
    job_type: JobTypeSummary,
    count: integer({ minimum: 1, description: 'Queued jobs of the class.' }),
    longest_queued: instant('When the job was queued that waits longest.'),
    highest_priority: integer({ description: 'The smallest number: the most urgent.' }),
    first_job_id: id('The job that is served first: `/v6/jobs/{id}/why/` says what each node lacks for it.'),
    executor: Type.String({ description: 'What its image needs; nodes offer executors.' }),
    resources: Amounts,
    workspaces: Type.Array(Type.String(), { description: 'Names of those that a node has to reach.' }),
    unmet: orNull(
      Type.String({
        description: 'Why no node of the cluster could run it, in a sentence; null if one could.',
      }),
    ),
  }),
);

/** The fields of an edit that are given. */
export interface SchedulerChange {
  readonly isPaused?: boolean;
  readonly messageHandlerCount?: number;
  readonly queueMode?: (typeof QUEUE_MODES)[number];
  readonly loggingLevel?: (typeof LOGGING_LEVELS)[number];
}

interface AskingParts {
  readonly system: Pick<System, 'ask'>;
}

const settings = defineRoute({
  method: 'GET',
  path: '/v6/scheduler/',
  summary: 'Settings of the scheduler',
  replies: { 200: Scheduler },
  async handle(_input, { sql }: Parts<'sql'>) {
    const settings = await loadSettings(sql);
    return reply(200, {
      object_version: settings.objectVersion,
      is_paused: settings.isPaused,
      num_message_handlers: settings.messageHandlerCount,
      queue_mode: settings.queueMode,
      // The column's check constraint allows the existing levels only.
      system_logging_level: settings.loggingLevel as (typeof LOGGING_LEVELS)[number],
    });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/scheduler/',
  summary: 'Change the settings of the scheduler',
  body: SchedulerEdit,
  documentProblems: async ({ queue_mode: mode }) => {
    return typeof mode === 'string' && queueModeOf(mode) === undefined ? [noQueueMode(mode)] : [];
  },
  replies: { 204: NO_BODY },
  async handle({ body }, { system }: AskingParts) {
    const message: SchedulerMessage = { type: 'edit', patch: changeOf(body) };
    await system.ask(SCHEDULER, message, { deadlineMs: ASK_DEADLINE_MS });
    return reply(204);
  },
});

function changeOf(body: Static<typeof SchedulerEdit>): SchedulerChange {
  if (Object.keys(body).length === 0) {
    throw new AppError(
      'INVALID_REQUEST',
      'the body is empty: give is_paused, queue_mode, num_message_handlers or system_logging_level',
    );
  }
  const queueMode = body.queue_mode === undefined ? undefined : queueModeOf(body.queue_mode);
  if (body.queue_mode !== undefined && queueMode === undefined) {
    throw invalidBody([noQueueMode(body.queue_mode)]);
  }
  const wanted = body.system_logging_level?.toUpperCase();
  const loggingLevel = LOGGING_LEVELS.find((level) => level === wanted) ?? 'INFO';
  return {
    ...(body.is_paused === undefined ? {} : { isPaused: body.is_paused }),
    ...(body.num_message_handlers === undefined ? {} : { messageHandlerCount: body.num_message_handlers }),
    ...(queueMode === undefined ? {} : { queueMode }),
    ...(wanted === undefined ? {} : { loggingLevel }),
  };
}

function noQueueMode(text: string): Problem {
  const description = `must be one of: ${QUEUE_MODES.join(', ')}${didYouMean(text, QUEUE_MODES)}`;
  return { name: 'NOT_ALLOWED', description, path: 'queue_mode' };
}

function queueModeOf(text: string): (typeof QUEUE_MODES)[number] | undefined {
  return QUEUE_MODES.find((known) => known === text.toUpperCase());
}

const queuedResources = defineRoute({
  method: 'GET',
  path: '/v6/scheduler/queued-resources/',
  summary: 'What the cluster has, and what the jobs in its queue need',
  replies: { 200: QueuedResources },
  async handle(_input, { sql }: Parts<'sql'>) {
    const [{ lengths, amounts }, cluster] = await Promise.all([liveTotals(sql), clusterResources(sql)]);
    return reply(200, {
      cluster_resources: { cpus: 0, disk: 0, gpus: 0, mem: 0, ...cluster },
      queue_lengths: { PENDING: 0, QUEUED: 0, RUNNING: 0, ...lengths },
      total_resources: { PENDING: {}, QUEUED: {}, RUNNING: {}, ...amounts },
    });
  },
});

const listQueue = defineList({
  path: '/v6/queue/status/',
  summary: 'Queued jobs by job type',
  description:
    'Types that are not paused come first, more urgent ones before others, then those that wait longest.',
  record: QueueStatus,
  records: ({ query }, { sql }: Parts<'sql'>) => queueStatus(sql, query.paging),
});

const listClasses = defineList({
  path: '/v6/queue/classes/',
  summary: 'Queued jobs by what they need of a node',
  description: `Jobs of one class have the same type, resources, executor and workspaces, so the scheduler treats them
alike. Classes that no node could run come first, then those that wait longest.`,
  record: QueueClass,
  records: ({ query }, { sql }: Parts<'sql'>) => queueClasses(sql, query.paging),
});

export const schedulerRoutes = [settings, edit, queuedResources, listQueue, listClasses];

/**
 * The owner of one job without a recipe: the only writer of its row. Decisions are in domain/job
 * (`standalone-events.ts`); here they become effects.
 *
 * poll: agents report until they are acknowledged; a reconciliation finds executions whose kill was lost.
 */

import type { Change } from '../../domain/changes.ts';
import { isLive } from '../../domain/job/job-machine.ts';
import { isPassedBy } from '../../domain/job/job-request.ts';
import { StandaloneChanges } from '../../domain/job/standalone-events.ts';
import type { StandaloneJob } from '../../domain/job/standalone-job.ts';
import {
  type Ctx,
  call,
  type Done,
  defineActor,
  type Effect,
  type Failed,
  portsOf,
  save,
  stay,
  stop,
  timer,
} from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { answer, deferUntilReload } from '../defer-until-reload.ts';
import { stampJobs } from '../job-request/stamps.ts';
import { keepAnswer } from '../keyed-answer.ts';
import { asksForNewest, type Forget } from '../owner.messages.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import {
  acknowledge,
  announcementOf,
  announceQueued,
  fallbackForReports,
  killStale,
  type OwnedExecution,
  voidAll,
} from '../task-results.ts';
import type { JobMessage } from './job.messages.ts';
import type { JobPorts } from './job.ports.ts';

const RETRY_MS = 5_000;
/** Types are edited while jobs are in memory: before a requeue, a state older than this is loaded again. */
const REQUEUE_AGE_MAX_MS = 1_000;

interface LoadedJob {
  readonly state: StandaloneJob;
  loadedMs: number;
  /** Rows have data that memory lacks: the state must decide nothing more. */
  isStale: boolean;
}
type Inbox =
  | JobMessage
  | { readonly type: 'lookUp' }
  | Done<'executionsRead', readonly OwnedExecution[]>
  | Failed<'runningExecutionsFailed'>;
type JobEffect = Effect<Change, Inbox>;

const { runningExecutions } = portsOf<JobPorts>();

export const jobActor = defineActor<LoadedJob, Inbox, JobPorts, Change>({
  kind: 'job',
  mailboxMax: 1_000,
  idleMs: 10_000,
  turnMax: 100,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(30_000, (ports, shards) => ports.dueJobs(shards)),
  async load(keys, ports) {
    const jobs = await ports.loadJobs(keys.map(Number));
    return new Map([...jobs].map(([id, state]) => [String(id), { state, loadedMs: 0, isStale: false }]));
  },
  fallbackFor: (message) => (message.type === 'taskEnded' ? fallbackForReports(message) : undefined),
  start(loaded, ctx) {
    if (loaded !== undefined) loaded.loadedMs = ctx.nowMs;
    return stay(loaded);
  },
  receive(loaded, message, ctx) {
    if (loaded === undefined) return stay(loaded, ...withoutRow(message, ctx));
    if (message.type === 'forget') return stay(loaded, ...answer(message, ctx, {}), stop());
    loaded.isStale ||=
      message.type === 'requeueJobs' && hasElapsed(loaded.loadedMs, REQUEUE_AGE_MAX_MS, ctx.nowMs);
    if (asksForNewest(message)) {
      loaded.isStale = true;
      return stay(loaded, ...deferUntilReload({ ...message, isReloaded: true }, ctx));
    }
    if (loaded.isStale) return stay(loaded, ...deferUntilReload(message, ctx));
    return stay(loaded, ...receive(loaded.state, message, ctx));
  },
});

function receive(state: StandaloneJob, message: Exclude<Inbox, Forget>, ctx: Ctx): readonly JobEffect[] {
  const { job } = state;
  const turn = new StandaloneChanges(state, ctx);
  const wasLive = isLive(job.status);
  switch (message.type) {
    case 'queue':
      return answer(message, ctx, {});
    case 'wake':
    case 'lookUp':
      return [lookUp(job.id)];
    case 'taskEnded':
      turn.settle(message.results.map(({ result }) => result));
      return [...effectsOf(turn), ...acknowledge(message.results, turn.voids)];
    case 'cancelJobs':
    case 'requeueJobs': {
      const { position } = message;
      const isMeant = message.jobIds.includes(job.id) && !isPassedBy(job, position);
      const isCancel = message.type === 'cancelJobs';
      const isMoved =
        isMeant && (isCancel ? turn.cancel() : turn.requeue(message.priority, message.revision === 'newest'));
      const stamps = isMoved ? stampJobs([job], position) : [];
      const lookUps = isMoved && wasLive ? [lookUp(job.id)] : [];
      return [
        ...effectsOf(turn),
        ...stamps,
        ...lookUps,
        ...answer(message, ctx, { jobIds: isMoved ? [job.id] : [] }),
      ];
    }
    case 'executionsRead':
      return killStale(message.result, () => job);
    case 'runningExecutionsFailed':
      return [timer('kills', RETRY_MS, { type: 'lookUp' })];
  }
}

function effectsOf(turn: StandaloneChanges): Effect<Change>[] {
  return [...turn.toChanges().map((change) => save(change)), ...announceQueued(turn.queued)];
}

/** Looks up running executions of the job, so that they can be killed. */
function lookUp(jobId: number): JobEffect {
  return call(runningExecutions, [jobId], {
    done: 'executionsRead',
    failed: 'runningExecutionsFailed',
    evenIfReloaded: true,
  });
}

/** The job has no row: it begins now, or was removed. */
function withoutRow(message: Inbox, ctx: Ctx): Effect<Change>[] {
  switch (message.type) {
    case 'queue': {
      const { event, job, class: jobClass } = message;
      const queueing = job.queueing;
      const entry = {
        jobId: job.id,
        exeNum: queueing?.exeNum ?? 1,
        priority: job.priority,
        queuedMs: job.atMs,
        owner: job.owner,
        class: jobClass,
      };
      return [
        save({ type: 'createEvents', events: [event] }),
        save({ type: 'ensureClasses', classes: [jobClass] }),
        save({ type: 'createJobs', jobs: [job] }),
        ...keepAnswer(message),
        ...announcementOf(message)([entry]),
        ...answer(message, ctx, {}),
        stop(),
      ];
    }
    case 'taskEnded':
      return voidAll(message.results, ctx.nowMs);
    case 'cancelJobs':
    case 'requeueJobs':
      return answer(message, ctx, { jobIds: [] });
    case 'forget':
      return answer(message, ctx, {});
    default:
      return [];
  }
}

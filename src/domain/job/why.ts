/**
 * Explains why a job that was queued before is not completed: what ended its last try, and whether another one follows.
 */
import { type Cause, cause, requeueOf, type Subject, subject } from '../cause.ts';
import type { JobStatus } from './job.ts';

/** The facts from a job's rows that its causes need. */
export interface JobFacts {
  readonly id: number;
  readonly status: JobStatus;
  readonly exeNum: number;
  readonly maxTries: number;
  readonly timeoutS: number;
  readonly sinceMs: number;
  readonly isSuperseded: boolean;
  /** The recipe that contains the job now, and its node there. */
  readonly recipeId: number | null;
  readonly recipeNode: string | null;
  /** The reason in its row: why it failed, or could not take another revision. */
  readonly reason: string | null;
  readonly error: {
    readonly id: number;
    readonly name: string;
    readonly title: string;
    readonly category: string;
    readonly isRetried: boolean;
  } | null;
  readonly node: {
    readonly id: number;
    readonly hostname: string;
    readonly isOnline: boolean;
    readonly lastSeenMs: number | null;
  } | null;
  readonly startedMs: number | null;
  /** The error of the previous execution, if that failed. */
  readonly former: string | null;
  /** The account that canceled it; null if none did or it is unknown. */
  readonly canceledBy: string | null;
  /** Set for a system job: the ingest, strike or scan that it works for, and why that waits. */
  readonly systemWork: {
    readonly kind: 'ingest' | 'strike' | 'scan';
    readonly id: number;
    readonly reason: string | null;
  } | null;
}

/** The causes of a job that runs or has ended. The recipe explains waiting jobs, and the scheduler queued ones. */
export function ownCauses(job: JobFacts, nowMs: number): readonly Cause[] {
  switch (job.status) {
    case 'RUNNING':
      return [running(job, nowMs), ...triedBefore(job)];
    case 'FAILED':
      return [failed(job)];
    case 'CANCELED':
      return [canceled(job)];
    default:
      return [];
  }
}

/** The error of the previous execution, for a job that is tried again. */
export function triedBefore({ exeNum, maxTries, former }: JobFacts): readonly Cause[] {
  if (former === null) return [];
  const amounts = [{ name: 'tries', wanted: exeNum, there: maxTries, node: null }];
  return [cause('tried-again', { reason: `it is tried again after: ${former}`, amounts })];
}

/** The causes of a queued system job: why the ingest, strike or scan that it works for waits. */
export function systemCauses({ systemWork, sinceMs }: JobFacts): readonly Cause[] {
  if (systemWork === null) return [];
  const { kind, id, reason } = systemWork;
  return [
    cause(`${kind}-waits`, {
      reason: reason ?? `it waits for a node that works for its ${kind} ${id}`,
      sinceMs,
      subjects: [subject(kind, id)],
    }),
  ];
}

function running({ node, startedMs, timeoutS }: JobFacts, nowMs: number): Cause {
  const subjects: Subject[] = node === null ? [] : [subject('node', node.id, node.hostname)];
  if (node !== null && !node.isOnline) {
    return cause('node-silent', {
      reason: `its node ${node.hostname} is silent: it is given up and tried elsewhere, unless the node comes back`,
      sinceMs: node.lastSeenMs,
      subjects,
      help: 'Start the agent of the node, or see why it does not reach a coordinator.',
    });
  }
  const ranS = startedMs === null ? 0 : Math.max(0, Math.floor((nowMs - startedMs) / 1000));
  const limit = timeoutS === 0 ? 'no time limit' : `a time limit of ${timeoutS} s`;
  return cause('running', {
    reason: `it runs on ${node?.hostname ?? 'a node'}, with ${limit} for its main task`,
    sinceMs: startedMs,
    amounts:
      timeoutS === 0
        ? []
        : [{ name: 'seconds', wanted: ranS, there: timeoutS, node: node?.hostname ?? null }],
    subjects,
  });
}

function failed({ id, error, reason, exeNum, maxTries, sinceMs }: JobFacts): Cause {
  const tries = { name: 'tries', wanted: exeNum, there: maxTries, node: null };
  const title = error?.title ?? 'Failed';
  const isRetried = error?.isRetried === true;
  const rest = isRetried
    ? `all ${maxTries} tries are used`
    : `an error of the category ${error?.category} is not tried again`;
  return cause(isRetried ? 'tries-used-up' : 'failed', {
    reason: `${title}${reason === null ? '' : `: ${reason}`}; ${rest}`,
    sinceMs,
    amounts: [tries],
    subjects: error === null ? [] : [subject('error', error.id, error.name)],
    help: 'Fix what the reason says, then queue it again.',
    action: requeueOf([id]),
  });
}

function canceled({ id, isSuperseded, canceledBy, sinceMs }: JobFacts): Cause {
  if (isSuperseded) {
    return cause('superseded', { reason: 'its recipe was reprocessed before it was done', sinceMs });
  }
  return cause('canceled', {
    reason: canceledBy === null ? 'it was canceled' : `canceled by ${canceledBy}`,
    sinceMs,
    help: 'Queue it again.',
    action: requeueOf([id]),
  });
}

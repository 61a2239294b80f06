/**
 * One request to cancel or requeue jobs: worked off page by page, from the highest job id downward. How far it has
 * come is a row, so that it goes on after any crash. The owners of the jobs decide what becomes of each.
 *
 * poll: the sweep wakes every request that is not done.
 */
import type { Change } from '../../domain/changes.ts';
import type { JobRequest, JobRequestPage } from '../../domain/job/job-request.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  call,
  defineActor,
  type Effect,
  type Outcome,
  reply,
  save,
  stay,
  stop,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { FROM_ITS_ROW, wakeDue } from '../standing-work.ts';
import type { JobRequestMessage } from './job-request.messages.ts';
import type { JobRequestPorts } from './job-request.ports.ts';

const RETRY_MS = 2_000;
/** limit: how often owners of one page that do not answer are asked. */
const TRIES_MAX = 10;

interface Cell {
  readonly request: JobRequest;
  /** A page is under way. */
  readonly isBusy: boolean;
  /** How often the page at hand was tried. */
  readonly tries: number;
}

type Tag = { readonly about: 'page' };
type Inbox = JobRequestMessage | { readonly type: 'again' } | Called<Tag> | CallFailed<Tag>;

export const jobRequestActor = defineActor<Cell, Inbox, JobRequestPorts, Change>({
  kind: 'job_request',
  mailboxMax: 100,
  idleMs: 60_000,
  turnMax: 1,
  supervise: FROM_ITS_ROW,
  sweep: wakeDue(15_000, (ports, shards) => ports.dueJobRequests(shards)),
  async load(keys, ports) {
    const requests = await ports.loadJobRequests(keys.map(Number));
    return new Map([...requests].map(([id, request]) => [String(id), { request, isBusy: false, tries: 0 }]));
  },
  receive(cell, message, ctx) {
    if (message.type === 'begin') return begin(cell, message, ctx);
    return cell === undefined ? stay<Cell, Change>(cell) : receive(cell, message, ctx);
  },
});

function begin(
  cell: Cell | undefined,
  { request }: Extract<JobRequestMessage, { type: 'begin' }>,
  ctx: Ctx,
): Outcome<Cell, Change> {
  const effects: Effect<Change>[] = [];
  if (ctx.replyTo !== undefined) effects.push(reply(ctx.replyTo, {}));
  if (cell !== undefined) return stay(cell, ...effects);
  const { shard: _, ...rest } = request;
  const begun: Cell = { request: { ...rest, beforeId: null, isDone: false }, isBusy: false, tries: 0 };
  return stay(
    begun,
    save({ type: 'createJobRequests', requests: [request] }),
    ...effects,
    tell(ctx.self, { type: 'wake' }),
  );
}

function receive(cell: Cell, message: Exclude<Inbox, { type: 'begin' }>, ctx: Ctx): Outcome<Cell, Change> {
  switch (message.type) {
    case 'wake':
      return cell.isBusy ? stay<Cell, Change>(cell) : next(cell);
    case 'again':
      return next(cell);
    case 'called':
      return pageDone(cell, message.result as JobRequestPage, ctx);
    case 'callFailed':
      ctx.count('job_request_failed');
      return stay<Cell, Change>(cell, timer('again', RETRY_MS, { type: 'again' }));
  }
}

function next(cell: Cell): Outcome<Cell, Change> {
  if (cell.request.isDone) return stay<Cell, Change>(cell, stop());
  return stay(
    { ...cell, isBusy: true },
    call('applyJobRequest', cell.request, { about: 'page' } satisfies Tag),
  );
}

/** Owners that did not answer are asked again with their page, a few times; then the request goes on without. */
function pageDone(cell: Cell, page: JobRequestPage, ctx: Ctx): Outcome<Cell, Change> {
  if (page.failedCount > 0 && cell.tries + 1 < TRIES_MAX) {
    const again = timer('again', RETRY_MS, { type: 'again' });
    return stay<Cell, Change>({ ...cell, tries: cell.tries + 1 }, again);
  }
  if (page.failedCount > 0) ctx.count('job_request_jobs_given_up', page.failedCount);
  const { request } = cell;
  const isDone = page.nextBeforeId === null;
  const beforeId = page.nextBeforeId ?? request.beforeId;
  const effects: Effect<Change>[] = [
    save({ type: 'advanceJobRequest', requestId: request.id, beforeId, isDone, atMs: ctx.nowMs }),
  ];
  const at: Cell = { request: { ...request, beforeId, isDone }, isBusy: !isDone, tries: 0 };
  if (isDone) return stay(at, ...effects, stop());
  return stay(at, ...effects, call('applyJobRequest', at.request, { about: 'page' } satisfies Tag));
}

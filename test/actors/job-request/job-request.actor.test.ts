/** One request to cancel or requeue jobs, with its rows in a real database. */
import t from 'tap';
import { jobRequestActor } from '../../../src/actors/job-request/job-request.actor.ts';
import {
  type BacklogPage,
  type JobRequestPage,
  type NewJobRequest,
  PASSED_ALL,
} from '../../../src/domain/job/job-request.ts';
import { dueJobRequests, loadJobRequests } from '../../../src/store/job-request/save.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

const store = await storeWorld(t);
const { sql } = store.db;

type State = NonNullable<ReturnType<typeof jobRequestActor.receive>['state']>;
type Message = Parameters<typeof jobRequestActor.receive>[1];

const replyTo = { coordinator: 'here', askId: 1 };
const ctx = handlerCtx<Message>('job_request', '1', { epoch: 7, nowMs: NOW, replyTo });

/** A turn whose changes are saved. */
async function turn(before: State | undefined, message: Message) {
  const { state, effects } = jobRequestActor.receive(before, message, ctx);
  const changes = effects.flatMap((one) => (one.type === 'save' ? [one.change] : []));
  if (changes.length > 0) await store.apply(...changes);
  const calls = effects.flatMap((one) => (one.type === 'call' ? [one.port] : []));
  const pauses = effects.flatMap((one) => (one.type === 'timer' ? [one.afterMs] : []));
  return { state, kinds: effects.map((one) => one.type), calls, pauses };
}

/** As after a crash. */
async function loaded(id: number): Promise<State> {
  const states = await jobRequestActor.load([String(id)], {
    loadJobRequests: (ids) => loadJobRequests(sql, ids),
    dueJobRequests: (shards) => dueJobRequests(sql, shards),
    advanceJobRequest: () => Promise.reject(new Error('not asked')),
    workOffBacklog: () => Promise.reject(new Error('not asked')),
  });
  return states.get(String(id)) as State;
}

async function backlogOf(id: number): Promise<readonly unknown[]> {
  return store.rows(
    `select job_id as "jobId", is_chosen as "isChosen" from job_request_backlog where request_id = $1 order by 1`,
    [id],
  );
}

async function newRequest(over: Partial<NewJobRequest> = {}): Promise<NewJobRequest> {
  return {
    id: await store.newId('job_request'),
    shard: 1,
    action: 'requeue',
    choice: {
      ...{
        startedMs: null,
        endedMs: null,
        status: 'FAILED',
        jobIds: [],
        jobTypeIds: [],
        jobTypeNames: ['"a\\'],
      },
      ...{ batchIds: [], recipeIds: [], errorCategories: [], errorIds: [], isSuperseded: null },
    },
    revision: null,
    priority: 4,
    atMs: NOW,
    ...over,
  };
}

const page = (over: Partial<JobRequestPage>): Message => ({
  type: 'pageDone',
  about: undefined,
  result: {
    beforeId: PASSED_ALL,
    added: [],
    isStalled: false,
    hasWholeBatches: true,
    hasWholeRuns: true,
    ...over,
  },
});

const backlog = (over: Partial<BacklogPage>): Message => ({
  type: 'backlogDone',
  about: undefined,
  result: { settled: [], openCount: 0, nextBelowId: null, ...over },
});

/** A request that was begun and is at its first page. */
async function begun(over: Partial<NewJobRequest> = {}) {
  const request = await newRequest(over);
  await turn(undefined, { type: 'begin', request });
  const { state } = await turn(await loaded(request.id), { type: 'wake' });
  return { request, state, row: async () => (await loadJobRequests(sql, [request.id])).get(request.id) };
}

t.test(
  'job request: it is answered with its first save, and continues from the position in its row',
  async (t) => {
    const request = await newRequest();
    const first = await turn(undefined, { type: 'begin', request });
    t.strictSame(first.kinds, ['save', 'reply', 'tell', 'stop']);
    const { shard: _, ...rest } = request;
    const rowOf = async () => (await loadJobRequests(sql, [request.id])).get(request.id);
    t.match(await rowOf(), { ...rest, beforeId: null, isDone: false, hasBacklog: false });
    t.strictSame(await dueJobRequests(sql, [1]), [request.id]);
    t.strictSame(await dueJobRequests(sql, [2]), []);

    const state = await loaded(request.id);
    const repeated = await turn(state, { type: 'begin', request });
    t.strictSame(repeated.kinds, ['reply'], 'a repeat is answered and begins nothing');

    const busy = await turn(state, { type: 'wake' });
    t.strictSame(busy.calls, ['advanceJobRequest']);
    t.strictSame((await turn(busy.state, { type: 'wake' })).kinds, [], 'one page at a time');

    const second = await turn(busy.state, page({ beforeId: 41 }));
    t.strictSame(second.kinds, ['save', 'call']);
    t.match(await rowOf(), { beforeId: 41, isDone: false });

    const done = await turn(second.state, page({}));
    t.strictSame(done.kinds, ['save', 'stop']);
    t.match(await rowOf(), { isDone: true });
    t.strictSame(await dueJobRequests(sql, [1]), []);
    t.strictSame((await turn(done.state, { type: 'wake' })).kinds, ['stop']);
  },
);

t.test(
  "job request: a later request has the higher position, even if its coordinator's clock is behind",
  async (t) => {
    const ids: number[] = [];
    for (const atMs of [NOW + 3_600_000, NOW, NOW - 3_600_000]) {
      const request = await newRequest({ atMs });
      await turn(undefined, { type: 'begin', request });
      ids.push(request.id);
    }
    const rows = await loadJobRequests(sql, ids);
    const positions = ids.map((id) => rows.get(id)?.position ?? 0);
    t.strictSame(
      positions.toSorted((a, b) => a - b),
      positions,
    );
    t.equal(new Set(positions).size, 3);
    t.strictSame((await dueJobRequests(sql, [1])).slice(-3), ids, 'and is found after the earlier ones');
  },
);

t.test(
  'job request: owners that do not answer are asked again until they do, while other jobs are gone through',
  async (t) => {
    const { request, state, row } = await begun();
    const added = [5, 7].map((jobId) => ({ jobId, isChosen: true }));
    let at = await turn(state, page({ beforeId: 5, added }));
    t.strictSame(at.calls, ['workOffBacklog'], 'they are asked again at once');
    t.strictSame(await backlogOf(request.id), added);
    at = await turn(at.state, backlog({ openCount: 2 }));
    t.strictSame(at.calls, ['advanceJobRequest'], 'the remaining jobs do not wait for them');
    at = await turn(at.state, page({}));
    t.match(await row(), { beforeId: PASSED_ALL, isDone: false }, 'it is not done without them');

    const pauses: number[] = [];
    for (let round = 0; round < 100; round++) {
      at = await turn(at.state, { type: 'backlogDue' });
      t.strictSame(at.calls, ['workOffBacklog']);
      at = await turn(at.state, backlog({ openCount: 2 }));
      pauses.push(...at.pauses);
    }
    t.equal(pauses.length, 100);
    t.equal(Math.max(...pauses), 30_000);
    t.strictSame(await dueJobRequests(sql, [1]).then((due) => due.includes(request.id)), true);

    // The coordinator is killed: what is left is found by another.
    at = await turn(await loaded(request.id), { type: 'wake' });
    t.strictSame(at.calls, ['workOffBacklog']);
    at = await turn(at.state, backlog({ settled: [7], openCount: 1 }));
    t.strictSame(await backlogOf(request.id), [{ jobId: 5, isChosen: true }]);
    at = await turn(at.state, { type: 'backlogDue' });
    at = await turn(at.state, backlog({ settled: [5] }));
    t.strictSame(at.kinds, ['save', 'stop']);
    t.match(await row(), { isDone: true, hasBacklog: false });
  },
);

t.test('job request: a backlog of several pages is read once more before it counts as empty', async (t) => {
  const { state } = await begun();
  let at = await turn(state, page({ added: [{ jobId: 9, isChosen: false }] }));
  at = await turn(at.state, backlog({ settled: [9], nextBelowId: 9 }));
  t.strictSame(at.calls, ['workOffBacklog']);
  at = await turn(at.state, backlog({}));
  t.strictSame(at.calls, ['workOffBacklog'], 'from the first page');
  at = await turn(at.state, backlog({}));
  t.strictSame(at.kinds, ['save', 'stop']);
});

t.test('job request: while earlier requests block it, it tries again with growing pauses', async (t) => {
  const { state, row } = await begun();
  let at = await turn(state, page({ beforeId: null, isStalled: true }));
  t.strictSame(at.kinds, ['timer'], 'nothing is saved');
  t.strictSame((await turn(at.state, { type: 'wake' })).kinds, []);
  const pauses = [...at.pauses];
  for (let round = 0; round < 20; round++) {
    at = await turn(at.state, { type: 'advanceDue' });
    t.strictSame(at.calls, ['advanceJobRequest']);
    at = await turn(at.state, page({ beforeId: null, isStalled: true }));
    pauses.push(...at.pauses);
  }
  t.strictSame(pauses.slice(0, 3), [100, 200, 400]);
  t.equal(pauses.at(-1), 10_000);
  t.match(await row(), { isDone: false });
});

t.test(
  'job request: a cancel of a batch starts over until a round begins with all recipes of the batch',
  async (t) => {
    const choice = { ...(await newRequest()).choice, batchIds: [3] };
    const { request, state, row } = await begun({ action: 'cancel', choice });
    let at = await turn(state, page({ hasWholeBatches: false }));
    t.strictSame(at.kinds, ['save', 'timer']);
    t.match(await row(), { beforeId: PASSED_ALL, isDone: false }, 'later requests need not wait for it');
    at = await turn(at.state, { type: 'advanceDue' });
    at = await turn(at.state, page({ hasWholeBatches: false }));
    t.strictSame(at.kinds, ['timer']);

    at = await turn(await loaded(request.id), { type: 'wake' });
    t.strictSame(at.calls, ['advanceJobRequest'], 'after a crash as well');
    at = await turn(at.state, page({ beforeId: 8 }));
    t.strictSame(at.calls, ['advanceJobRequest']);
    at = await turn(at.state, page({ hasWholeBatches: false }));
    t.strictSame(at.kinds, ['save', 'stop'], 'the round began when all were there');
    t.match(await row(), { isDone: true });
  },
);

t.test('job request: it restarts until earlier runs of diagnostics have created all jobs', async (t) => {
  const { request, state, row } = await begun({ action: 'cancel' });
  let at = await turn(state, page({ beforeId: 8, hasWholeRuns: false }));
  t.strictSame(at.calls, ['advanceJobRequest']);
  at = await turn(at.state, page({}));
  t.strictSame(at.kinds, ['timer'], 'the round began before all was made');
  t.match(await row(), { beforeId: null, isDone: false }, 'later requests wait for it');

  at = await turn(await loaded(request.id), { type: 'wake' });
  at = await turn(at.state, page({ hasWholeRuns: false, added: [{ jobId: 4, isChosen: true }] }));
  t.match(await row(), { beforeId: null, hasBacklog: true }, 'after a crash as well');
  at = await turn(at.state, backlog({ settled: [4] }));
  at = await turn(at.state, { type: 'advanceDue' });
  t.strictSame(at.calls, ['advanceJobRequest']);
  at = await turn(at.state, page({ beforeId: 8 }));
  t.match(await row(), { beforeId: 8 }, 'from here on it moves');
  at = await turn(at.state, page({}));
  t.strictSame(at.kinds, ['save', 'stop']);
  t.match(await row(), { isDone: true });
});

t.test(
  'job request: a request that has passed all jobs and has no backlog ends at its next wake-up',
  async (t) => {
    const { request, row } = await begun({ action: 'cancel' });
    // The last of its backlog is saved; its coordinator dies before the end is.
    await store.apply({
      ...{ type: 'advanceJobRequest', requestId: request.id, beforeId: PASSED_ALL, isDone: false },
      ...{ added: [], settled: [], atMs: NOW },
    });
    t.match(await row(), { beforeId: PASSED_ALL, isDone: false, hasBacklog: false });
    t.ok((await dueJobRequests(sql, [1])).includes(request.id), 'the periodic scan finds it');

    let at = await turn(await loaded(request.id), { type: 'wake' });
    t.strictSame(at.calls, ['workOffBacklog'], 'whether something is left is looked up');
    at = await turn(at.state, backlog({}));
    t.strictSame(at.kinds, ['save', 'stop']);
    t.match(await row(), { beforeId: PASSED_ALL, isDone: true });
    t.notOk((await dueJobRequests(sql, [1])).includes(request.id));
  },
);

t.test('job request: a page of jobs or of the backlog that could not be read is read again', async (t) => {
  const { state } = await begun();
  const error = { code: 'UNAVAILABLE', message: '' };
  const failed = await turn(state, { type: 'advanceJobRequestFailed', about: undefined, error });
  t.strictSame(failed.kinds, ['timer']);
  const again = await turn(failed.state, { type: 'advanceDue' });
  t.strictSame(again.calls, ['advanceJobRequest']);
  const added = [{ jobId: 4, isChosen: true }];
  const late = await turn(again.state, page({ added }));
  const unread = await turn(late.state, { type: 'workOffBacklogFailed', about: undefined, error });
  t.strictSame(unread.kinds, ['timer']);
  t.strictSame((await turn(unread.state, { type: 'backlogDue' })).calls, ['workOffBacklog']);
});

t.test('job request: a wake-up for a missing request does nothing', async (t) => {
  t.strictSame((await turn(undefined, { type: 'wake' })).kinds, []);
});

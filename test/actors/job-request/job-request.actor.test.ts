/** One request to cancel or requeue jobs, with its rows in a real database. */
import t from 'tap';
import { jobRequestActor } from '../../../src/actors/job-request/job-request.actor.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { JobRequestPage, NewJobRequest } from '../../../src/domain/job/job-request.ts';
import type { Ctx, Effect } from '../../../src/kernel/mod.ts';
import { dueJobRequests, loadJobRequests } from '../../../src/store/job-requests.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;

type Cell = NonNullable<ReturnType<typeof jobRequestActor.receive>['state']>;
type Message = Parameters<typeof jobRequestActor.receive>[1];

const counts: Record<string, number> = {};
const ctx: Ctx = {
  self: { kind: 'job_request', key: '1' },
  shard: 1,
  epoch: 7,
  nowMs: NOW,
  replyTo: { coordinator: 'here', askId: 1 },
  newId: () => 0,
  count: (metric, n = 1) => {
    counts[metric] = (counts[metric] ?? 0) + n;
  },
};

/** A turn whose changes are saved. */
async function turn(cell: Cell | undefined, message: Message) {
  const { state, effects } = jobRequestActor.receive(cell, message, ctx);
  const changes = effects.flatMap((one: Effect<Change>) => (one.type === 'save' ? [one.change] : []));
  if (changes.length > 0) await store.apply(...changes);
  return { cell: state, kinds: effects.map((one) => one.type) };
}

async function newRequest(): Promise<NewJobRequest> {
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
    priority: 4,
    atMs: NOW,
  };
}

const page = (over: Partial<JobRequestPage>): Message => ({
  type: 'called',
  tag: { about: 'page' },
  result: { nextBeforeId: null, failedCount: 0, ...over },
});

t.test(
  'job request: it is a row before anybody is answered, and goes on from where its row says',
  async (t) => {
    const request = await newRequest();
    const begun = await turn(undefined, { type: 'begin', request });
    t.strictSame(begun.kinds, ['save', 'reply', 'tell']);
    const { shard: _, ...rest } = request;
    const rowOf = async () => (await loadJobRequests(sql, [request.id])).get(request.id);
    t.strictSame(await rowOf(), { ...rest, beforeId: null, isDone: false });
    t.strictSame(await dueJobRequests(sql, [1]), [request.id]);
    t.strictSame(await dueJobRequests(sql, [2]), []);

    const repeated = await turn(begun.cell, { type: 'begin', request });
    t.strictSame(repeated.kinds, ['reply'], 'a repeat is answered, and begins nothing');

    const busy = await turn(begun.cell, { type: 'wake' });
    t.strictSame(busy.kinds, ['call']);
    t.strictSame((await turn(busy.cell, { type: 'wake' })).kinds, [], 'one page at a time');

    const second = await turn(busy.cell, page({ nextBeforeId: 41 }));
    t.strictSame(second.kinds, ['save', 'call']);
    t.match(await rowOf(), { beforeId: 41, isDone: false });

    const done = await turn(second.cell, page({}));
    t.strictSame(done.kinds, ['save', 'stop']);
    t.match(await rowOf(), { isDone: true });
    t.strictSame(await dueJobRequests(sql, [1]), []);
    t.strictSame((await turn(done.cell, { type: 'wake' })).kinds, ['stop']);
  },
);

t.test('job request: owners that do not answer are asked again, a bounded number of times', async (t) => {
  const request = await newRequest();
  let { cell } = await turn(undefined, { type: 'begin', request });
  ({ cell } = await turn(cell, { type: 'wake' }));
  let rounds = 0;
  for (;;) {
    const ended = await turn(cell, page({ nextBeforeId: 9, failedCount: 3 }));
    if (!ended.kinds.includes('timer')) {
      t.strictSame(ended.kinds, ['save', 'call'], 'it goes on with the next page');
      break;
    }
    rounds += 1;
    if (rounds > 50) throw new Error('it asks for ever');
    ({ cell } = await turn(ended.cell, { type: 'again' }));
  }
  t.equal(rounds, 9);
  t.equal(counts.job_request_jobs_given_up, 3);
});

t.test('job request: a page that could not be read is tried again', async (t) => {
  const request = await newRequest();
  let { cell } = await turn(undefined, { type: 'begin', request });
  ({ cell } = await turn(cell, { type: 'wake' }));
  const error = { code: 'UNAVAILABLE', message: '' };
  const failed = await turn(cell, { type: 'callFailed', tag: { about: 'page' }, error });
  t.strictSame(failed.kinds, ['timer']);
  t.strictSame((await turn(failed.cell, { type: 'again' })).kinds, ['call']);
});

t.test('job request: nobody answers for one that is not there', async (t) => {
  t.strictSame((await turn(undefined, { type: 'wake' })).kinds, []);
});

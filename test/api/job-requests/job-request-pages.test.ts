/** Requests for many jobs, worked off against a real database; owners of jobs answer as each test says. */
import t from 'tap';
import { advanceJobRequest, jobRequestRows, workOffBacklog } from '../../../src/api/job-requests/pages.ts';
import { type JobChoice, type JobRequest, PASSED_ALL } from '../../../src/domain/job/job-request.ts';
import { type Address, KernelError } from '../../../src/kernel/mod.ts';
import { loadJobRequests } from '../../../src/store/job-request/save.ts';
import { savedJob } from '../../store/make.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { ANY, LAST, requestOf } from './make-request.ts';

const store = await storeWorld(t);
const { sql } = store.db;

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any actor
const sent: { to: Address; message: any }[] = [];
let unreachable: ReadonlySet<string> = new Set();
/** Jobs that their owner is not done with. */
let open: readonly number[] = [];
const system = {
  async ask(to: Address, message: object): Promise<never> {
    if (unreachable.has(to.key)) throw new KernelError({ code: 'DEADLINE', message: 'too late' });
    sent.push({ to, message });
    return { jobIds: [], openJobIds: open } as never;
  },
};

const pages = { rows: jobRequestRows(sql), system, pageSize: 1_000 };

/** A request that is saved, with the position that it got. */
async function saved(
  choice: Partial<JobChoice>,
  action: JobRequest['action'] = 'cancel',
): Promise<JobRequest> {
  const id = await store.newId('job_request');
  const request = {
    id,
    shard: 1,
    action,
    choice: { ...ANY, ...choice },
    priority: null,
    revision: null,
    atMs: NOW,
  };
  await store.apply({ type: 'createJobRequests', requests: [request] });
  return (await loadJobRequests(sql, [id])).get(id) as JobRequest;
}

async function moveTo(
  request: JobRequest,
  beforeId: number | null,
  backlog: { added?: readonly { jobId: number; isChosen: boolean }[]; settled?: readonly number[] } = {},
): Promise<void> {
  const { added = [], settled = [] } = backlog;
  const isDone = beforeId === PASSED_ALL && added.length === 0;
  const own = { requestId: request.id, beforeId, isDone, added, settled, atMs: NOW };
  await store.apply({ type: 'advanceJobRequest', ...own });
}

const WHOLE = { isStalled: false, hasWholeBatches: true, hasWholeRuns: true };

t.test(
  'job requests: each owner is asked once a page, and jobs of silent owners join the backlog',
  async (t) => {
    const owner = { kind: 'recipe', key: 77 } as const;
    const jobs = [
      await savedJob(store, { owner }),
      await savedJob(store, { owner }),
      await savedJob(store, { owner: { kind: 'job', key: 78 } }),
    ];
    const jobIds = jobs.map((job) => job.id);
    const [one = 0, two = 0, three = 0] = jobIds;
    sent.length = 0;
    const position = LAST;
    t.strictSame(await advanceJobRequest(pages, requestOf({ jobIds })), {
      ...{ beforeId: PASSED_ALL, added: [], ...WHOLE },
    });
    t.strictSame(sent.map(({ to, message }) => [to.kind, to.key, message]).sort(), [
      ['job', '78', { type: 'cancelJobs', jobIds: [three], position }],
      ['recipe', '77', { type: 'cancelJobs', jobIds: [two, one], position }],
    ]);

    sent.length = 0;
    unreachable = new Set(['77']);
    const again = requestOf({ jobIds }, { action: 'requeue', priority: 4 });
    t.strictSame(await advanceJobRequest(pages, again), {
      beforeId: PASSED_ALL,
      added: [two, one].map((jobId) => ({ jobId, isChosen: true })),
      ...WHOLE,
    });
    t.strictSame(
      sent.map(({ message }) => message),
      [{ type: 'requeueJobs', jobIds: [three], position, priority: 4 }],
    );
    unreachable = new Set(['77', '78']);
    t.match(await advanceJobRequest(pages, again), { isStalled: true, added: { length: 3 } });
  },
);

t.test('job requests: jobs that an owner has not settled are asked for again', async (t) => {
  unreachable = new Set();
  const { id } = await savedJob(store, { owner: { kind: 'job', key: 79 } });
  const request = await saved({ jobIds: [id] });
  open = [id];
  t.match(await advanceJobRequest(pages, request), { added: [{ jobId: id, isChosen: true }] });
  await moveTo(request, PASSED_ALL, { added: [{ jobId: id, isChosen: true }] });
  t.strictSame(await workOffBacklog(pages, request, null), { settled: [], openCount: 1, nextBelowId: null });
  open = [];
  t.strictSame(await workOffBacklog(pages, request, null), {
    settled: [id],
    openCount: 0,
    nextBelowId: null,
  });
  await moveTo(request, PASSED_ALL, { settled: [id] });
});

t.test('job requests: a request waits only for earlier ones that may choose the same jobs', async (t) => {
  const a = await savedJob(store);
  const b = await savedJob(store);
  const other = await savedJob(store, { jobTypeId: store.ids.type2 });
  const first = await saved({ jobTypeIds: [store.ids.type] });
  const stalls = async (choice: Partial<JobChoice>, position = LAST) =>
    (await advanceJobRequest(pages, requestOf(choice, { position }))).isStalled;

  t.equal(await stalls({ jobIds: [a.id] }), true);
  t.equal(await stalls({ status: 'CANCELED' }), true, 'of any type');
  t.equal(await stalls({ jobTypeNames: ['type-a'] }), true);
  t.equal(await stalls({ jobIds: [other.id] }), false, 'of another type');
  t.equal(await stalls({ jobTypeIds: [store.ids.type2] }), false);
  t.equal(await stalls({ jobIds: [a.id] }, first.position), false, 'none is earlier');

  await moveTo(first, b.id);
  sent.length = 0;
  t.match(await advanceJobRequest(pages, requestOf({ jobIds: [a.id, b.id] })), {
    beforeId: b.id,
    isStalled: false,
  });
  t.strictSame(
    sent.flatMap(({ message }) => message.jobIds),
    [b.id],
    'it follows as far as the first has come',
  );
  await moveTo(first, PASSED_ALL);
  t.match(await advanceJobRequest(pages, requestOf({ jobIds: [a.id] })), { beforeId: PASSED_ALL });

  const named = await saved({ jobIds: [a.id] });
  t.equal(await stalls({ jobIds: [b.id] }), false, 'disjoint jobs');
  t.equal(await stalls({ jobIds: [a.id, b.id] }), true);
  t.equal(await stalls({ recipeIds: [5] }), true, 'a recipe may hold the job');
  await moveTo(named, PASSED_ALL);
});

t.test('job requests: of an earlier one with a backlog, a request waits for those jobs only', async (t) => {
  const a = await savedJob(store);
  const b = await savedJob(store);
  const jobIds = [a.id, b.id];
  const cancel = await saved({ jobIds });
  await moveTo(cancel, PASSED_ALL, { added: [{ jobId: a.id, isChosen: true }] });
  const requeue = await saved({ jobIds, status: 'CANCELED' }, 'requeue');
  await store.rows(`update job set status = 'CANCELED' where id = $1`, [b.id]);

  sent.length = 0;
  const added = [{ jobId: a.id, isChosen: false }];
  t.match(await advanceJobRequest(pages, requeue), { beforeId: PASSED_ALL, added, isStalled: false });
  t.strictSame(
    sent.flatMap(({ message }) => message.jobIds),
    [b.id],
  );
  await moveTo(requeue, PASSED_ALL, { added });

  sent.length = 0;
  const held = { settled: [], openCount: 1, nextBelowId: null };
  t.strictSame(await workOffBacklog(pages, requeue, null), held);
  t.strictSame(sent, []);
  // The first one reaches the owner at last: what it did is what the filters of the second see.
  await store.rows(`update job set status = 'CANCELED', request_position = $2 where id = $1`, [
    a.id,
    cancel.position,
  ]);
  await moveTo(cancel, PASSED_ALL, { settled: [a.id] });
  t.strictSame(await workOffBacklog(pages, requeue, null), { ...held, settled: [a.id], openCount: 0 });
  t.match(sent, [{ message: { type: 'requeueJobs', jobIds: [a.id], position: requeue.position } }]);
  await moveTo(requeue, PASSED_ALL, { settled: [a.id] });
});

t.test('job requests: jobs that are gone, or that the request has changed, are settled', async (t) => {
  const { id } = await savedJob(store);
  const request = await saved({ jobIds: [id, 999_999] });
  const added = [id, 999_999].map((jobId) => ({ jobId, isChosen: true }));
  await moveTo(request, PASSED_ALL, { added });
  await store.rows('update job set request_position = $2 where id = $1', [id, request.position]);
  sent.length = 0;
  t.strictSame((await workOffBacklog(pages, request, null)).settled, [999_999, id]);
  t.strictSame(sent, []);
  await moveTo(request, PASSED_ALL, { settled: [id, 999_999] });
});

t.test('job requests: batches whose recipes are not complete are reported', async (t) => {
  const whole = async () =>
    (await advanceJobRequest(pages, requestOf({ batchIds: [90_001] }))).hasWholeBatches;
  t.equal(await whole(), true, 'one that is not there has none to come');
});

t.test(
  'job requests: a request waits for earlier runs of diagnostics, and leaves out later ones',
  async (t) => {
    unreachable = new Set();
    const { type: jobTypeId, type2 } = store.ids;
    const [{ id: recipeTypeId } = { id: 0 }] = await store.rows<{ id: number }>(
      `insert into recipe_type (name, title, definition, created, last_modified)
     values ('of-runs', '', '{}', now(), now()) returning id`,
    );
    await store.rows('insert into recipe_type_job_type (recipe_type_id, job_type_id) values ($1, $2)', [
      recipeTypeId,
      jobTypeId,
    ]);
    const [{ id: recipeTypeRevId } = { id: 0 }] = await store.rows<{ id: number }>(
      `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
     values ($1, 1, '{}', now()) returning id`,
      [recipeTypeId],
    );
    const runOf = async ({ eventId }: { readonly eventId: number }) => {
      const id = await store.newId('diagnostic_run');
      const run = { id, shard: 1, recipeTypeRevId, eventId, total: 2, atMs: NOW };
      await store.apply({ type: 'createDiagnosticRuns', runs: [run] });
      return run;
    };
    const made = (runId: number) =>
      store.apply({ type: 'advanceDiagnosticRun', runId, from: 0, to: 2, atMs: NOW });

    const mine = await savedJob(store, { jobTypeId });
    const later = await savedJob(store, { jobTypeId });
    const before = await runOf(mine);
    const cancel = await saved({ jobTypeIds: [jobTypeId] });
    const requeue = await saved({ jobTypeIds: [jobTypeId] }, 'requeue');
    const after = await runOf(later);

    sent.length = 0;
    t.match(await advanceJobRequest(pages, cancel), { hasWholeRuns: false, isStalled: false });
    const asked = new Set(sent.flatMap(({ message }) => message.jobIds));
    t.equal(asked.has(mine.id), true, 'what there is of it is canceled at once');
    t.equal(asked.has(later.id), false);
    for (const choice of [{ jobTypeIds: [type2] }, { jobIds: [mine.id] }, { jobTypeNames: ['type-b'] }]) {
      t.match(
        await advanceJobRequest(pages, requestOf(choice)),
        { hasWholeRuns: true },
        JSON.stringify(choice),
      );
    }
    t.match(await advanceJobRequest(pages, requestOf({ jobTypeNames: ['type-a'] })), { hasWholeRuns: false });
    await moveTo(cancel, PASSED_ALL);
    t.match(await advanceJobRequest(pages, requeue), {
      beforeId: null,
      hasWholeRuns: false,
      isStalled: true,
    });

    await made(before.id);
    t.match(await advanceJobRequest(pages, requeue), { beforeId: PASSED_ALL, ...WHOLE });
    await moveTo(requeue, PASSED_ALL);
    await made(after.id);
  },
);

t.test('job requests: a full page says where the next one begins', async (t) => {
  unreachable = new Set();
  await store.rows(
    `insert into job (shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, max_tries, priority,
       created, last_status_change, last_modified)
     select 1, 'recipe', 80, $1, $2, 1, 'PENDING', 3, 100, now(), now(), now() from generate_series(1, 1500)`,
    [store.ids.type, store.ids.rev],
  );
  sent.length = 0;
  const first = await advanceJobRequest(pages, requestOf({ status: 'PENDING' }));
  t.ok((first.beforeId ?? 0) > PASSED_ALL);
  const second = await advanceJobRequest(
    pages,
    requestOf({ status: 'PENDING' }, { beforeId: first.beforeId }),
  );
  t.equal(second.beforeId, PASSED_ALL);
  t.equal(new Set(sent.flatMap(({ message }) => message.jobIds)).size, 1_500);
});

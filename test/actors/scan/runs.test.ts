/** Requests to a scan: process it again, cancel it, edit it, and cancel or requeue single jobs of it. */
import t from 'tap';
import type { ScanRow } from '../../../src/domain/scan/scan.ts';
import { CONFIGURATION, JOB, listed, ScanWorld } from '../../support/worlds/scan-world.ts';
import { makeIngest, makeRule } from '../../support/worlds/strike-world.ts';

const begin = async (over: Partial<ScanRow> = {}) => {
  const world = new ScanWorld(over);
  await world.start();
  return world;
};

t.test(
  'scan: runs that are requested during a run wait, one of each kind, and begin in their order',
  async (t) => {
    const world = await begin();
    await world.process('dry_run');
    for (const mode of ['ingest', 'dry_run', 'ingest', 'dry_run'] as const)
      t.same(await world.process(mode), {}, 'accepted, or joined with the one that waits');
    t.same(world.row.waiting, ['ingest', 'dry_run']);
    t.match(world.row, { run: 'dry_run', jobs: { ingest: { status: 'PENDING' } } });
    t.equal(world.heard('startListing').length, 1);
    await world.list(world.page([listed('a.txt')], { isLast: true }));
    t.match(world.row, { run: 'ingest', jobs: { dry_run: { status: 'COMPLETED' } } });
    t.same(world.row.waiting, ['dry_run']);
    t.match(world.order(), { jobId: JOB.ingest, after: '', exeNum: 1 });
    world.through = '';
    await world.list(world.page([listed('a.txt')], { isLast: true }));
    t.match(world.row, { run: 'dry_run', jobs: { dry_run: { exeNum: 2 } } });
    world.through = '';
    await world.list(world.page([listed('a.txt')], { isLast: true }));
    t.match(world.row, { run: null, jobs: { dry_run: { status: 'COMPLETED', exeNum: 2 } } });
    t.same(world.row.waiting, []);
  },
);

t.test('scan: a run of the same kind waits for the current one, and starts from the beginning', async (t) => {
  const world = await begin();
  await world.process('ingest');
  t.same(await world.process('ingest'), {});
  await world.list(world.page([listed('a.txt')], { isLast: true }));
  t.match(world.row, { run: 'ingest', cursor: '', jobs: { ingest: { exeNum: 2 } } });
  t.same(world.row.waiting, []);
});

t.test('scan: the next coordinator begins the runs that wait', async (t) => {
  const world = await begin();
  world.nodes = [];
  await world.process('dry_run');
  await world.process('ingest');
  const next = new ScanWorld({ ...world.row });
  await next.start();
  await next.clock.advance(5_000);
  await next.list(next.page([listed('a.txt')], { isLast: true }));
  t.match(next.row, { run: 'ingest', waiting: [] });
  const idle = new ScanWorld({ waiting: ['ingest'] });
  await idle.start();
  t.match(idle.row, { run: 'ingest', waiting: [] }, 'also if no run is in progress');
});

t.test(
  'scan: canceling it drops all waiting runs, and canceling one of its jobs drops those of that job',
  async (t) => {
    const world = await begin();
    await world.process('dry_run');
    await world.process('ingest');
    await world.request({ type: 'cancel' });
    t.match(world.row, { run: null, waiting: [], jobs: { ingest: { status: 'PENDING' } } });
    await world.process('dry_run');
    await world.process('dry_run');
    await world.process('ingest');
    t.same(await world.request({ type: 'cancelJobs', jobIds: [JOB.dry_run] }), { jobIds: [JOB.dry_run] });
    t.match(world.row, { run: 'ingest', waiting: [], jobs: { dry_run: { status: 'CANCELED' } } });
    await world.process('dry_run');
    t.same(world.row.waiting, ['dry_run']);
    await world.request({ type: 'cancelJobs', jobIds: [JOB.dry_run] });
    t.match(world.row, { run: 'ingest', waiting: [] });
  },
);

t.test('scan: a second ingest run counts from zero and ingests no file twice', async (t) => {
  const world = await begin();
  await world.process('ingest');
  await world.list(world.page([listed('a.txt')], { isLast: true }));
  t.same(await world.process('ingest'), {});
  t.match(world.row, { run: 'ingest', cursor: '', counts: { matched: 0 }, jobs: { ingest: { exeNum: 2 } } });
  await world.list(world.page([listed('a.txt'), listed('b.txt')], { isLast: true }));
  t.match(world.row, { run: null, counts: { matched: 2 } });
  t.same(
    world.ordered().map((one) => one.sourcePath),
    ['a.txt', 'b.txt'],
  );
});

t.test('scan: a run keeps the counts of the last completed one, also past a canceled one', async (t) => {
  const world = await begin();
  await world.process('dry_run');
  t.equal(world.row.previousCounts, null);
  await world.list(world.page([listed('a.txt')], { isLast: true }));
  t.match(world.row, { counts: { matched: 1, ended: /^\d{4}-\d\d-\d\dT/ }, previousCounts: null });
  await world.process('ingest');
  const first = { mode: 'dry_run', matched: 1, unmatched: 0, ended: /T/ };
  t.match(world.row, { counts: { mode: 'ingest', matched: 0 }, previousCounts: first });
  t.notOk('ended' in (world.row.counts ?? {}));
  await world.request({ type: 'cancel' });
  await world.process('ingest');
  t.match(world.row.previousCounts, first, 'a canceled run is left out');
  world.through = '';
  await world.list(world.page([listed('a.txt'), listed('b.txt')], { isLast: true }));
  t.match(world.row, { counts: { mode: 'ingest', matched: 2 }, previousCounts: first });

  const { listing: _, ...row } = world.row;
  const loaded = await begin({ ...row, listing: null });
  await loaded.process('dry_run');
  t.match(loaded.row.previousCounts, { mode: 'ingest', matched: 2 }, 'also after a start of its owner');
});

t.test(
  'scan: canceling it also cancels its live ingests, and a new run waits until they have ended',
  async (t) => {
    const world = await begin();
    await world.process('ingest');
    await world.list(world.page([listed('a.txt'), listed('b.txt')]));
    const [first, second] = world.ordered();
    const { executionId } = world.order();
    t.same(await world.request({ type: 'cancel' }), { jobIds: [first?.jobId, second?.jobId, JOB.ingest] });
    t.match(world.row, { run: null, jobs: { ingest: { status: 'CANCELED' } } });
    t.match(world.stopped().at(-1), { executionId });
    t.match(world.heard('kill'), [{ executionIds: [first?.executionId, second?.executionId] }]);
    await world.list(world.page([listed('c.txt')], { executionId }));
    t.equal(world.ordered().length, 2, 'a late page creates nothing');
    t.type(world.row.cancelThrough, 'number', 'they are canceled once their node has reported it');
    t.same(await world.process('dry_run'), {}, 'it waits until the cancel is complete');
    t.match(world.row, { run: null, waiting: ['dry_run'] });
    const again = { type: 'requeueJobs', jobIds: [JOB.ingest] };
    t.equal(
      await world.request(again),
      'UNAVAILABLE',
      'a later request does not overtake the one that waits',
    );
    for (const item of [first, second]) if (item !== undefined) await world.stored(item);
    await world.clock.advance(1_000);
    t.match(world.row, { cancelThrough: null, run: 'dry_run', waiting: [] });
    await world.list(world.page([], { isLast: true }));
    t.same(await world.request(again), { jobIds: [JOB.ingest] });
  },
);

t.test('scan: canceling an idle scan cancels no jobs and saves nothing', async (t) => {
  const world = await begin();
  t.same(await world.request({ type: 'cancel' }), { jobIds: [] });
  t.same(world.changes('editScan'), []);
});

const many = (count: number) => Array.from({ length: count }, (_, at) => makeIngest(at + 1));

t.test('scan: many ingests are canceled in sets, and meanwhile no ingest and no run begins', async (t) => {
  const world = new ScanWorld({ live: many(1_200) });
  world.nodes = [];
  await world.start();
  world.nodes = [5];
  const { liveIngests } = world.ports;
  let isHeld = true;
  world.ports.liveIngests = (args) => (isHeld ? new Promise(() => undefined) : liveIngests(args));
  const answer = (await world.request({ type: 'cancel' })) as { jobIds: number[] };
  t.equal(answer.jobIds.length, 1_200);
  t.equal(world.row.cancelThrough, 1_200);
  t.same(await world.process('ingest'), {});
  await world.clock.advance(10_000);
  t.same(world.row.waiting, ['ingest']);
  t.same(world.ordered(), []);
  isHeld = false;
  const next = new ScanWorld({ ...world.row });
  await next.start();
  t.same(next.row.live, [], 'the next coordinator continues to cancel');
  t.match(next.row, { cancelThrough: null, run: 'ingest', waiting: [] });
  t.equal(next.changes('endIngests').length, 3);
  t.same(next.ordered(), []);
});

t.test(
  'scan: canceling the job of its run ends the run, and canceling the job of an ingest ends that ingest',
  async (t) => {
    const world = await begin();
    await world.process('ingest');
    await world.list(world.page([listed('a.txt'), listed('b.txt')]));
    const [first] = world.ordered();
    t.same(await world.request({ type: 'cancelJobs', jobIds: [first?.jobId, 999] }), {
      jobIds: [first?.jobId],
      openJobIds: [first?.jobId],
    });
    t.match(world.heard('kill'), [{ executionIds: [first?.executionId] }]);
    t.equal(world.row.run, 'ingest');
    t.same(await world.request({ type: 'cancelJobs', jobIds: [JOB.ingest] }), { jobIds: [JOB.ingest] });
    t.match(world.row, { run: null, jobs: { ingest: { status: 'CANCELED' } } });
    t.equal(world.heard('kill').length, 1, 'ingests of files that it found continue');
    t.same(await world.request({ type: 'cancelJobs', jobIds: [JOB.ingest] }), { jobIds: [] });
    t.same(await world.request({ type: 'cancelJobs', jobIds: [JOB.dry_run] }), { jobIds: [JOB.dry_run] });
    t.match(world.row.jobs.dry_run, { status: 'CANCELED', exeNum: 0 });
    t.same(await world.process('dry_run'), {}, 'a canceled scan may be processed');
  },
);

t.test(
  'scan: requeueing the job of a canceled run starts a new run, and does nothing while that runs',
  async (t) => {
    const world = await begin();
    await world.process('ingest');
    await world.list(world.page([listed('a.txt')]));
    await world.request({ type: 'cancelJobs', jobIds: [JOB.ingest] });
    t.same(await world.request({ type: 'requeueJobs', jobIds: [JOB.ingest, JOB.dry_run] }), {
      jobIds: [JOB.ingest],
    });
    t.match(world.row, { run: 'ingest', cursor: '', counts: { matched: 0 } });
    t.match(world.order(), { exeNum: 2, after: '' });
    t.same(await world.request({ type: 'requeueJobs', jobIds: [JOB.ingest] }), { jobIds: [] });
  },
);

t.test(
  'scan: new rules or another workspace restart a run in progress, but a new title does not',
  async (t) => {
    const world = await begin();
    await world.process('dry_run');
    const first = world.order().executionId;
    await world.list(world.page([listed('a.txt')]));
    await world.request({ type: 'edit', title: 'other' });
    t.equal(world.heard('startListing').length, 1);
    const configuration = { ...CONFIGURATION, files_to_ingest: [makeRule('.*')] };
    t.same(await world.request({ type: 'edit', configuration, workspaceId: 2 }), {});
    t.match(world.row, { title: 'other', workspaceId: 2, cursor: '', counts: { matched: 0, by_rule: [0] } });
    t.match(world.stopped(), [{ executionId: first }]);
    t.match(world.heard('startListing').at(-1)?.order, { after: '', workspace: { uuid: 'u2' }, exeNum: 2 });
    world.through = '';
    await world.list(world.page([listed('a.txt'), listed('z')], { isLast: true }));
    t.match(world.row, { run: null, counts: { matched: 2 } });
  },
);

t.test('scan: the counts of a run that has ended keep the rules that it counted by', async (t) => {
  const world = await begin();
  await world.process('dry_run');
  await world.list(world.page([listed('a.txt')], { isLast: true }));
  const { files_to_ingest: before } = CONFIGURATION;
  const edit = async (some: Partial<typeof CONFIGURATION>) => {
    const configuration = { ...world.row.configuration, ...some };
    t.same(await world.request({ type: 'edit', configuration }), {});
    return world.row.counts?.rules;
  };
  t.equal(await edit({ recursive: false }), undefined, 'the rules are the same');
  t.same(await edit({ files_to_ingest: [makeRule('.*')] }), before);
  t.same(await edit({ files_to_ingest: [makeRule('b.*')] }), before, 'also after another change');
  await world.request({ type: 'reload' });
  // As they are stored: members may be in another order.
  const reordered = before.map((rule) => Object.fromEntries(Object.entries(rule).reverse()));
  t.equal(await edit({ files_to_ingest: reordered as unknown as typeof before }), undefined);
  await edit({ files_to_ingest: [makeRule('.*')] });
  await world.process('dry_run');
  t.equal(world.row.counts?.rules, undefined, 'the next run counts by the present rules');
});

t.test('scan: a request for an unknown scan is refused', async (t) => {
  const world = new ScanWorld();
  world.ports.loadScans = async () => new Map();
  await world.start();
  t.equal(await world.request({ type: 'process', mode: 'ingest' }), 'NOT_FOUND');
});

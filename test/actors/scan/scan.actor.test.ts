/** A scan on the real kernel: pages are counted or ingested once, also if they are lost or repeated. */
import t from 'tap';
import type { ScanRow } from '../../../src/domain/scan/scan.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';
import { CONFIGURATION, JOB, listed, SCAN, ScanWorld } from '../../support/worlds/scan-world.ts';
import { makeRule, makeWorkspace } from '../../support/worlds/strike-world.ts';

const begin = async (over: Partial<ScanRow> = {}) => {
  const world = new ScanWorld(over);
  await world.start();
  return world;
};
const counted = (mode: string, matched: number, unmatched: number, byRule: readonly number[]) => ({
  ...{ mode, matched, unmatched },
  by_rule: byRule,
});

t.test('scan: a scan that was not requested saves and sends nothing', async (t) => {
  const world = await begin();
  await world.clock.advance(40_000);
  t.same(world.saved, []);
  t.same(world.told, []);
});

t.test('scan: a dry run counts files by rule, creates no ingest, and completes its job', async (t) => {
  const world = await begin();
  t.same(await world.process('dry_run'), {});
  t.match(world.order(), {
    jobId: JOB.dry_run,
    exeNum: 1,
    after: '',
    transferSuffix: '_tmp',
    recursive: true,
    pathsOnly: true,
  });
  await world.list(world.page([listed('a.txt'), listed('b'), listed('c')]));
  t.match(world.row, { cursor: 'c', counts: counted('dry_run', 2, 1, [1, 1]), run: 'dry_run' });
  await world.list(world.page([listed('d.txt')], { isLast: true }));
  t.match(world.row, { counts: counted('dry_run', 3, 1, [2, 1]), run: null });
  t.match(world.row.jobs, { dry_run: { status: 'COMPLETED' }, ingest: { status: 'PENDING' } });
  t.equal(world.committed().length, 2);
  t.equal(world.stopped().length, 1, 'its node removes the execution');
  t.same(world.changes('recordArrivals'), []);
  t.match(world.changes('endExecutions'), [{ ends: [{ status: 'COMPLETED' }] }]);
});

t.test('scan: an ingest run creates ingests only for files that match a rule', async (t) => {
  const world = await begin();
  await world.process('ingest');
  t.match(world.order(), { pathsOnly: false });
  const page = world.page([listed('x/a.txt'), listed('y/a.txt'), listed('z')], { isLast: true });
  await world.list(page);
  t.match(world.changes('recordArrivals'), [
    {
      owner: { kind: 'scan', key: SCAN },
      arrivals: [
        { filePath: 'x/a.txt', status: 'TRANSFERRED' },
        { filePath: 'y/a.txt', status: 'TRANSFERRED' },
      ],
    },
  ]);
  t.match(world.ordered(), [{ sourcePath: 'x/a.txt', owner: `scan/${SCAN}` }, { sourcePath: 'y/a.txt' }]);
  t.same(world.committed(), [page.sequence]);
  for (const item of world.ordered()) await world.stored(item);
  t.equal(world.changes('createSourceFiles').flatMap((one) => one.files).length, 2);
  t.match(
    world.changes('endIngests').flatMap((one) => one.ingests),
    [{ status: 'INGESTED', reason: null }, {}],
  );
  t.same(world.row.live, []);
});

t.test(
  'scan: cursor, counts and ingests of a page are one commit, and the page is acknowledged after it',
  async (t) => {
    const world = await begin();
    await world.process('ingest');
    world.isDown = true;
    const page = world.page([listed('a.txt')]);
    await world.list(page);
    t.same(world.committed(), []);
    t.same(world.row.live, []);
    t.equal(world.row.cursor, '');
    world.isDown = false;
    await world.clock.advance(30_000);
    t.same(world.committed(), [page.sequence]);
    await world.list(page);
    t.match(world.row, { cursor: 'a.txt', counts: { matched: 1 } });
    t.equal(world.row.live.length, 1);
  },
);

t.test('scan: a repeated page is counted once and acknowledged again', async (t) => {
  const world = await begin();
  await world.process('dry_run');
  const first = world.page([listed('a.txt')]);
  const second = world.page([listed('b.txt')]);
  const matching = new Latch();
  const { match } = world;
  world.match = (rules, paths) => matching.opened.then(() => match(rules, paths));
  await world.list(first);
  await world.list(first);
  await world.list(second);
  matching.open();
  await world.clock.settle();
  await world.list(first);
  t.same(world.committed(), [first.sequence, second.sequence, first.sequence]);
  t.match(world.row.counts, { matched: 2 });
});

t.test(
  'scan: the next coordinator continues from the cursor, and acknowledges pages that are committed already',
  async (t) => {
    const counts = { mode: 'ingest', matched: 5, unmatched: 1, by_rule: [5, 0] } as const;
    const running = { id: JOB.ingest, status: 'RUNNING', exeNum: 2 } as const;
    const jobs = { ingest: running, dry_run: { id: JOB.dry_run, status: 'PENDING', exeNum: 0 } } as const;
    const listing = { executionId: 50, exeNum: 2, nodeId: 5 };
    const world = await begin({ run: 'ingest', cursor: 'c', counts, jobs, listing });
    t.match(world.order(), { executionId: 50, after: 'c' }, 'the agent sends unacknowledged pages again');
    const page = (sequence: number, after: string, through: string) => ({
      ...{ type: 'listingPage', executionId: 50, owner: '', sequence, after, through },
      ...{ files: [listed(`${through}.txt`)], isLast: false },
    });
    await world.say({ type: 'filesListed', nodeId: 5, page: page(7, 'b', 'c') });
    t.same(world.committed(), [7], 'it is committed, only its acknowledgement was lost');
    await world.say({ type: 'filesListed', nodeId: 5, page: page(8, 'c', 'd') });
    t.match(world.row, { cursor: 'd', counts: { matched: 6 } });
    await world.say({ type: 'workMissing', nodeId: 5, executionIds: [50] });
    t.match(
      world.order(),
      { executionId: 50, after: 'd' },
      'an agent that lost the listing continues from there',
    );
  },
);

t.test(
  'scan: after a lost page the listing begins again from the cursor, but not with every further page',
  async (t) => {
    const world = await begin();
    await world.clock.advance(10_000);
    await world.process('dry_run');
    await world.list(world.page([listed('a.txt')]));
    world.page([listed('lost.txt')]);
    await world.list(world.page([listed('m.txt')]));
    t.match(world.order(), { after: 'a.txt' });
    t.equal(world.heard('startListing').length, 2);
    await world.list(world.page([listed('n.txt')]));
    t.equal(world.heard('startListing').length, 2);
    t.match(world.row.counts, { matched: 1 });
  },
);

t.test('scan: the listing of a lost node continues on another node from the cursor', async (t) => {
  const world = await begin();
  await world.process('dry_run');
  await world.list(world.page([listed('a.txt')]));
  const { executionId } = world.order();
  const result = { executionId, jobId: 8, exeNum: 1, error: { name: 'node-lost', isBuiltin: true } };
  world.nodes = [6];
  await world.say({ type: 'taskEnded', results: [{ result, nodeId: 5, spoolId: null }] });
  await world.clock.advance(3_000);
  t.match(world.heard('startListing').at(-1), { to: 'node/6', order: { after: 'a.txt', exeNum: 2 } });
  t.match(world.heard('resultsCommitted'), [{ items: [{ executionId }] }]);
  world.through = 'a.txt';
  await world.list(world.page([listed('b.txt')], { isLast: true, executionId }));
  t.equal(world.row.run, 'dry_run', 'pages of the lost listing do not count');
  world.through = 'a.txt';
  await world.list(world.page([listed('b.txt')], { isLast: true }));
  t.match(world.row, { run: null, counts: { matched: 2 } });
});

t.test('scan: a run without a node, or with an inactive workspace, waits and shows the reason', async (t) => {
  const world = new ScanWorld();
  world.nodes = [];
  await world.start();
  await world.process('ingest');
  t.match(world.row.reason, /no node .*'in'/);
  world.workspaces = [];
  await world.say({ type: 'workspacesChanged' });
  await world.clock.advance(3_000);
  t.match(world.row.reason, /'in' is not active/);
  const saves = world.changes('editScan').length;
  await world.clock.advance(20_000);
  t.equal(world.changes('editScan').length, saves, 'the same reason is saved once');
  world.nodes = [5];
  world.workspaces = [makeWorkspace(1, 'in')];
  await world.say({ type: 'workspacesChanged' });
  await world.clock.advance(3_000);
  t.equal(world.heard('startListing').length, 1);
  t.equal(world.row.reason, null);
});

t.test(
  'scan: a failed listing is tried again with its reason shown, and the fifth failure fails the run',
  async (t) => {
    const world = await begin();
    await world.process('dry_run');
    const error = { name: 'filesystem-io', isBuiltin: true, detail: 'the disk is broken' };
    for (let tries = 1; tries < 5; tries++) {
      await world.list(world.page([], { isLast: true, error }));
      t.match(world.row, { run: 'dry_run', reason: 'the disk is broken' });
      await world.clock.advance(60_000);
      t.match(world.order(), { exeNum: tries + 1 });
    }
    await world.list(world.page([], { isLast: true, error }));
    t.match(world.row, { run: null, reason: 'the disk is broken', jobs: { dry_run: { status: 'FAILED' } } });
    t.same(await world.request({ type: 'requeueJobs', jobIds: [JOB.dry_run] }), { jobIds: [JOB.dry_run] });
    t.match(world.row, { run: 'dry_run', reason: null, jobs: { dry_run: { status: 'RUNNING', exeNum: 6 } } });
  },
);

t.test('scan: a page whose rules could not be matched is matched again', async (t) => {
  const world = await begin();
  await world.process('dry_run');
  const { match } = world;
  world.match = () => Promise.reject(new Error('the pool is full'));
  await world.list(world.page([listed('a.txt')], { isLast: true }));
  t.equal(world.row.run, 'dry_run');
  world.match = match;
  await world.clock.advance(5_000);
  t.match(world.row, { run: null, counts: { matched: 1 } });
});

t.test('scan: a file is deferred if the target workspace of its rule is not active', async (t) => {
  const files_to_ingest = [makeRule('.*', { new_workspace: 'gone' })];
  const world = await begin({ configuration: { ...CONFIGURATION, files_to_ingest } });
  await world.process('ingest');
  await world.list(world.page([listed('a')], { isLast: true }));
  t.match(world.changes('recordArrivals'), [
    { arrivals: [{ status: 'DEFERRED', reason: /'gone' is not active/ }] },
  ]);
  t.same(world.ordered(), []);
});

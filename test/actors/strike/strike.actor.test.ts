/** A strike on the real kernel: files arrive and are ingested while the strike is edited and messages get lost. */
import t from 'tap';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';
import {
  CONFIGURATION,
  makeIngest,
  makeRule,
  makeWorkspace,
  STRIKE,
  StrikeWorld,
  seen,
} from '../../support/worlds/strike-world.ts';

const begin = async (over: Partial<StrikeRow> = {}) => {
  const world = new StrikeWorld(over);
  await world.start();
  return world;
};
const MOVING = { ...CONFIGURATION, files_to_ingest: [makeRule('.*', { new_workspace: 'out' })] };
const monitorOf = (nodeId = 5) => ({ executionId: 50, exeNum: 1, nodeId });
const withMonitor = { monitor: monitorOf(), job: { id: 7, status: 'RUNNING', exeNum: 1 } } as const;
t.test('strike: a node that reaches its workspace watches it', async (t) => {
  const world = await begin();
  t.match(world.heard('startMonitor'), [
    { to: 'node/5', order: { strikeId: STRIKE, workspace: { uuid: 'u1' } } },
  ]);
  t.match(world.changes('startExecutions'), [{ starts: [{ jobId: 7, exeNum: 1, nodeId: 5 }] }]);
});

t.test(
  'strike: the monitor starts only if a node reaches the workspace and the workspace is active',
  async (t) => {
    const world = new StrikeWorld();
    world.nodes = [];
    await world.start();
    await world.clock.advance(10_000);
    t.same(world.heard('startMonitor'), []);
    world.nodes = [5];
    world.workspaces = [];
    await world.say({ type: 'workspacesChanged' });
    await world.clock.advance(10_000);
    t.same(world.heard('startMonitor'), []);
    world.workspaces = [makeWorkspace(1, 'in')];
    await world.say({ type: 'workspacesChanged' });
    await world.clock.advance(10_000);
    t.equal(world.heard('startMonitor').length, 1);
  },
);

t.test('strike: a lost monitor starts again with the next execution number', async (t) => {
  const world = await begin();
  const first = world.monitor();
  const result = { executionId: first, jobId: 7, exeNum: 1, error: { name: 'node-lost', isBuiltin: true } };
  await world.say({ type: 'taskEnded', results: [{ result, nodeId: 5, spoolId: null }] });
  await world.clock.advance(5_000);
  t.not(world.monitor(), first);
  t.match(world.changes('startExecutions')[1], { starts: [{ exeNum: 2 }] });
  t.match(world.heard('resultsCommitted'), [{ items: [{ executionId: first }] }]);
});

t.test(
  'strike: a monitor whose node no longer reaches the workspace moves once, to a node that does',
  async (t) => {
    const world = await begin();
    const first = world.monitor();
    world.lost = [{ strikeId: STRIKE, executionId: first }];
    world.nodes = [6];
    await world.clock.advance(15_000);
    t.match(world.heard('stopMonitor'), [{ to: 'node/5', executionId: first }]);
    t.match(world.heard('startMonitor').at(-1), { to: 'node/6' });
    t.match(world.changes('startExecutions')[1], { starts: [{ exeNum: 2, nodeId: 6 }] });
    t.match(world.changes('endExecutions'), [{ ends: [{ executionId: first, status: 'CANCELED' }] }]);
    const second = world.monitor();
    await world.clock.advance(60_000);
    t.equal(world.monitor(), second, 'reports about the first execution do not concern the second');
    t.equal(world.heard('stopMonitor').length, 1);
  },
);

t.test('strike: files become ingests, and their batch is acknowledged', async (t) => {
  const world = await begin();
  const batch = await world.arrive(seen('a'), seen('b'));
  t.same(world.committed(), [batch]);
  t.same(
    world.ordered().map((one) => one.sourcePath),
    ['a', 'b'],
  );
  t.match(world.changes('startIngests'), [{ ingests: [{}, {}] }]);
});

t.test('strike: ingests start in the commit that creates them if a node for them is known', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  await world.arrive(seen('b'), seen('c'));
  const [, second] = world.changes('recordArrivals');
  t.match(second, { arrivals: [{ start: { nodeId: 5 } }, { start: { nodeId: 5 } }] });
  t.equal(world.changes('startIngests').length, 1, 'only those of the first batch start in a further commit');
  const [, b, c] = world.ordered();
  t.match([b, c], [{ sourcePath: 'b', exeNum: 1 }, { sourcePath: 'c' }]);
  const begun = second?.arrivals.map((one) => one.start?.executionId);
  t.same([b?.executionId, c?.executionId], begun);

  await world.clock.advance(3_000);
  await world.arrive(seen('d'));
  t.notOk(world.changes('recordArrivals')[2]?.arrivals[0]?.start, 'the known node is stale');
  t.equal(world.ordered().at(-1)?.sourcePath, 'd', 'the nodes are read again');
});

t.test(
  'strike: an ingest does not start in the commit that creates it while 512 are in flight',
  async (t) => {
    const busy = Array.from({ length: 511 }, (_, n) =>
      makeIngest(n + 1, { status: 'INGESTING', executionId: n + 1_000, nodeId: 5 }),
    );
    const world = await begin({ live: busy });
    await world.arrive(seen('a'));
    t.equal(world.ordered().length, 1, 'the 512th ingest');
    await world.arrive(seen('b'));
    t.notOk(world.changes('recordArrivals')[1]?.arrivals[0]?.start);
    t.equal(world.ordered().length, 1);
  },
);

t.test('strike: a batch that is reported twice creates its ingests once', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  await world.arrive(seen('a'));
  t.equal(world.committed().length, 2);
  t.equal(world.ordered().length, 1);
});

t.test('strike: a batch whose rules could not be matched is not acknowledged', async (t) => {
  const world = await begin();
  const { match } = world;
  world.match = () => Promise.reject(new Error('the pool is full'));
  await world.arrive(seen('a'));
  t.same(world.committed(), []);
  world.match = match;
  const batch = await world.arrive(seen('a'));
  t.same(world.committed(), [batch]);
});

t.test('strike: files of a foreign monitor are ignored, and that monitor is stopped', async (t) => {
  const world = await begin();
  await world.say({ type: 'filesSeen', executionId: 1, nodeId: 9, batch: 1, files: [seen('a')] });
  t.match(world.heard('stopMonitor'), [{ to: 'node/9', executionId: 1 }]);
  t.same(world.changes('recordArrivals'), []);
});

t.test('strike: files are matched again if the rules change meanwhile', async (t) => {
  const world = await begin();
  const { match } = world;
  const latch = new Latch();
  world.match = async (rules, paths) => {
    await latch.opened;
    return match(rules, paths);
  };
  await world.arrive(seen('a'));
  await world.edit({
    configuration: {
      ...CONFIGURATION,
      files_to_ingest: [makeRule('x'), makeRule('a', { data_types: ['new'] })],
    },
  });
  latch.open();
  await world.clock.settle();
  t.match(world.changes('recordArrivals'), [{ arrivals: [{ status: 'TRANSFERRED', tags: ['new'] }] }]);
  t.equal(world.committed().length, 1);
});

t.test(
  'strike: a batch in flight at a pause is not recorded, and the resumed monitor reports it again',
  async (t) => {
    const world = await begin();
    const { match } = world;
    const latch = new Latch();
    world.match = async (rules, paths) => {
      await latch.opened;
      return match(rules, paths);
    };
    await world.arrive(seen('a'));
    await world.edit({ isPaused: true });
    latch.open();
    await world.clock.settle();
    t.same(world.changes('recordArrivals'), []);
    t.same(world.committed(), []);
    await world.edit({ isPaused: false });
    await world.clock.advance(5_000);
    await world.arrive(seen('a'));
    t.equal(world.committed().length, 1);
  },
);

t.test('strike: while it is paused, no ingest starts, and running ones end normally', async (t) => {
  const running = makeIngest(1, { status: 'INGESTING', executionId: 60, nodeId: 5 });
  const world = await begin({ isPaused: true, live: [running, makeIngest(2)] });
  await world.clock.advance(30_000);
  t.same(world.ordered(), []);
  t.same(world.heard('startMonitor'), []);
  await world.report({
    ingestId: 1,
    executionId: 60,
    jobId: 10_001,
    exeNum: 1,
    sourcePath: 'f1',
    owner: '',
  } as never);
  t.match(world.changes('endIngests'), [{ ingests: [{ ingestId: 1, status: 'INGESTED' }] }]);
  t.same(world.ordered(), []);
  await world.edit({ isPaused: false });
  t.match(world.ordered(), [{ ingestId: 2 }]);
});

t.test('strike: pausing stops the monitor and cancels its job', async (t) => {
  const world = await begin(withMonitor);
  await world.edit({ isPaused: true });
  t.match(world.heard('stopMonitor'), [{ executionId: 50 }]);
  t.match(world.changes('moveJobs').at(-1), { moves: [{ jobId: 7, to: 'CANCELED' }] });
  await world.clock.advance(60_000);
  t.same(world.heard('startMonitor'), []);
});

t.test(
  'strike: files for an inactive target workspace are deferred, and ingested there once it is active',
  async (t) => {
    const world = new StrikeWorld({
      configuration: { ...MOVING },
      live: [makeIngest(1, { newWorkspaceId: 2 })],
    });
    world.workspaces = [makeWorkspace(1, 'in')];
    await world.start();
    await world.clock.advance(10_000);
    t.same(world.ordered(), []);
    await world.arrive(seen('a'));
    t.match(world.changes('recordArrivals'), [
      { arrivals: [{ status: 'DEFERRED', reason: /'out' is not active/ }] },
    ]);
    world.deferred = [makeIngest(9, { status: 'DEFERRED', filePath: 'a', identity: 'a' })];
    world.workspaces = [makeWorkspace(1, 'in'), makeWorkspace(2, 'out')];
    await world.say({ type: 'workspacesChanged' });
    await world.clock.advance(5_000);
    t.match(
      world
        .ordered()
        .map((one) => one.sourcePath)
        .sort(),
      ['a', 'f1'],
    );
    t.match(world.ordered(), [{ targetWorkspaceUuid: 'u2' }, { targetWorkspaceUuid: 'u2' }]);
  },
);

t.test('strike: a change of workspaces is found within a minute, even if its message was lost', async (t) => {
  const world = new StrikeWorld({ live: [makeIngest(1, { newWorkspaceId: 2 })] });
  world.workspaces = [makeWorkspace(1, 'in')];
  await world.start();
  world.workspaces = [makeWorkspace(1, 'in'), makeWorkspace(2, 'out')];
  await world.clock.advance(90_000);
  t.equal(world.ordered().length, 1);
});

t.test(
  'strike: the monitor follows its workspace to a new root, and stops when the workspace is inactive',
  async (t) => {
    const world = await begin(withMonitor);
    world.workspaces = [makeWorkspace(1, 'in', '/elsewhere')];
    await world.say({ type: 'workspacesChanged' });
    t.match(world.heard('stopMonitor'), [{ executionId: 50 }]);
    t.match(world.heard('startMonitor'), [{ order: { workspace: { configuration: /elsewhere/ } } }]);
    world.forget();
    world.workspaces = [];
    await world.say({ type: 'workspacesChanged' });
    await world.clock.advance(20_000);
    t.equal(world.heard('stopMonitor').length, 1);
    t.same(world.heard('startMonitor'), []);
  },
);

t.test(
  'strike: deferred files are matched again, page by page from the first, when rules change',
  async (t) => {
    const world = await begin({ configuration: { ...CONFIGURATION, files_to_ingest: [] } });
    world.deferred = Array.from({ length: 700 }, (_, at) => makeIngest(at + 1, { status: 'DEFERRED' }));
    const { match } = world;
    const latch = new Latch();
    world.match = async (rules, paths) => {
      await latch.opened;
      return match(rules, paths);
    };
    await world.edit({
      configuration: { ...CONFIGURATION, files_to_ingest: [makeRule('^none$')] },
    });
    await world.edit({ configuration: { ...CONFIGURATION } });
    latch.open();
    await world.clock.settle();
    const taken = world
      .changes('recordArrivals')
      .flatMap((one) => one.arrivals.map((arrival) => arrival.filePath));
    t.equal(taken.length, 700);
    t.equal(new Set(taken).size, 700);
    t.match(world.changes('editStrike').at(-1), { patch: { deferredCursor: null } });
  },
);

t.test(
  'strike: work that a node lacks is ordered again unchanged, but not in an inactive workspace',
  async (t) => {
    const world = await begin({ ...withMonitor, live: [makeIngest(1)] });
    const [item] = world.ordered();
    world.forget();
    await world.say({ type: 'workMissing', nodeId: 5, executionIds: [50, item?.executionId, 999] });
    t.match(world.heard('startMonitor'), [{ order: { executionId: 50 } }]);
    t.same(world.ordered(), [item]);
    world.forget();
    world.workspaces = [];
    await world.say({ type: 'workspacesChanged' });
    await world.say({ type: 'workMissing', nodeId: 5, executionIds: [item?.executionId] });
    t.same(world.ordered(), []);
  },
);

t.test('strike: an actor that is loaded again continues from its rows, and repeats no order', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  const [item] = world.ordered();
  if (item === undefined) throw new Error('nothing was ordered');
  world.isDown = true;
  await world.report(item);
  world.isDown = false;
  await world.clock.advance(10_000);
  await world.report(item);
  t.equal(world.changes('endIngests').length, 1);
  t.equal(world.ordered().length, 1);
  t.equal(world.heard('startMonitor').length, 1);
});

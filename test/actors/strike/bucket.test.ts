/** A strike of a bucket on the real kernel: notified and listed objects become ingests, each object once. */
import t from 'tap';
import type { SeenObject } from '../../../src/domain/notification/s3-event.ts';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import { objectIdentity } from '../../../src/domain/workspace/object-identity.ts';
import { CONFIGURATION, makeWorkspace, STRIKE, StrikeWorld } from '../../support/worlds/strike-world.ts';

const MONITOR = { type: 'objstore', queue_name: 'q' } as const;
const BUCKET = { ...CONFIGURATION, monitor: MONITOR } as unknown as StrikeRow['configuration'];
const LIST_MS = 300_000;

async function begin(over: Partial<StrikeRow> = {}): Promise<StrikeWorld> {
  const world = new StrikeWorld({ configuration: BUCKET, ...over });
  const broker = { type: 'objstore', bucket_name: 'inbox' };
  world.workspaces = [{ ...makeWorkspace(1, 'in'), configuration: { broker } }, makeWorkspace(2, 'out')];
  await world.start();
  await world.clock.settle();
  return world;
}

const object = (path: string, over: Partial<SeenObject> = {}): SeenObject => {
  return { bucket: 'inbox', path, size: 5, etag: 'e1', eventMs: 7, sequencer: '', ...over };
};

async function notify(world: StrikeWorld, ...objects: readonly SeenObject[]) {
  const asked = world.ask(STRIKE, { type: 'notified', objects } as never);
  await world.clock.settle();
  return asked;
}

const orders = (world: StrikeWorld) => {
  return world.heard('startListing').map((one) => one.order as { executionId: number; after: string });
};

interface Page {
  readonly executionId?: number;
  /** Default: it is the first. */
  readonly after?: string;
  readonly sequence: number;
  readonly paths?: readonly string[];
  readonly isLast?: boolean;
  readonly error?: object;
}

function page(world: StrikeWorld, { paths = [], isLast = true, after = '', ...over }: Page): Promise<void> {
  const files = paths.map((path) => ({ path, size: 5, mtimeMs: 9, identity: objectIdentity('e1', 5) }));
  const executionId = over.executionId ?? orders(world).at(-1)?.executionId;
  const shape = { type: 'listingPage', owner: `strike/${STRIKE}`, after, through: paths.at(-1) ?? after };
  return world.say({
    type: 'filesListed',
    nodeId: 5,
    page: { ...shape, files, isLast, ...over, executionId },
  });
}

const marks = (world: StrikeWorld) => world.changes('markListing').map((one) => one.mark);

const arrived = (world: StrikeWorld) => world.ordered().map((item) => item.sourcePath);

t.test(
  'bucket strike: its job runs on a node that lists the bucket, and the coordinator reads its queue',
  async (t) => {
    const world = await begin();
    t.match(orders(world), [
      { owner: { kind: 'strike', key: STRIKE }, recursive: true, after: '', workspace: { uuid: 'u1' } },
    ]);
    t.match(world.changes('startExecutions'), [{ starts: [{ jobId: 7, nodeId: 5 }] }]);
    t.same(world.heard('startMonitor'), []);
    t.same(world.watched.at(-1), { strikeId: STRIKE, monitor: MONITOR, formerly: null });
  },
);

t.test(
  'bucket strike: notified objects are ingested, and the notification is answered with their number',
  async (t) => {
    const world = await begin();
    const asked = await notify(world, object('a/b.json'), object('c'), object('d', { bucket: 'other' }));
    t.equal(asked.state, 'resolved');
    t.same(asked.value, { files: 2 });
    t.match(world.ordered(), [
      { sourcePath: 'a/b.json', expectedSize: 5, expectedIdentity: objectIdentity('e1', 5) },
      { sourcePath: 'c' },
    ]);
    t.equal(world.counter('strike.objects_of_other_buckets'), 1);
  },
);

t.test('bucket strike: a notification is not answered until its arrivals are committed', async (t) => {
  const world = await begin();
  world.isDown = true;
  const asked = await notify(world, object('a'));
  t.not(asked.state, 'resolved');
  world.isDown = false;
  await world.clock.advance(60_000);
  await notify(world, object('a'));
  t.same([...new Set(arrived(world))], ['a']);
});

t.test('bucket strike: an object that is notified and listed several times becomes one ingest', async (t) => {
  const world = await begin();
  await notify(world, object('a'), object('a'));
  await notify(world, object('a'));
  await page(world, { sequence: 1, paths: ['a', 'lost'] });
  await notify(world, object('lost'));
  t.same(arrived(world), ['a', 'lost']);
  await notify(world, object('a', { etag: 'e2' }));
  t.same(arrived(world), ['a', 'lost', 'a'], 'an object with new content is a new arrival');
});

t.test(
  'bucket strike: pages are acknowledged, and the next listing begins five minutes after the last page',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['a'], isLast: false });
    await page(world, { sequence: 2, paths: ['b'], after: 'a' });
    t.match(world.heard('pageCommitted'), [{ sequence: 1 }, { sequence: 2 }]);
    const orderCount = orders(world).length;
    await world.clock.advance(LIST_MS - 1_000);
    t.equal(orders(world).length, orderCount);
    await world.clock.advance(2_000);
    t.equal(orders(world).length, orderCount + 1);
    await page(world, { sequence: 3 });
    t.equal(world.heard('pageCommitted').length, 3, 'an empty bucket is listed as well');
  },
);

t.test('bucket strike: its configuration says how often the bucket is listed', async (t) => {
  const monitor = { ...MONITOR, list_every_ms: 10_000 };
  const world = await begin({ configuration: { ...BUCKET, monitor } });
  await page(world, { sequence: 1 });
  await world.clock.advance(10_500);
  t.equal(orders(world).length, 2);
});

t.test(
  'bucket strike: a listing that the agent lost is ordered again from the end of its last page',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['a', 'k'], isLast: false });
    const executionIds = [orders(world)[0]?.executionId];
    await world.say({ type: 'workMissing', nodeId: 5, executionIds });
    t.equal(orders(world).at(-1)?.after, 'k');
    const orderCount = orders(world).length;
    await page(world, { sequence: 2, paths: ['z'], after: 'k' });
    await world.say({ type: 'workMissing', nodeId: 5, executionIds });
    t.equal(orders(world).length, orderCount, 'between two listings none is ordered');
  },
);

t.test(
  'bucket strike: a listing that falls silent is ordered again from the end of its last page',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['k'], isLast: false });
    const { length } = orders(world);
    await world.clock.advance(40_000);
    t.equal(orders(world).length, length, 'a slow listing is waited for');
    await world.clock.advance(60_000);
    t.match(orders(world).slice(length), [{ after: 'k' }]);
  },
);

t.test(
  'bucket strike: a failed listing is tried again, and the fourth failure begins a new execution',
  async (t) => {
    const world = await begin();
    const error = { name: 'filesystem-io', isBuiltin: true, detail: 'away' };
    for (let time = 1; time <= 4; time += 1) {
      await page(world, { sequence: time, error });
      await world.clock.advance(time === 4 ? 5_000 : 130_000);
    }
    t.equal(new Set(orders(world).map((one) => one.executionId)).size, 2);
    t.match(world.changes('endExecutions'), [
      { ends: [{ status: 'FAILED', error: { name: 'filesystem-io' } }] },
    ]);
    t.equal(world.heard('pageCommitted').length, 4);
  },
);

t.test(
  'bucket strike: a listing of another execution is stopped, and its pages are not recorded',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['a'], executionId: 4711 });
    t.match(world.heard('stopListing'), [{ to: 'node/5', executionId: 4711 }]);
    t.same(arrived(world), []);
  },
);

t.test(
  'bucket strike: after the loss of its node the next execution continues the listing at once',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['a', 'k'], isLast: false });
    const executionId = orders(world)[0]?.executionId as number;
    const result = { executionId, jobId: 7, exeNum: 1, error: { name: 'node-lost', isBuiltin: true } };
    await world.say({ type: 'taskEnded', results: [{ result, nodeId: 5, spoolId: null }] });
    await world.clock.advance(5_000);
    t.not(orders(world).at(-1)?.executionId, executionId);
    t.equal(orders(world).at(-1)?.after, 'k');
  },
);

t.test(
  'bucket strike: each page saves the position of the listing, and the last one the time of the next listing',
  async (t) => {
    const world = await begin();
    await page(world, { sequence: 1, paths: ['a', 'k'], isLast: false });
    await page(world, { sequence: 2, paths: ['z'], after: 'k' });
    t.same(marks(world), [
      { place: '/inbox', through: 'k', dueMs: 0 },
      { place: '/inbox', through: '', dueMs: world.clock.nowMs() + LIST_MS },
    ]);
    const turns = world.saved.map((one) => one.type).filter((type) => type !== 'startExecutions');
    t.equal(
      turns.indexOf('markListing'),
      turns.indexOf('recordArrivals') + 1,
      'in the same turn as the arrivals',
    );
  },
);

t.test(
  'bucket strike: another coordinator continues an interrupted listing, and waits after a complete one',
  async (t) => {
    const nowMs = new StrikeWorld().clock.nowMs();
    const place = '/inbox';
    const interrupted = await begin({ listing: { place, through: 'k', dueMs: 0 } });
    t.equal(orders(interrupted).at(-1)?.after, 'k');
    await page(interrupted, { sequence: 1, paths: ['m'], after: 'k', isLast: false });
    t.equal(marks(interrupted).at(-1)?.through, 'm');

    const rested = await begin({ listing: { place, through: '', dueMs: nowMs + 60_000 } });
    t.same(orders(rested), []);
    await rested.clock.advance(80_000);
    t.equal(orders(rested)[0]?.after, '');

    const lateMs = nowMs + LIST_MS + 1;
    const wrong = await begin({ listing: { place, through: '', dueMs: lateMs } });
    t.equal(orders(wrong)[0]?.after, '', 'the wait is at most the time between two listings');

    const moved = await begin({ listing: { place: '/another', through: 'k', dueMs: nowMs + 60_000 } });
    t.equal(orders(moved)[0]?.after, '', 'the position in another bucket is ignored');
  },
);

t.test(
  'bucket strike: pages are recorded in order, and a missing one makes the listing begin again before it',
  async (t) => {
    const world = await begin();
    // The first that needs identifiers has them fetched, and what was not saved is loaded again.
    await notify(world, object('earlier'));
    const waiting: (() => void)[] = [];
    const { match } = world;
    world.match = async (rules, paths) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return match(rules, paths);
    };
    await page(world, { sequence: 1, paths: ['a'], isLast: false });
    await page(world, { sequence: 2, paths: ['b'], after: 'a', isLast: false });
    await page(world, { sequence: 2, paths: ['b'], after: 'a', isLast: false });
    t.equal(waiting.length, 1, 'the second waits for the first');
    t.same(world.heard('pageCommitted'), []);
    for (let turn = 0; turn < 6; turn += 1) {
      waiting.shift()?.();
      await world.clock.settle();
    }
    t.match(world.heard('pageCommitted'), [{ sequence: 1 }, { sequence: 2 }]);
    t.same(
      marks(world).map((mark) => mark?.through),
      ['a', 'b'],
    );
    world.match = match;

    await world.clock.advance(6_000);
    await page(world, { sequence: 4, paths: ['d'], after: 'c' });
    t.match(world.heard('stopListing'), [{ to: 'node/5' }], 'the third was lost');
    t.equal(orders(world).at(-1)?.after, 'b', 'the listing begins again after the second');
  },
);

t.test(
  'bucket strike: a page whose rules could not be matched is matched again and acknowledged then',
  async (t) => {
    const world = await begin();
    const { match } = world;
    world.match = async () => {
      throw new Error('the pool is full');
    };
    await page(world, { sequence: 1, paths: ['a'] });
    t.same(world.heard('pageCommitted'), []);
    world.match = match;
    await world.clock.advance(3_000);
    t.match(world.heard('pageCommitted'), [{ sequence: 1 }]);
    t.same(arrived(world), ['a']);
  },
);

t.test(
  'bucket strike: while paused it refuses notifications and reads no queue, and resumes both',
  async (t) => {
    const world = await begin();
    await world.edit({ isPaused: true });
    t.same(world.watched.at(-1), { strikeId: STRIKE, monitor: null, formerly: null });
    t.match(world.heard('stopListing').length, 1);
    const refused = await notify(world, object('a'));
    t.equal(refused.code, 'STATE_CONFLICT');
    const orderCount = orders(world).length;
    await world.edit({ isPaused: false });
    t.same(world.watched.at(-1), { strikeId: STRIKE, monitor: MONITOR, formerly: null });
    await world.clock.advance(5_000);
    t.equal(orders(world).length, orderCount + 1);
    await notify(world, object('a'));
    t.same(arrived(world), ['a']);
  },
);

t.test(
  'bucket strike: canceling its job stops reading the queue, and requeueing it starts it again',
  async (t) => {
    const world = await begin();
    await world.say({ type: 'cancelJobs', jobIds: [7] });
    t.equal(world.watched.at(-1)?.monitor, null);
    await world.say({ type: 'requeueJobs', jobIds: [7] });
    t.same(world.watched.at(-1)?.monitor, MONITOR);
  },
);

t.test(
  'bucket strike: after an edit of the queue the new one is read and the former one is closed',
  async (t) => {
    const world = await begin();
    const monitor = { ...MONITOR, queue_name: 'other' };
    await world.edit({ configuration: { ...BUCKET, monitor } });
    t.same(
      world.watched.filter(({ formerly }) => formerly !== null),
      [{ strikeId: STRIKE, monitor, formerly: MONITOR }],
    );
    t.same(world.watched.at(-1), { strikeId: STRIKE, monitor, formerly: null });
  },
);

t.test('bucket strike: when its monitor becomes a directory, its queue is no longer read', async (t) => {
  const world = await begin();
  await world.edit({ configuration: CONFIGURATION, workspaceId: 2 });
  t.same(world.watched.at(-1), { strikeId: STRIKE, monitor: null, formerly: MONITOR });
  t.equal((await notify(world, object('a'))).code, 'STATE_CONFLICT');
});

t.test('bucket strike: it refuses notifications while its workspace is not active', async (t) => {
  const world = await begin();
  world.workspaces = [];
  await world.say({ type: 'workspacesChanged' });
  t.equal((await notify(world, object('a'))).code, 'STATE_CONFLICT');
});

t.test('bucket strike: a notification whose rules cannot be matched is refused as unavailable', async (t) => {
  const world = await begin();
  world.match = async () => {
    throw new Error('the pool is full');
  };
  t.equal((await notify(world, object('a'))).code, 'UNAVAILABLE');
});

t.test('bucket strike: a strike that watches a directory refuses notifications', async (t) => {
  const world = await new StrikeWorld().start();
  const asked = world.ask(STRIKE, { type: 'notified', objects: [object('a')] } as never);
  await world.clock.settle();
  t.equal(asked.code, 'STATE_CONFLICT');
});

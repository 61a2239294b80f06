/** Ingests of a strike: a bounded number is in flight; they end, or are tried again. */
import t from 'tap';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';
import { makeIngest, StrikeWorld, seen } from '../../support/worlds/strike-world.ts';

const begin = async (over: Partial<StrikeRow> = {}) => {
  const world = new StrikeWorld(over);
  await world.start();
  return world;
};
const withMonitor = {
  monitor: { executionId: 50, exeNum: 1, nodeId: 5 },
  job: { id: 7, status: 'RUNNING', exeNum: 1 },
} as const;
const failure = (name = 'filesystem-io') => ({
  outcome: 'failed' as const,
  error: { name, isBuiltin: true, detail: 'no' },
});

t.test(
  'strike: a stored file is registered, its ingest ends once, and each report of it is acknowledged',
  async (t) => {
    const world = await begin();
    await world.arrive(seen('a'));
    const [item] = world.ordered();
    if (item === undefined) throw new Error('nothing was ordered');
    await world.report(item);
    t.match(world.changes('createSourceFiles'), [{ files: [{ filePath: 'a', sha256: 'ab' }] }]);
    t.match(world.changes('endIngests'), [
      { ingests: [{ status: 'INGESTED', reason: /no recipe was started/ }] },
    ]);
    t.match(world.changes('moveJobs').at(-1), { moves: [{ to: 'COMPLETED' }] });
    t.match(world.heard('resultsCommitted'), [{ to: 'node/5', items: [{ spoolId: item.executionId }] }]);
    await world.report(item);
    t.equal(world.changes('endIngests').length, 1);
    t.equal(world.heard('resultsCommitted').length, 2);
  },
);

t.test(
  'strike: a thousand simultaneous reports are registered with fewer than 20 reads of facts',
  async (t) => {
    const world = await begin({ live: Array.from({ length: 600 }, (_, at) => makeIngest(at + 1)) });
    await world.clock.advance(3_000);
    t.equal(world.ordered().length, 512);
    const before = world.calls.ingestFacts ?? 0;
    await Promise.all([...world.ordered(), ...world.ordered()].map((item) => world.report(item)));
    await world.clock.advance(3_000);
    t.equal(world.changes('endIngests').flatMap((one) => one.ingests).length, 512);
    t.ok((world.calls.ingestFacts ?? 0) - before < 20, `${world.calls.ingestFacts} reads`);
    t.equal(world.system.stats().totals.failures, 0);
    t.equal(new Set(world.ordered().map((one) => one.ingestId)).size, 600);
  },
);

t.test(
  'strike: reports of two ingests with the same target path are registered one after the other',
  async (t) => {
    const live = [1, 2].map((id) => makeIngest(id, { filePath: 'same' }));
    const world = await begin({ live });
    const [a, b] = world.ordered();
    if (a === undefined || b === undefined) throw new Error('nothing was ordered');
    const latch = new Latch();
    world.ports.ingestFacts = async () => {
      await latch.opened;
      return world.facts;
    };
    await world.report(a);
    await world.report(b, { sha256: 'cd' });
    latch.open();
    await world.clock.settle();
    t.equal(world.changes('createSourceFiles').length, 2);
    t.equal(world.calls.ingestFacts, 2);
  },
);

t.test('strike: content older than the registered file is registered as superseded', async (t) => {
  const live = [makeIngest(1, { filePath: 'same', arrivedMs: 100 })];
  const world = await begin({ live });
  const [item] = world.ordered();
  if (item === undefined) throw new Error('nothing was ordered');
  const there = { fileId: 9, workspaceId: 1, filePath: 'same', size: 5, sha256: 'newer', arrivedMs: 200 };
  world.facts = { ...world.facts, sources: [there] };
  await world.report(item);
  const [file] = world.changes('createSourceFiles').flatMap((one) => one.files);
  t.match(world.changes('supersedeFiles'), [{ files: [{ fileId: file?.id }] }]);
  t.match(world.changes('endIngests'), [{ ingests: [{ status: 'INGESTED', sourceFileId: file?.id }] }]);
});

t.test('strike: newer content supersedes the registered file', async (t) => {
  const live = [makeIngest(1, { filePath: 'same', arrivedMs: 200 })];
  const world = await begin({ live });
  const [item] = world.ordered();
  if (item === undefined) throw new Error('nothing was ordered');
  const there = { fileId: 9, workspaceId: 1, filePath: 'same', size: 5, sha256: 'older', arrivedMs: 100 };
  world.facts = { ...world.facts, sources: [there] };
  await world.report(item);
  t.match(world.changes('supersedeFiles'), [{ files: [{ fileId: 9 }] }]);
});

t.test('strike: an arrival is later than all live ingests, even if the clock is behind', async (t) => {
  const world = await begin({ live: [makeIngest(1, { arrivedMs: Date.UTC(2100, 0, 1) })] });
  await world.arrive(seen('a'));
  const [arrival] = world.changes('recordArrivals').flatMap((one) => one.arrivals);
  t.equal(arrival?.atMs, Date.UTC(2100, 0, 1) + 1);
});

t.test('strike: a failed ingest is tried again after a pause, three times in all', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  for (const exeNum of [1, 2, 3]) {
    const item = world.ordered().at(-1);
    if (item === undefined) throw new Error('nothing was ordered');
    t.equal(item.exeNum, exeNum);
    const ordered = world.ordered().length;
    await world.report(item, failure());
    t.equal(world.ordered().length, ordered, 'not at once');
    await world.clock.advance(10_000);
  }
  t.equal(world.ordered().length, 3);
  t.match(world.changes('endIngests').at(-1), { ingests: [{ status: 'ERRORED' }] });
});

t.test('strike: the pause before a retry is not prolonged by other arrivals', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  const [item] = world.ordered();
  if (item === undefined) throw new Error('nothing was ordered');
  await world.report(item, failure());
  for (let second = 0; second < 8; second++) {
    await world.arrive(seen(`other${second}`));
    await world.clock.advance(1_000);
  }
  t.ok(world.ordered().some((one) => one.exeNum === 2));
});

for (const [outcome, error] of [
  ['gone', 'missing-file'],
  ['changed', 'filesystem-io'],
] as const) {
  t.test(`strike: a file that is ${outcome} is not tried again`, async (t) => {
    const world = await begin();
    await world.arrive(seen('a'));
    const [item] = world.ordered();
    if (item === undefined) throw new Error('nothing was ordered');
    await world.report(item, { outcome });
    await world.clock.advance(60_000);
    t.match(world.changes('endIngests'), [{ ingests: [{ status: 'ERRORED', error: { name: error } }] }]);
    t.equal(world.ordered().length, 1);
  });
}

t.test(
  'strike: a report of an execution that is not current is acknowledged and changes nothing',
  async (t) => {
    const world = await begin();
    await world.report({
      ingestId: 1,
      executionId: 99,
      jobId: 1,
      exeNum: 1,
      sourcePath: 'x',
      owner: '',
    } as never);
    t.same(world.changes('endIngests'), []);
    t.match(world.heard('resultsCommitted'), [{ items: [{ executionId: 99, isVoid: false }] }]);
  },
);

t.test('strike: a report that could not be registered is registered when it is repeated', async (t) => {
  const world = await begin();
  await world.arrive(seen('a'));
  const [item] = world.ordered();
  if (item === undefined) throw new Error('nothing was ordered');
  const { ingestFacts } = world.ports;
  world.ports.ingestFacts = () => Promise.reject(new Error('the store is away'));
  await world.report(item);
  t.same(world.heard('resultsCommitted'), []);
  world.ports.ingestFacts = ingestFacts;
  await world.report(item);
  t.equal(world.changes('endIngests').length, 1);
});

t.test('strike: at most 512 ingests are in flight, and all of 2,500 get through', async (t) => {
  const world = await begin({
    live: Array.from({ length: 2_000 }, (_, at) => makeIngest(at + 1)),
    hasMore: true,
  });
  world.more = Array.from({ length: 500 }, (_, at) => makeIngest(2_001 + at));
  let done = 0;
  for (let round = 0; round < 60 && done < 2_500; round++) {
    const items = world.ordered().slice(done);
    t.ok(items.length <= 512, `${items.length} in flight`);
    done += items.length;
    for (const item of items) void world.report(item);
    await world.clock.advance(1_000);
  }
  t.equal(done, 2_500);
  t.equal(new Set(world.ordered().map((one) => one.ingestId)).size, 2_500);
  t.equal(world.calls.liveIngests, 1);
});

t.test('strike: a file that arrives while live ingests are read is ingested as well', async (t) => {
  const world = new StrikeWorld({ live: [makeIngest(1)], hasMore: true });
  const latch = new Latch();
  const full = Array.from({ length: 2_000 }, (_, at) => makeIngest(100 + at));
  world.ports.liveIngests = async () => {
    await latch.opened;
    return full;
  };
  await world.start();
  await world.arrive(seen('late'));
  latch.open();
  await world.clock.advance(3_000);
  t.ok(world.ordered().some((one) => one.sourcePath === 'late'));
  t.equal(world.system.stats().totals.failures, 0);
});

t.test(
  'strike: a failing read of the nodes that reach a workspace is repeated every two seconds',
  async (t) => {
    const world = new StrikeWorld({ live: [makeIngest(1)], ...withMonitor });
    world.ports.nodesReaching = () => Promise.reject(new Error('the store is away'));
    await world.start();
    await world.clock.advance(20_000);
    t.ok((world.calls.nodesReaching ?? 0) <= 12, `${world.calls.nodesReaching} reads`);
    world.ports.nodesReaching = async () => [5];
    await world.clock.advance(5_000);
    t.equal(world.ordered().length, 1);
  },
);

t.test('strike: files for a workspace that no node reaches do not hold up files for others', async (t) => {
  const live = [
    ...Array.from({ length: 1_000 }, (_, at) => makeIngest(at + 1)),
    ...Array.from({ length: 10 }, (_, at) => makeIngest(5_000 + at, { newWorkspaceId: 2 })),
  ];
  const world = new StrikeWorld({ live, ...withMonitor });
  world.ports.nodesReaching = async (ids) => (ids.length === 1 ? [5] : [6]);
  await world.start();
  for (const item of world.ordered().slice(0, 20)) await world.report(item);
  t.equal(world.ordered().filter((one) => one.ingestId >= 5_000).length, 10);

  const other = new StrikeWorld({ live: [...live].reverse(), ...withMonitor });
  other.ports.nodesReaching = async (ids) => (ids.length === 1 ? [5] : []);
  await other.start();
  await other.clock.advance(5_000);
  t.equal(other.ordered().length, 512);
});

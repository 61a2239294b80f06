/** The scheduler on the real kernel: placements, and the repair of lost messages from the rows. */
import t from 'tap';
import { SCHEDULER } from '../../../src/actors/scheduler/scheduler.messages.ts';
import type { SchedulerSnapshot } from '../../../src/domain/scheduling/snapshot.ts';
import { makeClass, makeJob, makeNode, makeSnapshot } from '../../domain/scheduling/cluster.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';
import { SchedulerWorld } from '../../support/worlds/scheduler-world.ts';

const SMALL = makeNode({ total: { cpus: 1, mem: 4096 } });
/** It has placed a job before, so that identifiers are at hand: without them it would be loaded again midway. */
const begin = async (snapshot: Partial<SchedulerSnapshot> = {}) => {
  const world = new SchedulerWorld();
  await world.start();
  await world.queue([{ jobId: 999 }]);
  world.snapshot = makeSnapshot(snapshot);
  await world.say({ type: 'typesChanged' });
  world.forget();
  world.applied.length = 0;
  return world;
};
const edit = async (world: SchedulerWorld, patch: object) => {
  const asked = world.ask(SCHEDULER.key, { type: 'edit', patch } as never);
  await world.clock.advance(1);
  return asked;
};

t.test('scheduler: a queued job is placed, committed, and then launched', async (t) => {
  const world = await begin();
  await world.queue([{ jobId: 1 }]);
  t.match(world.changes('placeJobs'), [{ starts: [{ jobId: 1, exeNum: 1, nodeId: 1 }] }]);
  t.match(world.heard('launch', 'node/1'), [
    {
      executions: [
        { jobId: 1, executionId: world.executionOf(1), work: 'task', owner: { kind: 'job', key: 1 } },
      ],
    },
  ]);
});

t.test('scheduler: a placement that the store refuses is not launched and holds no resources', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  world.refused.add(1);
  await world.queue([{ jobId: 1 }, { jobId: 2 }]);
  t.same(world.launched(), [2]);
});

t.test('scheduler: an end makes room for the next job, and only once if it is reported twice', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  await world.queue([{ jobId: 1 }, { jobId: 2 }, { jobId: 3 }]);
  const ended = { type: 'ended', items: [{ executionId: world.executionOf(1), nodeId: 1 }] };
  await world.say(ended);
  await world.say(ended);
  t.same(world.launched(), [1, 2]);
});

t.test('scheduler: a job that was placed on a hint is not placed again when it is announced', async (t) => {
  const world = await begin();
  await world.hint([{ jobId: 1 }]);
  t.same(world.launched(), [1]);
  await world.queue([{ jobId: 1 }]);
  t.same(world.launched(), [1]);
  t.equal(world.changes('placeJobs').length, 1);
});

t.test('scheduler: a hinted job that was not there yet is placed when it is announced', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  world.refused.add(1);
  await world.hint([{ jobId: 1 }]);
  t.same(world.launched(), []);
  world.refused.clear();
  await world.queue([{ jobId: 1 }]);
  t.same(world.launched(), [1]);
});

t.test('scheduler: a hinted job that is queued again later is placed again', async (t) => {
  const world = await begin();
  await world.hint([{ jobId: 1 }]);
  await world.queue([{ jobId: 1 }]);
  await world.queue([{ jobId: 1, exeNum: 2 }]);
  t.same(world.launched(), [1, 1]);
});

t.test('scheduler: a hint whose job never comes holds no resources', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  world.refused.add(1);
  await world.hint([{ jobId: 1 }]);
  await world.queue([{ jobId: 2 }]);
  t.same(world.launched(), [2]);
});

t.test('scheduler: a hint is forgotten after two reads of the rows', async (t) => {
  const world = await begin();
  await world.hint([{ jobId: 1 }]);
  await world.clock.advance(25_000);
  await world.queue([{ jobId: 1 }]);
  t.equal(world.changes('placeJobs').length, 2, 'its row then decides');
});

t.test('scheduler: a hint is also forgotten while job types are edited all the time', async (t) => {
  const world = await begin();
  await world.hint([{ jobId: 1 }]);
  for (let edits = 0; edits < 5; edits++) {
    await world.clock.advance(5_000);
    await world.say({ type: 'typesChanged' });
  }
  await world.queue([{ jobId: 1 }]);
  t.equal(world.changes('placeJobs').length, 2, 'its row then decides');
});

t.test('scheduler: a queued job whose announcement was lost is found in the rows', async (t) => {
  const world = await begin();
  const jobClass = makeClass();
  world.heads.set(jobClass.key, { class: jobClass, jobs: [makeJob({ jobId: 4 })], isWhole: true });
  world.snapshot = makeSnapshot({ classes: [jobClass] });
  await world.clock.advance(15_000);
  t.same(world.launched(), [4]);
});

t.test('scheduler: an end of an execution whose announcement was lost is found in the rows', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  await world.queue([{ jobId: 1 }, { jobId: 2 }]);
  world.snapshot = makeSnapshot({ nodes: [SMALL] });
  await world.clock.advance(15_000);
  t.same(world.launched(), [1, 2]);
});

t.test('scheduler: the first jobs of a class are read again if they could not be read', async (t) => {
  const jobClass = makeClass();
  const world = await begin();
  world.snapshot = makeSnapshot({ classes: [jobClass] });
  world.readHead = () => Promise.reject(new Error('the store is away'));
  await world.clock.advance(15_000);
  t.same(world.launched(), []);
  world.heads.set(jobClass.key, { class: jobClass, jobs: [makeJob({ jobId: 4 })], isWhole: true });
  world.readHead = async (key) => world.heads.get(key);
  await world.clock.advance(15_000);
  t.same(world.launched(), [4]);
});

t.test('scheduler: a failed read of the rows is repeated, about five times in 35 seconds', async (t) => {
  const world = await begin();
  world.read = () => Promise.reject(new Error('the store is away'));
  await world.clock.advance(35_000);
  const asked = world.asked;
  t.ok(asked >= 4 && asked <= 6, `${asked} times`);
  world.read = async () => makeSnapshot({ nodes: [makeNode({ nodeId: 7 })] });
  await world.clock.advance(15_000);
  await world.queue([{ jobId: 1 }]);
  t.same(world.launched('node/7'), [1]);
});

t.test(
  'scheduler: limits that are known to be old are read every second until the read succeeds',
  async (t) => {
    const world = await begin();
    const { read } = world;
    world.read = () => Promise.reject(new Error('the store is away'));
    const asked = world.asked;
    await world.say({ type: 'typesChanged' });
    await world.clock.advance(3_500);
    t.equal(world.asked, asked + 4);
    world.read = read;
    await world.clock.advance(1_000);
    t.equal(world.asked, asked + 5);
    await world.clock.advance(9_000);
    t.equal(world.asked, asked + 5, 'then as usual');
  },
);

t.test('scheduler: a request that comes during a read that fails is answered after a second', async (t) => {
  const world = await begin();
  const latch = new Latch();
  const { read } = world;
  world.read = () => latch.opened.then(() => Promise.reject(new Error('the store is away')));
  await world.clock.advance(10_000);
  const asked = world.asked;
  await world.say({ type: 'typesChanged' });
  latch.open();
  world.read = read;
  await world.clock.advance(1_100);
  t.equal(world.asked, asked + 1);
});

t.test(
  'scheduler: a paused scheduler places nothing, and a resumed one places all waiting jobs',
  async (t) => {
    const world = await begin();
    t.same((await edit(world, { isPaused: true })).value, {});
    await world.queue([{ jobId: 1 }]);
    t.same(world.launched(), []);
    await edit(world, { isPaused: false });
    t.same(world.launched(), [1]);
    t.match(world.changes('saveScheduler'), [{ patch: { isPaused: true } }, { patch: { isPaused: false } }]);
    t.match(world.applied.at(-1), { isPaused: false });
  },
);

t.test('scheduler: edits and changes of nodes during a read of the rows are not undone by it', async (t) => {
  const world = await begin();
  const latch = new Latch();
  const { snapshot } = world;
  world.read = () => latch.opened.then(() => snapshot);
  await world.clock.advance(15_000);
  await edit(world, { isPaused: true });
  await world.say({
    type: 'nodeChanged',
    node: makeNode({ nodeId: 2, total: { cpus: 8, mem: 9_000, gpus: 1 } }),
  });
  latch.open();
  await world.clock.advance(1);
  await world.queue([{ jobId: 1 }]);
  t.same(world.launched(), [], 'it is paused');
  await edit(world, { isPaused: false });
  await world.queue([{ jobId: 2 }], makeClass({ resources: { gpus: 1 } }));
  t.same(world.launched('node/2'), [2], 'the new node is known');
});

t.test('scheduler: limits that change during a read of the rows are read again once after it', async (t) => {
  const world = await begin();
  const latch = new Latch();
  const old = makeSnapshot();
  world.read = () => latch.opened.then(() => old);
  await world.clock.advance(15_000);
  await world.say({ type: 'typesChanged' });
  await world.say({ type: 'typesChanged' });
  const asked = world.asked;
  world.read = async () =>
    makeSnapshot({ types: [{ jobTypeId: 1, isPaused: true, maxScheduled: null, unmet: null }] });
  latch.open();
  await world.clock.advance(1);
  t.equal(world.asked, asked + 1);
  await world.queue([{ jobId: 1 }]);
  t.same(world.launched(), []);
});

t.test('scheduler: a job type never has more executions than its limit', async (t) => {
  const limit = { jobTypeId: 1, isPaused: false, maxScheduled: 2, unmet: null };
  const world = await begin({ types: [limit] });
  world.limitInRows = 2;
  await world.queue([{ jobId: 1 }, { jobId: 2 }, { jobId: 3 }, { jobId: 4 }]);
  t.same(world.launched(), [1, 2]);
  await world.say({ type: 'ended', items: [{ executionId: world.executionOf(1), nodeId: 1 }] });
  t.same(world.launched(), [1, 2, 3]);
});

t.test('scheduler: an unknown limit is read once the store refuses a placement because of it', async (t) => {
  const world = await begin();
  world.limitInRows = 1;
  world.snapshot = makeSnapshot({
    types: [{ jobTypeId: 1, isPaused: false, maxScheduled: 1, unmet: null }],
  });
  const asked = world.asked;
  await world.queue([{ jobId: 1 }, { jobId: 2 }]);
  await world.clock.advance(1);
  t.equal(world.asked, asked + 1, 'rows were read at once');
  t.same(world.launched(), [1]);
  await world.say({ type: 'ended', items: [{ executionId: world.executionOf(1), nodeId: 1 }] });
  t.same(world.launched(), [1, 2]);
});

t.test('scheduler: after a change of the queue mode the order of the rows is followed', async (t) => {
  const jobClass = makeClass();
  const world = await begin({ nodes: [makeNode({ isReady: false })] });
  await world.queue([{ jobId: 1 }, { jobId: 2 }], jobClass);
  const jobs = [makeJob({ jobId: 2 }), makeJob({ jobId: 1 })];
  world.heads.set(jobClass.key, { class: jobClass, jobs, isWhole: true });
  await edit(world, { queueMode: 'LIFO' });
  await world.say({ type: 'nodeChanged', node: makeNode() });
  t.same(world.launched(), [2, 1]);
});

t.test('scheduler: a new log level is sent to the nodes once', async (t) => {
  const world = await begin();
  await edit(world, { loggingLevel: 'DEBUG' });
  t.match(world.heard('configure'), [{ to: 'node/1', loggingLevel: 'DEBUG' }]);
  await edit(world, { loggingLevel: 'DEBUG' });
  t.equal(world.heard('configure').length, 1);
});

t.test(
  'scheduler: a type whose jobs fit no node names the lacking resource until a node has it',
  async (t) => {
    const world = await begin();
    await world.queue([{ jobId: 1 }], makeClass({ resources: { gpus: 1 } }));
    t.match(world.changes('saveUnmet'), [{ types: [{ jobTypeId: 1, unmet: 'gpus' }] }]);
    await world.say({ type: 'nodeChanged', node: makeNode({ total: { gpus: 1 } }) });
    t.match(world.changes('saveUnmet').at(-1), { types: [{ jobTypeId: 1, unmet: null }] });
    t.same(world.launched(), [1]);
  },
);

t.test('scheduler: 900 jobs are placed once each, in passes of at most 500', async (t) => {
  const world = await begin({ nodes: [makeNode({ total: { cpus: 5_000, mem: 1_000_000 } })] });
  await world.queue(Array.from({ length: 900 }, (_, at) => ({ jobId: at + 1 })));
  t.equal(new Set(world.launched()).size, 900);
  t.equal(world.launched().length, 900);
  for (const change of world.changes('placeJobs')) t.ok(change.starts.length <= 500);
});

t.test('scheduler: after a commit of placements with an unknown outcome the rows decide', async (t) => {
  const world = await begin({ nodes: [SMALL] });
  world.isDown = true;
  await world.queue([{ jobId: 1 }]);
  world.isDown = false;
  world.refused.add(1);
  world.snapshot = makeSnapshot({
    nodes: [SMALL],
    running: [{ executionId: 77, nodeId: 1, jobTypeId: 1, resources: { cpus: 1, mem: 128 } }],
  });
  await world.clock.advance(12_000);
  await world.queue([{ jobId: 2 }]);
  t.same(world.launched(), [], 'an execution in the rows occupies the node');
  await world.say({ type: 'ended', items: [{ executionId: 77, nodeId: 1 }] });
  t.same(world.launched(), [2]);
});

t.test('scheduler: a job that is tried again is placed when its backoff is over, not before', async (t) => {
  const world = await begin();
  const notBeforeMs = world.clock.nowMs() + 4_000;
  await world.queue([{ jobId: 1, exeNum: 2, notBeforeMs }, { jobId: 2 }]);
  t.same(world.launched(), [2]);
  await world.clock.advance(3_900);
  t.same(world.launched(), [2]);
  await world.clock.advance(200);
  t.same(world.launched(), [2, 1]);
});

t.test('scheduler: a job whose backoff is only in the rows is placed after it', async (t) => {
  const world = await begin();
  const jobClass = makeClass();
  const notBeforeMs = world.clock.nowMs() + 12_000;
  world.heads.set(jobClass.key, {
    class: jobClass,
    jobs: [makeJob({ jobId: 4, notBeforeMs })],
    isWhole: true,
  });
  world.snapshot = makeSnapshot({ classes: [jobClass] });
  await world.clock.advance(11_900);
  t.same(world.launched(), []);
  await world.clock.advance(15_000);
  t.same(world.launched(), [4]);
});

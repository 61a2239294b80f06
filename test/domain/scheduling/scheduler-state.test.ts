import t from 'tap';
import { HEAD_MAX } from '../../../src/domain/scheduling/class-queue.ts';
import {
  classesToRead,
  newSince,
  noteEnded,
  noteHead,
  noteNode,
  noteQueued,
  releaseDue,
  repair,
  runPass,
  type SchedulerState,
  settlePlacements,
  stateOf,
} from '../../../src/domain/scheduling/scheduler-state.ts';
import { unmetChanges } from '../../../src/domain/scheduling/unmet.ts';
import { makeClass, makeJob, makeNode, makeSnapshot } from './cluster.ts';

const NOW_MS = 1_000;
let lastId = 0;
const newId = (): number => ++lastId;

function place(state: SchedulerState): number[] {
  const { placed } = runPass(state, NOW_MS, newId);
  settlePlacements(state, placed, new Set(placed.map((one) => one.executionId)));
  return placed.map((one) => one.job.jobId);
}

t.test('scheduler: an ended execution releases its resources', async (t) => {
  const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 1, mem: 512 } })] }));
  noteQueued(state, makeClass(), makeJob({ jobId: 1 }), NOW_MS);
  noteQueued(state, makeClass(), makeJob({ jobId: 2 }), NOW_MS);

  t.strictSame(place(state), [1]);
  t.strictSame(place(state), [], 'the node is full');
  noteEnded(state, lastId);
  t.strictSame(place(state), [2]);
});

t.test('scheduler: a placement that the store refused releases its resources', async (t) => {
  const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 1, mem: 512 } })] }));
  noteQueued(state, makeClass(), makeJob({ jobId: 1 }), NOW_MS);
  noteQueued(state, makeClass(), makeJob({ jobId: 2 }), NOW_MS);

  const { placed } = runPass(state, 1_000, newId);
  settlePlacements(state, placed, new Set());

  t.strictSame(place(state), [2]);
});

t.test('scheduler: a repeated announcement queues a job once', async (t) => {
  const state = stateOf(makeSnapshot());
  noteQueued(state, makeClass(), makeJob(), NOW_MS);
  noteQueued(state, makeClass(), makeJob(), NOW_MS);

  t.strictSame(place(state), [1]);
});

t.test('scheduler: a paused scheduler, type or node places nothing', async (t) => {
  const settings = { ...makeSnapshot().settings, isPaused: true };
  const limit = { jobTypeId: 1, isPaused: true, maxScheduled: null, unmet: null };
  const states = [
    stateOf(makeSnapshot({ settings })),
    stateOf(makeSnapshot({ types: [limit] })),
    stateOf(makeSnapshot({ nodes: [makeNode({ isReady: false })] })),
  ];
  for (const state of states) {
    noteQueued(state, makeClass(), makeJob(), NOW_MS);
    t.strictSame(place(state), []);
  }
});

t.test(
  'scheduler: memory holds the first jobs of a class, and rows do not bring back a job that is being placed',
  async (t) => {
    const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 1, mem: 512 } })] }));
    const jobClass = makeClass();
    for (let jobId = 1; jobId <= HEAD_MAX + 5; jobId++)
      noteQueued(state, jobClass, makeJob({ jobId }), NOW_MS);
    t.equal(state.classes.get(jobClass.key)?.size, HEAD_MAX, 'memory is bounded');

    const { placed } = runPass(state, 1_000, newId);
    noteHead(state, {
      class: jobClass,
      jobs: [makeJob({ jobId: 1 }), makeJob({ jobId: 2 })],
      isWhole: false,
    });
    settlePlacements(state, placed, new Set([lastId]));
    noteEnded(state, lastId);

    t.strictSame(place(state), [2], 'job 1 is not placed twice');
  },
);

t.test('scheduler: a class without jobs in memory is read from the rows once', async (t) => {
  const state = stateOf(makeSnapshot({ classes: [makeClass()] }));

  t.equal(classesToRead(state, 8).length, 1);
  t.equal(classesToRead(state, 8).length, 0, 'a read is under way');
});

t.test('scheduler: a repair keeps placements and ends since the rows were read', async (t) => {
  const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 2, mem: 512 } })] }));
  noteQueued(state, makeClass(), makeJob({ jobId: 1 }), NOW_MS);
  place(state);
  const ended = lastId;
  state.since = newSince(false);
  noteQueued(state, makeClass(), makeJob({ jobId: 2 }), NOW_MS);
  place(state);
  const placed = lastId;
  noteEnded(state, ended);

  const running = [{ executionId: ended, nodeId: 1, jobTypeId: 1, resources: { cpus: 1, mem: 128 } }];
  repair(state, makeSnapshot({ nodes: [makeNode({ total: { cpus: 2, mem: 512 } })], running }));

  t.strictSame([...state.running.keys()], [placed]);
  noteQueued(state, makeClass(), makeJob({ jobId: 3 }), NOW_MS);
  noteQueued(state, makeClass(), makeJob({ jobId: 4 }), NOW_MS);
  t.strictSame(place(state), [3], 'one cpu is free, not two');
});

t.test('scheduler: a node that shrank gets no more jobs than it can hold', async (t) => {
  const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 2, mem: 512 } })] }));
  noteQueued(state, makeClass(), makeJob({ jobId: 1 }), NOW_MS);
  place(state);
  noteNode(state, makeNode({ total: { cpus: 1, mem: 512 } }));
  noteQueued(state, makeClass(), makeJob({ jobId: 2 }), NOW_MS);

  t.strictSame(place(state), []);
});

t.test('scheduler: unmet resources are reported only when they change', async (t) => {
  const state = stateOf(makeSnapshot());
  noteQueued(state, makeClass({ resources: { gpus: 2 } }), makeJob(), NOW_MS);

  t.strictSame(unmetChanges(state), [{ jobTypeId: 1, unmet: 'gpus' }]);
  t.strictSame(unmetChanges(state), []);
  noteNode(state, makeNode({ total: { gpus: 4 } }));
  t.strictSame(unmetChanges(state), [{ jobTypeId: 1, unmet: null }]);
});

t.test('scheduler: a repair keeps changes of nodes and settings since the rows were read', async (t) => {
  const state = stateOf(makeSnapshot());
  state.since = newSince(false);
  noteNode(state, makeNode({ isReady: false }));
  noteNode(state, makeNode({ nodeId: 2 }));
  state.since.hasSettings = true;
  state.settings = { ...state.settings, isPaused: true, queueMode: 'LIFO' };
  noteQueued(state, makeClass(), makeJob(), NOW_MS);

  repair(state, makeSnapshot());

  t.equal(state.nodes.get(1)?.isReady, false);
  t.equal(state.nodes.get(2)?.isReady, true);
  t.match(state.settings, { isPaused: true, queueMode: 'LIFO' });
  t.equal(state.classes.size, 1);
});

t.test('scheduler: running executions are counted once through changes of their node', async (t) => {
  const node = makeNode({ total: { cpus: 2, mem: 512 } });
  const state = stateOf(makeSnapshot({ nodes: [node] }));
  for (const jobId of [1, 2, 3]) noteQueued(state, makeClass(), makeJob({ jobId }), NOW_MS);
  t.strictSame(place(state), [1, 2]);
  for (let times = 0; times < 3; times++) noteNode(state, node);
  t.strictSame(place(state), []);
  noteEnded(state, lastId);
  noteEnded(state, lastId);
  noteNode(state, node);
  t.strictSame(place(state), [3]);
  t.strictSame(state.nodes.get(1)?.free, { cpus: 0, mem: 256 });
});

t.test('scheduler: a class without waiting jobs has no unmet resources', async (t) => {
  const state = stateOf(makeSnapshot());
  const jobClass = makeClass({ resources: { gpus: 1 } });
  noteQueued(state, jobClass, makeJob(), NOW_MS);
  t.strictSame(unmetChanges(state), [{ jobTypeId: 1, unmet: 'gpus' }]);
  state.classes.get(jobClass.key)?.take();
  state.classes.get(jobClass.key)?.settle(1);
  t.strictSame(unmetChanges(state), [{ jobTypeId: 1, unmet: null }]);
});

t.test('scheduler: a job that waits for its next try can be placed when its backoff is over', async (t) => {
  const state = stateOf(makeSnapshot());
  const later = (jobId: number, notBeforeMs: number) => makeJob({ jobId, exeNum: 2, notBeforeMs });
  noteQueued(state, makeClass(), later(1, NOW_MS + 500), NOW_MS);
  noteQueued(state, makeClass(), later(2, NOW_MS + 100), NOW_MS);
  noteQueued(state, makeClass(), later(3, NOW_MS), NOW_MS);

  t.strictSame(place(state), [3]);
  t.equal(releaseDue(state, NOW_MS + 99), NOW_MS + 100);
  t.strictSame(place(state), []);
  t.equal(releaseDue(state, NOW_MS + 100), NOW_MS + 500);
  t.strictSame(place(state), [2]);
  t.equal(releaseDue(state, NOW_MS + 900), undefined);
  t.strictSame(place(state), [1]);
});

t.test('scheduler: a backoff that a step of the clock has made too long is over', async (t) => {
  const state = stateOf(makeSnapshot());
  const hourMs = 3_600_000;
  noteQueued(state, makeClass(), makeJob({ jobId: 1, exeNum: 2, notBeforeMs: NOW_MS + hourMs }), NOW_MS);
  t.strictSame(place(state), [1], 'no backoff lasts an hour');
  noteQueued(state, makeClass(), makeJob({ jobId: 2, exeNum: 2, notBeforeMs: NOW_MS + 500 }), NOW_MS);
  t.equal(releaseDue(state, NOW_MS - hourMs), undefined);
  t.strictSame(place(state), [2]);
});

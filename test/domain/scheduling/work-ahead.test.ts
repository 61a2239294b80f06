import t from 'tap';
import {
  newSince,
  noteEnded,
  noteNode,
  noteQueued,
  repair,
  runPass,
  type SchedulerState,
  settlePlacements,
  stateOf,
} from '../../../src/domain/scheduling/scheduler-state.ts';
import type { NodeView } from '../../../src/domain/scheduling/snapshot.ts';
import {
  AHEAD_MS_MAX,
  AHEAD_PAUSE_MS,
  AHEAD_TIMES_MAX,
  LATE_MS,
  SHORT_MS_MAX,
  TaskTimes,
  WorkAhead,
} from '../../../src/domain/scheduling/work-ahead.ts';
import { makeClass, makeJob, makeNode, makeSnapshot } from './cluster.ts';

const NOW_MS = 1_000;
const SHORT = makeClass({ jobTypeId: 1, resources: { cpus: 1 } });
const LONG = makeClass({ jobTypeId: 2, resources: { cpus: 1 } });

let lastId = 0;

interface Placed {
  readonly executionId: number;
  readonly jobId: number;
  readonly nodeId: number;
}

/** A scheduler of nodes with four cpus that take work ahead. */
function makeScheduler(nodes: readonly Partial<NodeView>[] = [{}]): SchedulerState {
  return stateOf(
    makeSnapshot({
      nodes: nodes.map((one, at) =>
        makeNode({ nodeId: at + 1, total: { cpus: 4 }, takesWorkAhead: true, ...one }),
      ),
    }),
  );
}

let lastJob = 0;

function queue(state: SchedulerState, jobClass: typeof SHORT, count: number, priority = 100): void {
  for (let at = 0; at < count; at++) {
    lastJob += 1;
    noteQueued(state, jobClass, makeJob({ jobId: lastJob, priority }), NOW_MS);
  }
}

function place(state: SchedulerState, nowMs = NOW_MS): Placed[] {
  const { placed } = runPass(state, nowMs, () => ++lastId);
  settlePlacements(state, placed, new Set(placed.map((one) => one.executionId)));
  return placed.map(({ executionId, nodeId, job }) => ({ executionId, nodeId, jobId: job.jobId }));
}

/** One job of each type has ended, after so long. */
function learn(state: SchedulerState, times: readonly (readonly [typeof SHORT, number])[]): void {
  for (const [jobClass, tookMs] of times) {
    queue(state, jobClass, 1);
    const [first] = place(state);
    noteEnded(state, (first as Placed).executionId, { tookMs });
  }
}

t.test('work ahead: short jobs are placed beyond what fits, up to a limit of time', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  // A job with a cpu of four is a quarter of 40 ms of the node's work.
  t.equal(place(state).length, AHEAD_MS_MAX / 10);
  t.strictSame(place(state), []);
});

t.test('work ahead: it is limited to a multiple of the node as well', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 1]]);
  queue(state, SHORT, 50);
  t.equal(place(state).length, 4 * (1 + AHEAD_TIMES_MAX));
});

t.test('work ahead: an end makes room for one more', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  const [first] = place(state);
  noteEnded(state, (first as Placed).executionId, { tookMs: 40 });
  t.equal(place(state).length, 1);
});

t.test('work ahead: jobs that take long, or were never seen to end, are placed where they fit', async (t) => {
  const state = makeScheduler();
  queue(state, SHORT, 9);
  t.equal(place(state).length, 4, 'never seen');
  const other = makeScheduler();
  learn(other, [[SHORT, SHORT_MS_MAX]]);
  queue(other, SHORT, 9);
  t.equal(place(other).length, 4, 'long');
});

t.test('work ahead: nothing waits behind jobs that take long', async (t) => {
  const state = makeScheduler();
  learn(state, [
    [SHORT, 10],
    [LONG, 60_000],
  ]);
  queue(state, LONG, 4);
  t.equal(place(state).length, 4);
  queue(state, SHORT, 9);
  t.strictSame(place(state), [], 'all room is held by long ones');
  noteEnded(state, lastId, { tookMs: 60_000 });
  t.ok(place(state).length > 1, 'one cpu of four is enough for short ones to follow each other');
});

t.test('work ahead: a node whose agent does not take it gets none', async (t) => {
  const state = makeScheduler([{ takesWorkAhead: false }]);
  learn(state, [[SHORT, 1]]);
  queue(state, SHORT, 9);
  t.equal(place(state).length, 4);
});

t.test('work ahead: the node with the least to do gets it, and none beyond the limit', async (t) => {
  const state = makeScheduler([{}, {}]);
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  const byNode = Map.groupBy(place(state), ({ nodeId }) => nodeId);
  t.strictSame(
    [...byNode.values()].map((placed) => placed.length),
    [AHEAD_MS_MAX / 10, AHEAD_MS_MAX / 10],
  );
});

t.test('work ahead: jobs that are served later do not keep an earlier one waiting', async (t) => {
  const state = makeScheduler();
  learn(state, [
    [SHORT, 10],
    [LONG, 60_000],
  ]);
  queue(state, SHORT, 4);
  const running = place(state);
  queue(state, LONG, 1, 1);
  queue(state, SHORT, 50);
  t.strictSame(place(state), [], 'the first in order takes long and fits nowhere yet');
  noteEnded(state, (running[0] as Placed).executionId, { tookMs: 10 });
  const [next, ...others] = place(state);
  t.equal(next?.jobId, lastJob - 50);
  t.ok(others.length > 0, 'then work is sent ahead again');
});

t.test('work ahead: a node that gave work back gets none for a while', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  const placed = place(state);
  for (const { executionId } of placed.slice(4)) noteEnded(state, executionId, { neverBegan: true }, NOW_MS);
  t.strictSame(place(state, NOW_MS + AHEAD_PAUSE_MS - 1), []);
  t.equal(place(state, NOW_MS + AHEAD_PAUSE_MS).length, AHEAD_MS_MAX / 10 - 4);
});

t.test('work ahead: a clock that steps back does not prolong the pause', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  const placed = place(state);
  noteEnded(state, (placed.at(-1) as Placed).executionId, { neverBegan: true }, NOW_MS + 3_600_000);
  t.equal(place(state).length, 1);
});

t.test('work ahead: a repair counts what the rows say, and keeps what tasks take', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 40]]);
  queue(state, SHORT, 50);
  const placed = place(state);
  state.since = newSince(false);
  const running = placed.slice(0, 6).map(({ executionId, nodeId }) => {
    return { executionId, nodeId, jobTypeId: SHORT.jobTypeId, resources: SHORT.resources };
  });
  const node = makeNode({ total: { cpus: 4 }, takesWorkAhead: true });
  repair(state, makeSnapshot({ nodes: [node], running }));
  noteNode(state, node);
  t.equal(place(state).length, AHEAD_MS_MAX / 10 - 6);
});

t.test('work ahead: a task that runs for long makes its type a long one before it ends', async (t) => {
  const state = makeScheduler();
  learn(state, [[SHORT, 10]]);
  queue(state, SHORT, 4);
  const placed = place(state);
  const repaired = (nowMs: number): void => {
    const running = placed.map(({ executionId, nodeId }) => {
      return {
        executionId,
        nodeId,
        jobTypeId: SHORT.jobTypeId,
        resources: SHORT.resources,
        startedMs: NOW_MS,
      };
    });
    const node = makeNode({ total: { cpus: 4 }, takesWorkAhead: true });
    repair(state, makeSnapshot({ nodes: [node], running }), nowMs);
  };
  repaired(NOW_MS + LATE_MS - 1);
  queue(state, SHORT, 1);
  t.equal(place(state).length, 1, 'their ends may be on the way');
  repaired(NOW_MS + LATE_MS);
  queue(state, SHORT, 9);
  t.strictSame(place(state), []);
});

t.test('work ahead: nodes that are gone are forgotten', async (t) => {
  const work = new WorkAhead();
  const one = { nodeId: 1, jobTypeId: 1, resources: { cpus: 1 } };
  work.add(one, { cpus: 4 });
  work.remove(one, { neverBegan: true }, NOW_MS);
  work.clear(new Set([1]));
  t.equal(work.roomOn(1, NOW_MS), undefined, 'it gave work back');
  work.clear(new Set());
  t.ok(work.roomOn(1, NOW_MS));
});

t.test('task times: a longer one counts at once, a shorter one by and by', async (t) => {
  const times = new TaskTimes();
  t.equal(times.shortMs(1), undefined);
  times.note(1, 10);
  t.equal(times.shortMs(1), 10);
  times.note(1, 2 * SHORT_MS_MAX);
  t.equal(times.shortMs(1), undefined);
  let tries = 0;
  for (; times.shortMs(1) === undefined; tries += 1) times.note(1, 10);
  t.ok(tries >= 3, `${tries} short ones until it is short again`);
  t.ok((times.shortMs(1) as number) > 10);
});

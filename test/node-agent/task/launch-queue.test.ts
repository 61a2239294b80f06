import t from 'tap';
import { LaunchQueue, WAIT_MS_MAX } from '../../../node-agent/task/launch-queue.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const launch = (executionId: number, cpus = 1) =>
  makeLaunch(executionId, { launch: { resources: { cpus } } });

function queueWith(offered: Record<string, number>) {
  const clock = new VirtualClock();
  const started: number[] = [];
  const givenBack: number[] = [];
  const queue = new LaunchQueue({
    offered: () => offered,
    start: ({ executionId, resources }) => {
      started.push(executionId);
      queue.begun(executionId, resources);
    },
    giveBack: ({ executionId }) => givenBack.push(executionId),
    after: (delayMs, call) => clock.timer(delayMs, call),
  });
  return { clock, queue, started, givenBack };
}

t.test('launch queue: what fits starts at once, the rest in order as tasks end', async (t) => {
  const { queue, started } = queueWith({ cpus: 2 });
  for (const id of [1, 2, 3, 4]) queue.add(launch(id));
  t.strictSame(started, [1, 2]);
  t.equal(queue.size, 2);
  queue.ended(2);
  t.strictSame(started, [1, 2, 3]);
  queue.ended(1);
  t.strictSame(started, [1, 2, 3, 4]);
  t.equal(queue.size, 0);
});

t.test('launch queue: a small launch does not overtake a large one', async (t) => {
  const { queue, started } = queueWith({ cpus: 2 });
  for (const [id, cpus] of [
    [1, 1],
    [2, 2],
    [3, 1],
  ] as const)
    queue.add(launch(id, cpus));
  t.strictSame(started, [1]);
  queue.ended(1);
  t.strictSame(started, [1, 2]);
  queue.ended(2);
  t.strictSame(started, [1, 2, 3]);
});

t.test('launch queue: what waits too long is given back, and what is behind it may start', async (t) => {
  const { clock, queue, started, givenBack } = queueWith({ cpus: 2 });
  queue.add(launch(1));
  queue.add(launch(2, 2));
  await clock.advance(WAIT_MS_MAX - 1);
  queue.add(launch(3));
  t.strictSame(givenBack, []);
  await clock.advance(1);
  t.strictSame(givenBack, [2]);
  t.strictSame(started, [1, 3]);
  await clock.advance(10 * WAIT_MS_MAX);
  t.strictSame(givenBack, [2], 'a started one is not given back');
});

t.test('launch queue: a repeat changes nothing but the launch that waits', async (t) => {
  const { queue, started } = queueWith({ cpus: 1 });
  queue.add(launch(1));
  queue.add(launch(2));
  const other = { ...launch(2), jobTypeName: 'other' };
  queue.add(other);
  t.equal(queue.size, 1);
  t.equal(queue.remove(2), other);
  t.equal(queue.remove(2), undefined);
  queue.ended(1);
  t.strictSame(started, [1]);
});

t.test('launch queue: a launch larger than the offer starts when nothing else runs', async (t) => {
  const { queue, started } = queueWith({ cpus: 1 });
  queue.add(launch(1, 8));
  t.strictSame(started, [1]);
  queue.add(launch(2, 8));
  queue.ended(1);
  t.strictSame(started, [1, 2]);
});

t.test('launch queue: a resource that the agent does not offer holds nothing back', async (t) => {
  const { queue, started } = queueWith({ cpus: 4 });
  queue.add(launch(1));
  queue.add(makeLaunch(2, { launch: { resources: { cpus: 1, other: 5 } } }));
  t.strictSame(started, [1, 2]);
});

t.test('launch queue: all that wait can be given back or forgotten', async (t) => {
  const { clock, queue, givenBack } = queueWith({ cpus: 1 });
  for (const id of [1, 2, 3]) queue.add(launch(id));
  queue.giveBackAll();
  t.strictSame(givenBack, [2, 3]);
  queue.add(launch(4));
  queue.clear();
  await clock.advance(10 * WAIT_MS_MAX);
  t.strictSame(givenBack, [2, 3]);
  t.strictSame([...queue.executionIds()], []);
});

/** When the room of an ended task is free for the next launch. */
import t from 'tap';
import { TaskSlots } from '../../../node-agent/executor/process/task-slots.ts';
import { agentBench } from '../../support/agent/agent-bench.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';

t.test('room: a launch begins although what the task before it used is still being removed', async (t) => {
  const giveBack = TaskSlots.prototype.giveBack;
  const removed = Promise.withResolvers<void>();
  TaskSlots.prototype.giveBack = async function (this: TaskSlots, ...args) {
    await removed.promise;
    return giveBack.apply(this, args);
  };
  t.teardown(() => {
    TaskSlots.prototype.giveBack = giveBack;
    removed.resolve();
  });
  const resources = { cpus: 2 };
  const { coordinator, start } = await agentBench(t, { resources });
  await start();
  await coordinator.connected();
  coordinator.send(makeLaunch(1, { launch: { resources } }));
  t.match(await coordinator.update(1), { outcome: 'COMPLETED' });
  coordinator.send(makeLaunch(2, { launch: { resources } }));
  t.match(await coordinator.update(2), { outcome: 'COMPLETED' });
  removed.resolve();
});

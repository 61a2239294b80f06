/** Another agent takes a node over: what its predecessor held is given up, whatever becomes of the first commit. */
import t from 'tap';
import { makeExecution, NodeWorld } from '../../support/worlds/node-world.ts';

t.test('node: the row names the former agent until nothing of it is left', async (t) => {
  const world = new NodeWorld();
  await world.start();
  await world.hello('s1');
  await world.launch(1);
  await world.say({ type: 'sessionEnded', sessionId: 's1' });
  world.rows.executions = [makeExecution(1)];
  world.forget();
  await world.hello('s2', { agentId: 'agent-b' });
  const named = () => world.changes('saveNode').flatMap((one) => one.patch.agentId ?? []);
  t.same(named(), []);
  await world.say({ type: 'resultsCommitted', items: [{ executionId: 1, spoolId: null, isVoid: true }] });
  world.rows.executions = [];
  await world.clock.advance(5_000);
  t.same(named(), ['agent-b']);
});

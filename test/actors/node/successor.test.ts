/** An agent takes over a node from another agent or another boot: executions of the former one are given up. */
import t from 'tap';
import { makeExecution, NodeWorld } from '../../support/worlds/node-world.ts';

t.test('node: the row names the former agent until its executions have ended', async (t) => {
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

const BEFORE = { bootId: 'boot-1' };
const AFTER = { bootId: 'boot-2' };
const held = (executionId: number) => [{ executionId, phase: 'ended' as const, needsLaunch: false }];

/** A node whose agent has tasks 1 and 2 when its host loses power. */
async function rebooted(hello: object = {}) {
  const world = new NodeWorld();
  await world.start();
  t.same(await world.hello('s1', BEFORE), { isAccepted: true, comparesBoots: true });
  await world.launch(1, 2);
  await world.say({ type: 'sessionEnded', sessionId: 's1' });
  world.forget();
  await world.hello('s2', { ...AFTER, ...hello });
  const saved = () => world.changes('saveNode').flatMap((one) => one.patch.bootId ?? []);
  return { world, saved };
}

t.test('node: after a reboot, tasks without a record at the agent end as docker-terminated', async (t) => {
  const { world, saved } = await rebooted({ executions: held(2) });
  t.same(world.givenUp(), [{ executionId: 1, error: 'docker-terminated', to: 'recipe/9' }]);
  t.same(world.launched(), []);
  t.same(saved(), [], 'the row names the former boot, so that an actor that is loaded again finds them');
  await world.launch(3);
  await world.clock.advance(11_000);
  t.same(world.launched(), [], 'nothing is launched meanwhile');
  t.same(
    world.givenUp().map((one) => one.executionId),
    [1, 1],
    'they are reported again until their owners have committed',
  );
  await world.commit(1, null);
  await world.clock.advance(2_000);
  t.same(saved(), ['boot-2']);
  t.same(world.launched(), [3]);
});

t.test('node: an actor that is loaded before lost tasks have ended finds them in the rows', async (t) => {
  const { world, saved } = await rebooted();
  const again = new NodeWorld();
  again.node.agentId = world.node.agentId;
  again.node.bootId = world.node.bootId;
  again.rows.executions = [makeExecution(1)];
  await again.start();
  await again.hello('s3', AFTER);
  t.same(again.givenUp(), [{ executionId: 1, error: 'docker-terminated', to: 'recipe/9' }]);
  t.same(again.launched(), []);
  t.same(saved(), []);
});

t.test('node: after a reboot, tasks that only the rows know end as well', async (t) => {
  const world = new NodeWorld();
  await world.start();
  await world.hello('s1', BEFORE);
  world.rows.executions = [makeExecution(7), makeExecution(8, { work: 'monitor' })];
  await world.hello('s2', AFTER);
  t.same(world.givenUp(), [{ executionId: 7, error: 'docker-terminated', to: 'recipe/9' }]);
  await world.commit(7, null);
  await world.clock.advance(2_000);
  t.equal(world.node.bootId, 'boot-2');
});

t.test('node: the new boot is saved only after the executions in the rows are read', async (t) => {
  const world = new NodeWorld();
  await world.start();
  await world.hello('s1', BEFORE);
  const { read } = world;
  world.read = async () => {
    throw new Error('the database is away');
  };
  await world.hello('s2', AFTER);
  await world.clock.advance(5_000);
  t.equal(world.node.bootId, 'boot-1');
  world.read = read;
  await world.clock.advance(5_000);
  t.equal(world.node.bootId, 'boot-2');
});

t.test('node: a new session in the same boot launches the tasks that the agent lacks', async (t) => {
  const { world } = await rebooted(BEFORE);
  t.same(world.givenUp(), []);
  t.same(world.launched(), [1, 2]);
});

t.test(
  'node: an unknown boot is not compared, and a hello without a boot counts as a reboot after one with it',
  async (t) => {
    const world = new NodeWorld();
    await world.start();
    t.same(await world.hello('s1'), { isAccepted: true, comparesBoots: false });
    await world.launch(1);
    await world.hello('s2', BEFORE);
    t.same(world.givenUp(), []);
    t.same(world.launched(), [1, 1]);
    await world.hello('s3');
    t.same(world.givenUp(), [{ executionId: 1, error: 'docker-terminated', to: 'recipe/9' }]);
  },
);

t.test(
  'node: a boot that is named while one without a name is settled is the one that the row names',
  async (t) => {
    const { world, saved } = await rebooted({ bootId: '' });
    t.same(world.launched(), []);
    t.same(await world.hello('s3', AFTER), { isAccepted: true, comparesBoots: true });
    await world.commit(1, null);
    await world.commit(2, null);
    await world.clock.advance(2_000);
    t.same(saved(), ['boot-2'], 'the agent does not sync what it gets from now on');
    await world.launch(3);
    t.same(world.launched(), [3]);
    await world.say({ type: 'sessionEnded', sessionId: 's3' });
    world.forget();
    await world.hello('s4', { bootId: 'boot-3' });
    t.same(world.givenUp(), [{ executionId: 3, error: 'docker-terminated', to: 'recipe/9' }]);
    await world.clock.advance(2_000);
    t.same(world.launched(), [], 'it may have run in the boot before');
  },
);

t.test('node: a boot that is named after one without a name has the records of its own hello', async (t) => {
  const { world } = await rebooted({ bootId: '', executions: held(2) });
  t.same(world.givenUp(), [{ executionId: 1, error: 'docker-terminated', to: 'recipe/9' }]);
  world.forget();
  await world.hello('s3', AFTER);
  t.same(world.givenUp(), [{ executionId: 2, error: 'docker-terminated', to: 'recipe/9' }]);
});

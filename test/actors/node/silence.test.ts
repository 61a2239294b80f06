/** What nodes cost that live and have nothing to do, and what is still noticed. */
import t from 'tap';
import { NodeWorld } from '../../support/worlds/node-world.ts';

const begin = async () => {
  const world = new NodeWorld();
  await world.start();
  await world.hello('s1');
  await world.clock.advance(1_000);
  world.forget();
  return world;
};

const savedLastSeen = (world: NodeWorld) =>
  world.saved.flatMap((change) => (change.type === 'saveNode' ? [change.patch.lastSeenMs] : []));

t.test('silence: heartbeats of a node without work take no turns', async (t) => {
  const world = await begin();
  await world.clock.advance(1_000);
  const turns = () => world.system.stats().totals.turns;
  const before = turns();
  await world.clock.advance(14_000);
  t.ok(turns() - before <= 4, `${turns() - before} turns, of the reconciliation`);
  t.equal(world.node.isOnline, true);
});

t.test('silence: `last_seen` is saved once a minute, and the scheduler is not told', async (t) => {
  const world = await begin();
  const beginMs = world.clock.nowMs();
  await world.clock.advance(200_000);
  const seen = savedLastSeen(world);
  t.equal(seen.length, 3);
  t.ok((seen[0] ?? 0) - beginMs >= 55_000);
  t.same(world.heard('nodeChanged'), []);
});

t.test('silence: the agent is asked about workspaces every half minute', async (t) => {
  const world = await begin();
  await world.clock.advance(130_000);
  t.equal(world.toAgent('checkWorkspaces').length, 4);
  world.silence();
  await world.clock.advance(10_000);
  world.forget();
  await world.clock.advance(120_000);
  t.same(world.toAgent('checkWorkspaces'), [], 'while it has a session');
});

t.test('silence: an agent that falls silent is noticed within twelve seconds', async (t) => {
  const world = await begin();
  await world.clock.advance(30_000);
  world.silence();
  await world.clock.advance(6_000);
  t.equal(world.node.isOnline, true);
  await world.clock.advance(6_000);
  t.equal(world.node.isOnline, false);
  t.same(world.dropped, ['s1']);
  const seenMs = savedLastSeen(world).at(-1);
  t.ok((seenMs ?? 0) <= world.clock.nowMs() - 10_000, 'no time after its last heartbeat is saved');
});

t.test('silence: a heartbeat of a session that the actor does not know ends it', async (t) => {
  const world = await begin();
  await world.say({ type: 'heard', sessionId: 's0' });
  t.same(world.dropped, ['s0']);
});

t.test('silence: the executions of a deactivated node are given up while its agent lives', async (t) => {
  const world = await begin();
  await world.launch(1);
  await world.clock.advance(10_000);
  world.forget();
  await world.say({ type: 'edit', isActive: false });
  await world.clock.advance(4_000);
  t.match(world.givenUp(), [{ executionId: 1, error: 'node-lost', to: 'recipe/9' }]);
});

/** Orders to remove files on their way to an agent, and its answers on the way back to the caller. */
import t from 'tap';
import { NODE, NodeWorld } from '../../support/worlds/node-world.ts';

const WORKSPACE = {
  ...{ id: 3, uuid: 'u3', name: 'out', configuration: {}, isActive: true, claimedNodeId: null },
};
const order = (requestId: string, workspaceUuid = 'u3') =>
  ({ type: 'deleteFiles', requestId, workspaceUuid, files: [{ path: 'a', size: 1 }] }) as never;

async function begin(): Promise<NodeWorld> {
  const world = new NodeWorld();
  world.rows.workspaces = [WORKSPACE as never];
  await world.start();
  return world;
}

async function asked(world: NodeWorld, message: never) {
  const answer = world.ask(NODE, message);
  await world.clock.settle();
  return answer;
}

t.test('deletions: each caller gets the agent’s answer to its own order', async (t) => {
  const world = await begin();
  await world.hello('s1');
  const first = await asked(world, order('r1'));
  const second = await asked(world, order('r2'));
  t.match(world.toAgent('deleteFiles'), [
    { requestId: 'r1', workspace: { uuid: 'u3', name: 'out' }, files: [{ path: 'a', size: 1 }] },
    { requestId: 'r2' },
  ]);
  const answer = { type: 'filesDeleted', requestId: 'r2', files: [] } as const;
  await world.say({ type: 'filesDeleted', sessionId: 's1', answer });
  t.equal(second.state, 'resolved');
  t.equal(first.state, 'pending');
  await world.say({ type: 'filesDeleted', sessionId: 's1', answer });
  await world.say({ type: 'filesDeleted', sessionId: 's0', answer: { ...answer, requestId: 'r1' } });
  t.equal(first.state, 'pending', 'repeated answers and those of stale sessions resolve nothing');
});

t.test('deletions: they are refused without a connected agent or for an inactive workspace', async (t) => {
  const world = await begin();
  t.match(await asked(world, order('r1')), { state: 'rejected', code: 'AGENT_UNAVAILABLE' });
  await world.hello('s1');
  t.match(await asked(world, order('r2', 'u9')), { state: 'rejected', code: 'WORKSPACE_UNAVAILABLE' });
  t.same(world.toAgent('deleteFiles'), []);
});

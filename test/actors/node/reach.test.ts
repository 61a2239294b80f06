/** Which workspaces a node reaches, and which directories it claims for them by a marker. */
import t from 'tap';
import type { WorkspaceInfo } from '../../../src/domain/node/node.ts';
import { NODE, NodeWorld } from '../../support/worlds/node-world.ts';

const workspace = (over: Partial<WorkspaceInfo> = {}): WorkspaceInfo => ({
  ...{ id: 1, uuid: 'u1', name: 'w1', isActive: true, claimedNodeId: null },
  configuration: { broker: { type: 'host', host_path: '/w1' } },
  ...over,
});
const begin = async (...workspaces: WorkspaceInfo[]) => {
  const world = new NodeWorld();
  world.rows.workspaces = workspaces;
  await world.start();
  await world.hello('s1');
  return world;
};
const report = (over: object) => ({
  type: 'reachable',
  sessionId: 's1',
  workspaces: [{ workspaceUuid: 'u1', isReachable: false, isUnmarked: false, reason: '', ...over }],
});
const UNMARKED = report({ isUnmarked: true });
const REACHED = report({ isReachable: true });
const claims = (world: NodeWorld) => world.toAgent('checkWorkspaces').map((one) => one.claimUuids);

t.test(
  'reach: the agent is asked after its hello, every half minute, and when workspaces change',
  async (t) => {
    const world = await begin(workspace());
    t.equal(world.toAgent('checkWorkspaces').length, 1);
    await world.clock.advance(31_000);
    t.equal(world.toAgent('checkWorkspaces').length, 2);
    world.rows.workspaces = [];
    await world.say({ type: 'workspacesChanged' });
    t.same(world.toAgent('checkWorkspaces').at(-1)?.workspaces, []);
  },
);

t.test('reach: changed answers are saved and sent to the scheduler', async (t) => {
  const world = await begin(workspace());
  world.forget();
  await world.say(REACHED);
  await world.say(REACHED);
  t.match(world.changes('saveReach'), [{ reach: [{ workspaceId: 1, isReachable: true, reason: null }] }]);
  t.match(world.heard('nodeChanged'), [{ node: { workspaceIds: [1] } }]);
  await world.say(report({ reason: 'it is gone' }));
  t.match(world.changes('saveReach')[1], {
    reach: [{ workspaceId: 1, isReachable: false, reason: 'it is gone' }],
  });
});

t.test('reach: an answer about an unknown workspace is ignored', async (t) => {
  const world = await begin();
  await world.say(REACHED);
  t.same(world.changes('saveReach'), []);
});

t.test('reach: the first node that sees an unmarked directory claims it', async (t) => {
  const world = await begin(workspace());
  await world.say(UNMARKED);
  t.match(world.changes('claimWorkspaces'), [{ nodeId: NODE, workspaceIds: [1] }]);
  t.same(claims(world), [[], ['u1']]);
});

t.test('reach: a node never marks a directory that another node has claimed', async (t) => {
  const world = await begin(workspace({ claimedNodeId: 77 }));
  await world.say(UNMARKED);
  await world.say({ type: 'workspacesChanged' });
  t.same(world.changes('claimWorkspaces'), []);
  t.same(claims(world), [[], []]);
  t.match(world.changes('saveReach'), [{ reach: [{ isReachable: false, reason: /node 77/ }] }]);
});

t.test('reach: the agent marks nothing if another node claimed the workspace first', async (t) => {
  const world = await begin(workspace());
  world.answer = () => ({ claimed: [] });
  await world.say(UNMARKED);
  t.same(claims(world), [[]]);
});

t.test('reach: a marked directory is also claimed in the database', async (t) => {
  const world = await begin(workspace());
  await world.say(REACHED);
  t.match(world.changes('claimWorkspaces'), [{ workspaceIds: [1] }]);
});

t.test('reach: an agent that has not marked a claimed directory is told again', async (t) => {
  const world = await begin(workspace({ claimedNodeId: NODE }));
  t.same(claims(world), [['u1']]);
  await world.say(UNMARKED);
  t.same(claims(world), [['u1'], ['u1']]);
  t.same(world.changes('releaseClaims'), []);
});

t.test(
  'reach: a node releases a claim that its agent cannot mark, and does not claim it again',
  async (t) => {
    const world = await begin(workspace());
    for (let times = 0; times < 6; times++) await world.say(UNMARKED);
    t.match(world.changes('releaseClaims'), [{ nodeId: NODE, workspaceIds: [1] }]);
    t.equal(world.changes('claimWorkspaces').length, 1);
    await world.clock.advance(31_000);
    await world.say(UNMARKED);
    t.equal(world.changes('claimWorkspaces').length, 1);
    t.same(claims(world).at(-1), []);
  },
);

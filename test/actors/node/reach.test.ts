/** Which workspaces a node reaches, and which directories it claims for them by a marker. */
import t from 'tap';
import type { WorkspaceInfo } from '../../../src/domain/node/node.ts';
import { NO_MARKER } from '../../../src/domain/workspace/unmarked.ts';
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

const WITHOUT_A_TRY = report({ isUnmarked: true, reason: NO_MARKER });
const refused = (why: string) => report({ isUnmarked: true, reason: `it cannot be marked: ${why}` });
const REFUSED = refused('denied');
const reasons = (world: NodeWorld) =>
  world.changes('saveReach').flatMap(({ reach }) => reach.map(({ reason }) => reason));
/** A world whose agent could not mark the directory that its node had claimed. */
const released = async () => {
  const world = await begin(workspace());
  await world.say(WITHOUT_A_TRY);
  for (let times = 0; times < 3; times++) await world.say(REFUSED);
  return world;
};

t.test('reach: a claim that the agent cannot mark is released, for others to claim', async (t) => {
  const world = await released();
  t.match(world.changes('claimWorkspaces'), [{ nodeId: NODE, workspaceIds: [1] }]);
  t.match(world.changes('releaseClaims'), [{ nodeId: NODE, workspaceIds: [1] }]);
  t.same(claims(world), [[], ['u1'], ['u1'], ['u1']], 'the agent has tried three times');
  await world.say({ type: 'workspacesChanged' });
  t.same(claims(world).at(-1), [], 'what is released is not marked');
});

t.test('reach: reports without a reason release a claim as well', async (t) => {
  const world = await begin(workspace());
  for (let times = 0; times < 4; times++) await world.say(UNMARKED);
  t.match(world.changes('releaseClaims'), [{ workspaceIds: [1] }]);
  t.same(reasons(world), ['not marked yet']);
});

t.test('reach: a report in between that finds the directory gone begins the count again', async (t) => {
  const world = await begin(workspace({ claimedNodeId: NODE }));
  for (const one of [REFUSED, REFUSED, report({ reason: 'gone' }), REFUSED, REFUSED]) await world.say(one);
  t.same(world.changes('releaseClaims'), []);
});

t.test('reach: the reason stays that of the try, also in reports without one', async (t) => {
  const world = await released();
  const told = [NO_MARKER, 'it cannot be marked: denied'];
  t.same(reasons(world), told);
  await world.say(WITHOUT_A_TRY);
  await world.clock.advance(31_000);
  await world.say(WITHOUT_A_TRY);
  t.equal(world.changes('claimWorkspaces').length, 2, 'it is trying again');
  await world.say(WITHOUT_A_TRY);
  t.same(reasons(world), told, 'no row is written meanwhile');
  await world.say(refused('full'));
  t.same(reasons(world), [...told, 'it cannot be marked: full']);
});

t.test(
  'reach: a node that failed claims again after a pause, and marks what it may mark by then',
  async (t) => {
    const world = await released();
    await world.clock.advance(29_000);
    await world.say(WITHOUT_A_TRY);
    t.equal(world.changes('claimWorkspaces').length, 1, 'not yet');
    await world.clock.advance(2_000);
    await world.say(WITHOUT_A_TRY);
    t.equal(world.changes('claimWorkspaces').length, 2);
    t.same(claims(world).at(-1), ['u1']);
    await world.say(REACHED);
    t.equal(world.changes('releaseClaims').length, 1);
    t.match(world.changes('saveReach').at(-1), { reach: [{ isReachable: true, reason: null }] });
  },
);

t.test('reach: a node that fails again and again tries once a pause', async (t) => {
  const world = await released();
  for (let seconds = 0; seconds < 120; seconds += 2) {
    await world.clock.advance(2_000);
    // An agent says the same after a try as before.
    const before = claims(world).length;
    await world.say(REFUSED);
    for (let asked = before; asked < claims(world).length; asked++) await world.say(REFUSED);
  }
  const rows = [world.changes('claimWorkspaces').length, world.changes('releaseClaims').length];
  t.same(rows, [5, 5], 'at first, and four times in two minutes');
  t.equal(world.changes('saveReach').length, 2, 'the reason is the same all the time');
});

t.test('reach: a node does not claim again what another has claimed meanwhile', async (t) => {
  const world = await released();
  world.rows.workspaces = [workspace({ claimedNodeId: 77 })];
  await world.clock.advance(61_000);
  await world.say(WITHOUT_A_TRY);
  t.equal(world.changes('claimWorkspaces').length, 1);
  t.same(claims(world).at(-1), []);
  t.match(reasons(world).at(-1), /node 77/);
});

t.test('reach: a directory that got its marker otherwise is claimed without a pause', async (t) => {
  const world = await released();
  await world.say(REACHED);
  t.equal(world.changes('claimWorkspaces').length, 2);
  await world.say(REFUSED);
  t.same(claims(world).at(-1), ['u1'], 'and marked again when the marker is lost');
});

t.test('reach: a failure is forgotten with the session, or with the workspace', async (t) => {
  const world = await released();
  await world.hello('s2');
  await world.say({ ...WITHOUT_A_TRY, sessionId: 's2' });
  t.equal(world.changes('claimWorkspaces').length, 2);

  const other = await released();
  const { workspaces } = other.rows;
  for (const active of [[], workspaces]) {
    other.rows.workspaces = [...active];
    await other.say({ type: 'workspacesChanged' });
  }
  await other.say(WITHOUT_A_TRY);
  t.equal(other.changes('claimWorkspaces').length, 2);
});

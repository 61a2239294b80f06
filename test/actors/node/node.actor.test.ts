/** A node on the real kernel: messages from and to its agent, and the repair of lost ones. */
import t from 'tap';
import type { NodeLimits } from '../../../src/actors/node/node.actor.ts';
import type { AssignedExecution } from '../../../src/domain/node/node.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';
import { makeExecution, makeHello, makeUpdate, NODE, NodeWorld } from '../../support/worlds/node-world.ts';

const begin = async (limits?: NodeLimits, executions: readonly AssignedExecution[] = []) => {
  const world = new NodeWorld(limits);
  world.rows.executions = [...executions];
  await world.start();
  return world;
};
const updates = (sessionId: string, ...list: ReturnType<typeof makeUpdate>[]) => ({
  type: 'taskUpdates',
  sessionId,
  updates: list,
});

t.test('node: the hello of an agent makes the node ready', async (t) => {
  const world = await begin();
  t.same(await world.hello('s1'), { isAccepted: true, comparesBoots: false });
  t.match(world.node, { isOnline: true, agentId: 'agent-a', resources: { cpus: 4 } });
  t.match(world.heard('nodeChanged').at(-1), { node: { isReady: true, total: { cpus: 4 } } });
});

t.test('node: the hello of an agent without a node is refused', async (t) => {
  const world = new NodeWorld();
  world.isKnown = false;
  await world.start();
  const asked = world.ask(NODE, { type: 'hello', sessionId: 's', hello: makeHello() } as never);
  await world.clock.settle();
  t.match(asked, { state: 'rejected', code: 'NOT_FOUND' });
});

t.test('node: a second agent is refused while the session of the first is open', async (t) => {
  const world = await begin();
  await world.hello('s1');
  t.match(await world.hello('s2', { agentId: 'agent-b' }), { isAccepted: false });
  await world.clock.advance(60_000);
  t.match(await world.hello('s3', { agentId: 'agent-b' }), { isAccepted: false });
});

t.test('node: launches are built in sets of 100, and each reaches the agent once', async (t) => {
  const world = await begin();
  const sizes: number[] = [];
  const { build } = world;
  world.build = (ids) => {
    sizes.push(ids.length);
    return build(ids);
  };
  await world.hello('s1');
  await world.launch(...Array.from({ length: 250 }, (_, at) => at + 1));
  t.equal(new Set(world.launched()).size, 250);
  t.equal(world.launched().length, 250);
  t.same(sizes, [100, 100, 50]);
});

t.test('node: 4,000 simultaneous kills reach the agent in order and within the limit of calls', async (t) => {
  const world = await begin();
  await world.hello('s1');
  for (let id = 1; id <= 4_000; id++) world.tell(NODE, { type: 'kill', executionIds: [id] } as never);
  await world.clock.settle();
  t.equal(world.toAgent('kill').length, 4_000);
  t.same(
    world.toAgent('kill').map((one) => one.executionId),
    Array.from({ length: 4_000 }, (_, at) => at + 1),
  );
  t.equal(world.system.stats().totals.failures, 0);
});

t.test('node: a launch that could not be built is built again', async (t) => {
  const world = await begin();
  await world.hello('s1');
  const { build } = world;
  world.build = () => Promise.reject(new Error('the store is away'));
  await world.launch(1);
  t.same(world.launched(), []);
  world.build = build;
  await world.clock.advance(5_000);
  t.same(world.launched(), [1]);
  await world.clock.advance(60_000);
  t.same(world.launched(), [1]);
});

t.test('node: a lost launch is found in the rows and sent, and owners learn of lost orders', async (t) => {
  const world = await begin();
  await world.hello('s1');
  world.rows.executions = [
    makeExecution(1),
    makeExecution(2, { work: 'ingest', owner: { kind: 'strike', key: 3 } }),
    makeExecution(3, { work: 'monitor', owner: { kind: 'strike', key: 3 } }),
  ];
  await world.clock.advance(40_000);
  t.same(world.launched(), [1]);
  t.match(world.heard('workMissing', 'strike/3')[0], { nodeId: NODE, executionIds: [2, 3] });
});

t.test('node: an execution that is no longer in the rows is killed on the agent', async (t) => {
  const world = await begin(undefined, [makeExecution(1)]);
  await world.hello('s1', { executions: [{ executionId: 1, phase: 'main', needsLaunch: false }] });
  t.same(world.toAgent('kill'), []);
  world.rows.executions = [];
  await world.clock.advance(40_000);
  t.match(world.toAgent('kill'), [{ executionId: 1 }]);
});

t.test('node: an execution that is launched while the rows are read is not killed', async (t) => {
  const world = await begin();
  await world.hello('s1');
  const rows = new Latch();
  world.read = () => rows.opened.then(() => []);
  await world.clock.advance(20_000);
  await world.launch(1);
  rows.open();
  await world.clock.settle();
  t.same(world.launched(), [1]);
  t.same(world.toAgent('kill'), []);
});

t.test(
  'node: a returning agent gets the executions that it lacks, and is told to end those not in the rows',
  async (t) => {
    const world = await begin(undefined, [makeExecution(1), makeExecution(2), makeExecution(3)]);
    await world.hello('s1', {
      executions: [
        { executionId: 1, phase: 'main', needsLaunch: false },
        { executionId: 2, phase: 'main', needsLaunch: true },
        { executionId: 8, phase: 'main', needsLaunch: false },
      ],
      monitorExecutionIds: [20],
      ingestExecutionIds: [30],
    });
    t.same(world.launched(), [2, 3]);
    t.match(world.toAgent('kill'), [{ executionId: 8 }, { executionId: 30 }]);
    t.match(world.toAgent('stopMonitor'), [{ executionId: 20 }]);
  },
);

t.test('node: the owner of a launch that cannot be built gets its failure', async (t) => {
  const world = await begin();
  await world.hello('s1');
  const error = { name: 'deleted-file', isBuiltin: true, detail: 'gone' };
  world.build = (ids) => ({ launches: [], failed: ids.map((executionId) => ({ executionId, error })) });
  await world.launch(1);
  t.match(world.givenUp(), [{ executionId: 1, error: 'deleted-file', to: 'recipe/9' }]);
  t.same(world.launched(), []);
});

t.test('node: a report reaches its owner and is acknowledged after the commit', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1, 2);
  await world.say(updates('s1', makeUpdate(11, 1), makeUpdate(12, 2)));
  t.match(world.heard('taskEnded', 'recipe/9')[0], {
    results: [
      { nodeId: NODE, spoolId: 11 },
      { nodeId: NODE, spoolId: 12 },
    ],
  });
  t.same(world.toAgent('ack'), []);
  await world.commit(1, 11);
  await world.commit(2, 12, true);
  t.match(world.toAgent('ack'), [
    { spoolIds: [11], discardExecutionIds: [] },
    { spoolIds: [12], discardExecutionIds: [2] },
  ]);
});

t.test('node: a report whose owner cannot be read is void', async (t) => {
  const world = await begin();
  await world.hello('s1');
  const owners = ['', 'recipe', 'recipe/0', 'recipe/x', 'node/5', 'recipe/1/2', '__proto__/1'];
  await world.say(updates('s1', ...owners.map((owner, at) => makeUpdate(at + 1, at + 1, { owner }))));
  t.match(world.toAgent('ack'), [
    { spoolIds: [1, 2, 3, 4, 5, 6, 7], discardExecutionIds: [1, 2, 3, 4, 5, 6, 7] },
  ]);
  t.same(world.heard('taskEnded'), []);
});

t.test('node: messages of a stale session are ignored, and the session is ended', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.say(updates('s0', makeUpdate(1, 1)));
  await world.say({
    type: 'offer',
    sessionId: 's0',
    offer: { type: 'offer', sequence: 1, resources: {}, errors: [], warnings: [] },
  });
  await world.say({
    type: 'filesSeen',
    sessionId: 's0',
    executionId: 1,
    owner: 'strike/3',
    batch: 1,
    files: [],
  });
  await world.say({ type: 'reachable', sessionId: 's0', workspaces: [] });
  await world.say({
    type: 'ingestProgress',
    sessionId: 's0',
    ingests: [{ ingestId: 1, owner: 'strike/3', bytesTransferred: 1 }],
  });
  t.same(world.dropped, ['s0']);
  t.same(
    world.told.filter((one) => one.type !== 'nodeChanged'),
    [],
  );
  t.same(world.node.resources, { cpus: 4 });
  t.equal(world.counter('node.said_by_stale_session'), 5);
});

t.test('node: an agent never gets acknowledgements for numbers of another agent’s spool', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1);
  await world.say(updates('s1', makeUpdate(7, 1)));
  await world.say({ type: 'sessionEnded', sessionId: 's1' });
  await world.hello('s2', { agentId: 'agent-b' });
  await world.say(updates('s2', makeUpdate(7, 2)));
  await world.commit(1, 7);
  t.same(world.toAgent('ack'), []);
  await world.commit(2, 7);
  t.match(world.toAgent('ack'), [{ spoolIds: [7] }]);
});

t.test('node: an actor that is loaded again ends the session, and the agent opens another', async (t) => {
  const world = await begin();
  await world.hello('s1');
  world.isDown = true;
  await world.say({ type: 'edit', isPaused: true });
  world.isDown = false;
  await world.clock.advance(20_000);
  t.same(world.dropped, ['s1']);
  t.match(await world.hello('s2'), { isAccepted: true });
});

t.test(
  'node: a silent node goes offline, and its executions are reported as lost until that is committed',
  async (t) => {
    const world = await begin();
    await world.hello('s1');
    await world.launch(1);
    world.silence();
    await world.clock.advance(12_000);
    t.equal(world.node.isOnline, false);
    t.same(world.givenUp(), []);
    await world.clock.advance(54_000);
    t.match(world.givenUp()[0], { executionId: 1, error: 'node-lost', to: 'recipe/9' });
    await world.clock.advance(30_000);
    t.ok(world.givenUp().length >= 3, 'a lost report is repeated');
    t.ok(world.givenUp().length <= 5, 'but not at every tick');
    await world.commit(1, null);
    world.forget();
    await world.clock.advance(30_000);
    t.same(world.givenUp(), []);
  },
);

t.test('node: an agent does not count as lost because the coordinator stood still for an hour', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1);
  await world.clock.pause(3_600_000);
  await world.clock.advance(30_000);
  t.same(world.givenUp(), []);
});

t.test('node: an execution reported as lost is killed if its agent returns', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1);
  world.silence();
  await world.clock.advance(70_000);
  world.rows.executions = [makeExecution(1)];
  await world.hello('s2', { executions: [{ executionId: 1, phase: 'main', needsLaunch: false }] });
  await world.commit(1, null);
  t.match(world.toAgent('kill'), [{ executionId: 1 }]);
});

t.test('node: executions of a former agent are lost and not launched on the new one', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1, 2);
  await world.say({ type: 'sessionEnded', sessionId: 's1' });
  world.forget();
  world.rows.executions = [makeExecution(1), makeExecution(2)];
  await world.hello('s2', { agentId: 'agent-b' });
  t.same(
    world.givenUp().map((one) => one.executionId),
    [1, 2],
  );
  await world.clock.advance(40_000);
  t.same(world.launched(), []);
  t.ok(world.givenUp().length >= 4, 'a lost report is repeated');
});

t.test(
  'node: a deactivated node reports its executions as lost, kills them, and gets no others',
  async (t) => {
    const world = await begin();
    await world.hello('s1');
    await world.launch(1);
    const asked = world.ask(NODE, { type: 'edit', isActive: false } as never);
    await world.clock.advance(3_000);
    t.same(asked.value, {});
    t.match(world.givenUp(), [{ executionId: 1, error: 'node-lost' }]);
    t.match(world.heard('nodeChanged').at(-1), { node: { isReady: false } });
    await world.commit(1, null);
    t.match(world.toAgent('kill'), [{ executionId: 1 }]);
    world.forget();
    await world.launch(2);
    await world.clock.advance(20_000);
    t.same(world.launched(), []);
    t.equal(world.givenUp()[0]?.executionId, 2);
  },
);

t.test('node: running executions continue on a paused node', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.launch(1);
  await world.say({ type: 'edit', isPaused: true, pauseReason: 'tests' });
  await world.clock.advance(90_000);
  t.same(world.givenUp(), []);
  t.same(world.toAgent('kill'), []);
  t.match(world.heard('nodeChanged').at(-1), { node: { isReady: false } });
});

t.test('node: the coordinator reports an execution that is killed before its launch was sent', async (t) => {
  const world = await begin();
  await world.hello('s1');
  world.build = () => new Promise(() => undefined);
  await world.launch(1);
  await world.say({ type: 'kill', executionIds: [1] });
  t.match(world.givenUp(), [{ executionId: 1 }]);
});

t.test(
  'node: an execution that is killed while its launch is built is killed on the agent after the commit',
  async (t) => {
    const world = await begin();
    await world.hello('s1');
    let built: () => void = () => undefined;
    const { build } = world;
    world.build = (ids) =>
      new Promise((resolve) => {
        built = () => resolve(build(ids));
      });
    await world.launch(1);
    await world.say({ type: 'kill', executionIds: [1] });
    built();
    await world.clock.settle();
    world.forget();
    await world.commit(1, null, true);
    t.match(world.toAgent('kill'), [{ executionId: 1 }]);
  },
);

t.test('node: files of an unknown monitor are ignored, and the monitor is stopped', async (t) => {
  const world = await begin();
  await world.hello('s1');
  await world.say({
    type: 'filesSeen',
    sessionId: 's1',
    executionId: 4,
    owner: 'strike/3',
    batch: 1,
    files: [],
  });
  t.match(world.toAgent('stopMonitor'), [{ executionId: 4 }]);
  t.same(world.heard('filesSeen'), []);
});

t.test('node: a request for a file is refused without a connected agent', async (t) => {
  const world = await begin();
  const file = {
    type: 'sendFile',
    requestId: 'r',
    path: 'a',
    offset: 0,
    length: 0,
    workspace: { uuid: 'u', name: 'w', configuration: '{}' },
  };
  const refused = world.ask(NODE, { type: 'sendFile', file } as never);
  await world.clock.settle();
  t.match(refused, { state: 'rejected', code: 'AGENT_UNAVAILABLE' });
  await world.hello('s1');
  const asked = world.ask(NODE, { type: 'sendFile', file } as never);
  await world.clock.settle();
  t.equal(asked.state, 'resolved');
  t.match(world.toAgent('sendFile'), [{ requestId: 'r' }]);
});

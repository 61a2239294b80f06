/** The gateway over real gRPC: admission of agents, the way of their messages, and ends of sessions. */
import t from 'tap';
import type { AgentMessage } from '../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../src/domain/node/coordinator-messages.ts';
import { launchesOf } from '../../src/domain/node/launches.ts';
import { eventually } from '../support/agent/eventually.ts';
import { makeLaunch } from '../support/agent/make-launch.ts';
import { type FakeAgent, GatewayWorld, SELF, TOKEN } from '../support/worlds/gateway-world.ts';
import { Latch } from '../support/worlds/kernel-world.ts';
import { makeUpdate } from '../support/worlds/node-world.ts';

const OTHER = { id: 'c2', httpAddress: 'h:1', grpcAddress: 'h:2', version: '1' };
const HERE = { ...OTHER, id: SELF };
const HEARTBEAT: AgentMessage = { type: 'heartbeat', sequence: 1 };

t.test('gateway: an agent with the join token is welcomed, and the token is not passed on', async (t) => {
  const world = await GatewayWorld.start(t);
  world.owner = HERE;
  const agent = world.agent();
  agent.hello();
  t.match(await agent.answer('welcome'), { nodeId: 5, sessionId: 's1', heartbeatMs: 2_000 });
  t.match(world.asked, [
    { to: { kind: 'node', key: '5' }, message: { type: 'hello', hello: { joinToken: '' } } },
  ]);
  t.notOk(JSON.stringify([world.asked, world.logged]).includes(TOKEN));
});

for (const comparesBoots of [true, undefined]) {
  t.test(`gateway: the welcome says whether boots are compared: ${comparesBoots}`, async (t) => {
    const world = await GatewayWorld.start(t);
    world.answerHello = async () => ({ isAccepted: true, ...(comparesBoots && { comparesBoots }) });
    const agent = world.agent();
    agent.hello({ bootId: 'boot' });
    t.match(await agent.answer('welcome'), { comparesBoots: comparesBoots === true });
    t.match(world.asked, [{ message: { hello: { bootId: 'boot' } } }]);
  });
}

for (const joinToken of ['', 'let-me', 'let-me-inn', 'LET-ME-IN', 'let-me-in\0', '\u0000'.repeat(9)]) {
  t.test(
    `gateway: the join token ${JSON.stringify(joinToken)} is refused before anything is read`,
    async (t) => {
      const world = await GatewayWorld.start(t);
      const agent = world.agent();
      agent.hello({ joinToken });
      t.match(await agent.answer('refused'), { reason: /join token/ });
      await agent.ended();
      t.same([...world.names, ...world.asked, ...world.told], []);
    },
  );
}

for (const nodeName of ['', 'x'.repeat(251), 'a\0b', 'a\nb', '\u007f']) {
  t.test(`gateway: the node name ${JSON.stringify(nodeName.slice(0, 9))} is refused`, async (t) => {
    const world = await GatewayWorld.start(t);
    const agent = world.agent();
    agent.hello({ nodeName });
    t.match(await agent.answer('refused'), { reason: /name/ });
    t.same(world.names, []);
  });
}

t.test('gateway: an unknown protocol is refused', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = world.agent();
  agent.hello({ protocol: 99 });
  t.match(await agent.answer('refused'), { reason: /protocol 1/ });
  t.same(world.asked, []);
});

t.test('gateway: a session that does not begin with a hello is ended', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = world.agent();
  agent.say(HEARTBEAT);
  await agent.ended();
  t.same([...world.asked, ...world.told, ...agent.heard], []);
});

t.test('gateway: an agent whose node another coordinator owns is redirected to it', async (t) => {
  const world = await GatewayWorld.start(t);
  world.owner = OTHER;
  const agent = world.agent();
  agent.hello();
  t.match(await agent.answer('moved'), { address: 'h:2' });
  t.same(world.asked, []);
});

t.test('gateway: an agent is redirected when its node moves to another coordinator', async (t) => {
  const world = await GatewayWorld.start(t);
  world.owner = HERE;
  const agent = await world.welcomed();
  agent.say(HEARTBEAT);
  await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
  world.owner = OTHER;
  agent.say(HEARTBEAT);
  t.match(await agent.answer('moved'), { address: 'h:2' });
  await eventually(() => world.types().includes('sessionEnded'), 'its end is reported');
  t.same(world.types(), ['heard', 'sessionEnded']);
});

t.test('gateway: an agent gets the addresses of all coordinators, and again when they change', async (t) => {
  const world = await GatewayWorld.start(t);
  world.coordinators = [HERE];
  const agent = await world.welcomed();
  await agent.answer('coordinators');
  world.coordinators = [OTHER, HERE, { ...OTHER, id: 'c3', grpcAddress: '' }];
  const told = () => agent.heard.flatMap((one) => (one.type === 'coordinators' ? [one.addresses] : []));
  await eventually(() => told().length === 2, 'the other one is reported');
  t.same(told(), [[HERE.grpcAddress], [HERE.grpcAddress, OTHER.grpcAddress].sort()]);
});

t.test('gateway: a session continues while its node has no owner', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = await world.welcomed();
  agent.say(HEARTBEAT);
  await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
  t.notOk(agent.isEnded);
});

t.test('gateway: an agent gets the reason why its node refuses it', async (t) => {
  const world = await GatewayWorld.start(t);
  world.answerHello = async () => ({ isAccepted: false, reason: 'another one is here' });
  const agent = world.agent();
  agent.hello();
  t.match(await agent.answer('refused'), { reason: 'another one is here' });
  await agent.ended();
});

t.test('gateway: a session whose hello is not answered is ended', async (t) => {
  const world = await GatewayWorld.start(t);
  world.answerHello = () => Promise.reject(new Error('nobody is there'));
  const agent = world.agent();
  agent.hello();
  await agent.ended();
  t.same(agent.heard, []);
  await eventually(() => world.types().includes('sessionEnded'), 'its end is reported');
});

t.test('gateway: an agent that leaves before its node is found gets no session', async (t) => {
  const world = await GatewayWorld.start(t);
  const latch = new Latch();
  world.ensureNode = () => latch.opened.then(() => 5);
  const agent = world.agent();
  agent.hello();
  await eventually(() => world.names.length === 1, 'it is looked up');
  agent.session.cancel();
  await agent.ended();
  const next = await (async () => {
    const other = world.agent();
    world.ensureNode = async () => 6;
    other.hello();
    await other.answer('welcome');
    return other;
  })();
  latch.open();
  next.say(HEARTBEAT);
  await eventually(() => world.types().includes('heard'), 'the other is heard');
  t.same(
    world.asked.map((one) => one.to.key),
    ['6'],
  );
});

t.test('gateway: messages that are sent before the welcome follow it in order', async (t) => {
  const world = await GatewayWorld.start(t);
  world.answerHello = async () => {
    world.gateway.send('s1', [
      { type: 'kill', executionId: 1 },
      { type: 'kill', executionId: 2 },
    ]);
    return { isAccepted: true };
  };
  const agent = await world.welcomed();
  world.gateway.send('s1', [{ type: 'kill', executionId: 3 }]);
  world.gateway.send('s9', [{ type: 'kill', executionId: 4 }]);
  await eventually(() => agent.heard.length === 5, 'all are heard');
  const heard = agent.heard.filter((one) => one.type !== 'coordinators');
  t.match(heard, [{ type: 'welcome' }, { executionId: 1 }, { executionId: 2 }, { executionId: 3 }]);
});

t.test('gateway: messages of an agent are passed to its node with the id of the session', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = await world.welcomed();
  agent.say(HEARTBEAT);
  agent.say({ type: 'offer', sequence: 1, resources: { cpus: 1 }, errors: [], warnings: [] });
  agent.say(makeUpdate(1, 2));
  agent.say({ type: 'filesSeen', executionId: 4, owner: 'strike/1', batch: 1, files: [] });
  agent.say({ type: 'reachable', workspaces: [] });
  agent.say({ type: 'ingestProgress', ingests: [] });
  agent.hello();
  agent.session.end();
  await eventually(() => world.types().includes('sessionEnded'), 'its end is reported');
  t.same(world.types(), [
    'heard',
    'offer',
    'taskUpdates',
    'filesSeen',
    'reachable',
    'ingestProgress',
    'sessionEnded',
  ]);
  for (const { to, message } of world.told)
    t.match([to, message], [{ kind: 'node', key: '5' }, { sessionId: 's1' }]);
});

t.test('gateway: a session that its node drops ends once', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = await world.welcomed();
  world.gateway.dropSession('s1');
  world.gateway.dropSession('s1');
  world.gateway.dropSession('never');
  await agent.ended();
  await eventually(() => world.types().includes('sessionEnded'), 'its end is reported');
  t.same(world.types(), ['sessionEnded']);
});

t.test('gateway: a session is ended if its agent does not read', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = await world.welcomed();
  agent.session.pause();
  const big = { type: 'configure', loggingLevel: 'x'.repeat(1_000) } as const;
  for (let round = 0; round < 12; round++)
    world.gateway.send(
      's1',
      Array.from({ length: 2_000 }, () => big),
    );
  agent.session.resume();
  await agent.ended();
  t.ok(agent.heard.length < 24_000);
});

t.test('gateway: stopping ends all sessions', async (t) => {
  const world = await GatewayWorld.start(t);
  const agents = [await world.welcomed(), await world.welcomed()];
  await world.gateway.stop();
  for (const agent of agents) await agent.ended();
});

for (const takesLaunches of [false, true]) {
  t.test(`gateway: launches that are sent together, taken together: ${takesLaunches}`, async (t) => {
    const world = await GatewayWorld.start(t);
    const agent = world.agent();
    agent.hello({ takesLaunches });
    await agent.answer('welcome');
    const launches = [1, 2, 3].map((id) => makeLaunch(id));
    world.gateway.send('s1', [...launches, { type: 'kill', executionId: 3 }]);
    await agent.answer('kill');
    const got = agent.heard.filter(({ type }) => type === 'launch' || type === 'launches');
    t.strictSame(
      got.map(({ type }) => type),
      takesLaunches ? ['launches'] : ['launch', 'launch', 'launch'],
      'the order is kept',
    );
    const ids = got.flatMap((one) => (one.type === 'launches' ? launchesOf(one) : [one as Launch]));
    t.strictSame(
      ids.map(({ executionId }) => executionId),
      [1, 2, 3],
    );
  });
}

t.test('gateway: undecodable bytes end only their own session', async (t) => {
  const world = await GatewayWorld.start(t);
  const agent = await world.welcomed();
  const client = world.client();
  const bad = client.makeBidiStreamRequest(
    '/millrace.node.v1.AgentGateway/Session',
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes,
  );
  let isEnded = false;
  bad.on('error', () => {
    isEnded = true;
  });
  bad.on('data', () => undefined);
  bad.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x01]));
  await eventually(() => isEnded, 'it is refused');
  agent.say(HEARTBEAT);
  await eventually(() => world.types().includes('heard'), 'the other continues');
});

const phase = (startedMs: number, endedMs: number) =>
  ({ phase: 'main', startedMs, endedMs, exitCode: 0, timedOut: false }) as const;

/** The messages to the node's actor about one task, one ingest and one file with these instants. */
async function toldOf(world: GatewayWorld, agent: FakeAgent, startedMs: number, endedMs: number) {
  world.told.length = 0;
  agent.say(makeUpdate(1, 7, { phases: [phase(startedMs, endedMs)] }));
  agent.say({ type: 'ingestUpdates', updates: [{ ...INGEST, startedMs, endedMs }] });
  const file = { path: 'a', arrival: 'complete', size: 1, mtimeMs: 77.5, identity: 'i' } as const;
  agent.say({
    ...{ type: 'filesSeen', executionId: 3, owner: 'strike/1', batch: 1 },
    files: [{ ...file, firstSeenMs: startedMs }],
  });
  await eventually(() => world.told.length === 3, 'all three are passed on');
  const [tasks, ingests, seen] = world.told.map(({ message }) => message) as unknown as [
    { updates: { phases: unknown[] }[] },
    { updates: { startedMs: number; endedMs: number }[] },
    { files: { firstSeenMs: number; mtimeMs: number }[] },
  ];
  const { startedMs: begun, endedMs: done } = ingests.updates[0] ?? {};
  const { firstSeenMs, mtimeMs } = seen.files[0] ?? {};
  return { phases: tasks.updates[0]?.phases, ingest: [begun, done], firstSeenMs, mtimeMs };
}

const INGEST = {
  ...{
    spoolId: 2,
    ingestId: 1,
    executionId: 8,
    jobId: 8,
    exeNum: 1,
    owner: 'strike/1',
    outcome: 'stored' as const,
  },
  ...{ workspaceUuid: 'w', path: 'p', size: 1, sha256: 's' },
} as const;

for (const [where, offMs] of [
  ['ahead', 600_000],
  ['behind', -600_000],
] as const) {
  t.test(
    `gateway: times of an agent whose clock is ${where} are converted to the database's clock`,
    async (t) => {
      const world = await GatewayWorld.start(t);
      const agent = await world.welcomed();
      agent.say({ type: 'heartbeat', sequence: 1, nowMs: world.nowMs + offMs });
      await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
      world.nowMs += 5_000;
      const at = (ms: number) => ms + offMs;
      t.strictSame(await toldOf(world, agent, at(1_001_000), at(1_004_000)), {
        phases: [phase(1_001_000, 1_004_000)],
        ...{ ingest: [1_001_000, 1_004_000], firstSeenMs: 1_001_000, mtimeMs: 77.5 },
      });
      t.strictSame(await toldOf(world, agent, at(1_001_000), at(1_009_000)), {
        phases: [phase(1_001_000, 1_005_000)],
        ...{ ingest: [1_001_000, 1_005_000], firstSeenMs: 1_001_000, mtimeMs: 77.5 },
      });
      t.match(
        await toldOf(world, agent, at(1_001_000), 0),
        { phases: [phase(1_001_000, 0)] },
        'a missing end remains missing',
      );
      // Its clock is set right.
      agent.say({ type: 'heartbeat', sequence: 2, nowMs: world.nowMs });
      await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
      t.match(await toldOf(world, agent, 1_003_000, 1_004_000), { phases: [phase(1_003_000, 1_004_000)] });
    },
  );
}

t.test(
  'gateway: times of an agent that does not send its clock are accepted unless they are in the future',
  async (t) => {
    const world = await GatewayWorld.start(t);
    const agent = await world.welcomed();
    agent.say(HEARTBEAT);
    await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
    t.match(await toldOf(world, agent, 900_000, 2_000_000), {
      phases: [phase(900_000, 1_000_000)],
      ...{ ingest: [900_000, 1_000_000], firstSeenMs: 900_000 },
    });
    for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY]) {
      world.told.length = 0;
      agent.say({ type: 'heartbeat', sequence: 2, nowMs });
      await eventually(() => world.types().includes('heard'), 'the heartbeat is passed on');
    }
    t.match(
      await toldOf(world, agent, Number.NEGATIVE_INFINITY, Number.NaN),
      { phases: [phase(0, 1_000_000)], ingest: [0, 1_000_000], firstSeenMs: 0 },
      'values that the database would refuse are replaced',
    );
  },
);

/** The gateway on a TCP port: limits for strangers, which are connections that have not shown a token yet. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { eventually } from '../support/agent/eventually.ts';
import { type FakeAgent, GatewayWorld, TOKEN } from '../support/worlds/gateway-world.ts';

const LIMITS = { connectionsMax: 30, strangersMax: 10, strangerMs: 60_000, strangerBytesMax: 4_000_000 };
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

function start(t: Test, over: Partial<typeof LIMITS> = {}): Promise<GatewayWorld> {
  return GatewayWorld.start(t, { listen: '127.0.0.1:0', limits: { ...LIMITS, ...over } });
}

interface Stranger {
  readonly socket: Socket;
  isClosed: boolean;
}

async function stranger(t: Test, world: GatewayWorld): Promise<Stranger> {
  const port = Number(/:(\d+)$/.exec(world.gateway.address)?.[1]);
  const socket = connect(port, '127.0.0.1');
  const made = { socket, isClosed: false };
  socket.on('error', () => undefined); // The close follows.
  socket.on('close', () => {
    made.isClosed = true;
  });
  socket.resume();
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return made;
}

t.test(
  'listener: the connection of a stranger is closed after its time, that of a known agent is not',
  async (t) => {
    const world = await start(t, { strangerMs: 600 });
    const agent = await world.welcomed();
    const one = await stranger(t, world);
    await eventually(() => one.isClosed, 'the connection of the stranger is closed');
    t.notOk(agent.isEnded);
    agent.say({ type: 'heartbeat', sequence: 1 });
    await eventually(() => world.types().includes('heard'), 'the message of the agent arrives');
  },
);

t.test('listener: a connection is known once it has sent logs with the join token', async (t) => {
  const world = await start(t, { strangerMs: 600 });
  const logs = (joinToken: string) => {
    const call = world.client().logs();
    const made = { acks: 0, isEnded: false };
    call.on('data', () => {
      made.acks += 1;
    });
    call.on('error', () => {
      made.isEnded = true;
    });
    const content = Buffer.from('x');
    call.write({ joinToken, executionId: 1, stream: 'stdout', offset: 0, content, sequence: 1 } as never);
    return { call, made };
  };
  const [known, wrong] = [logs(TOKEN), logs('wrong')];
  await eventually(() => wrong.made.isEnded, 'the wrong token is refused');
  await eventually(() => known.made.acks === 1, 'the right one is acknowledged');
  const one = await stranger(t, world);
  await eventually(() => one.isClosed, 'the connection of the stranger is closed');
  t.notOk(known.made.isEnded);
});

t.test(
  'listener: connections of strangers beyond the limit are closed, and agents connect when there is room',
  async (t) => {
    const world = await start(t);
    const first = await world.welcomed();
    const all = await Promise.all(Array.from({ length: 25 }, () => stranger(t, world)));
    await eventually(() => all.filter(({ isClosed }) => isClosed).length === 15, '15 of 25 are closed');
    t.notOk(first.isEnded);
    for (const { socket } of all) socket.destroy();
    const agent = await eventuallyWelcomed(world);
    t.notOk(agent.isEnded);
    t.ok(world.logged.some(({ event }) => event === 'agent_strangers_full'));
  },
);

async function eventuallyWelcomed(world: GatewayWorld): Promise<FakeAgent> {
  for (let tries = 0; tries < 50; tries += 1) {
    const agent = world.agent();
    agent.hello();
    if ((await agent.answer('welcome')) !== undefined) return agent;
  }
  throw new Error('never welcomed');
}

t.test('listener: the stranger that has sent most is disconnected if strangers send too much', async (t) => {
  const world = await start(t);
  const agent = await world.welcomed();
  const quiet = await stranger(t, world);
  const loud = await stranger(t, world);
  loud.socket.write(PREFACE);
  loud.socket.write(SETTINGS);
  // Frames of an unknown type are read and skipped.
  const frame = Buffer.concat([Buffer.from([0, 0x40, 0, 0xee, 0, 0, 0, 0, 0]), Buffer.alloc(0x4000)]);
  const flood = (): void => {
    while (!loud.isClosed && loud.socket.write(frame));
    if (!loud.isClosed) loud.socket.once('drain', flood);
  };
  flood();
  await eventually(() => loud.isClosed, 'the loud one is disconnected');
  t.notOk(quiet.isClosed || agent.isEnded);
});

t.test('listener: bytes that are not HTTP/2 close their own connection only', async (t) => {
  const world = await start(t);
  const agent = await world.welcomed();
  const garbage = [
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '\u0000'.repeat(100),
    `${PREFACE}${'\u00ff'.repeat(1_000)}`,
    `${PREFACE.slice(0, 10)}`,
    Buffer.concat([Buffer.from(PREFACE), SETTINGS, Buffer.from([0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1])]),
    Buffer.concat([
      Buffer.from(PREFACE),
      SETTINGS,
      Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 1]),
      Buffer.alloc(8),
    ]),
  ];
  for (const bytes of garbage) {
    const one = await stranger(t, world);
    one.socket.end(bytes);
    await eventually(() => one.isClosed, 'it is closed');
  }
  agent.say({ type: 'heartbeat', sequence: 1 });
  await eventually(() => world.types().includes('heard'), 'the message of the agent arrives');
  t.notOk(agent.isEnded);
});

t.test('listener: an address in use is refused', async (t) => {
  const world = await start(t);
  await t.rejects(GatewayWorld.start(t, { listen: world.gateway.address }), { code: 'ADDRESS_IN_USE' });
});

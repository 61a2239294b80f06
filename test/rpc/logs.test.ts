/** The Logs stream over real gRPC: pieces are saved before they are acknowledged, in order and bounded. */
import t from 'tap';
import type { LogChunk } from '../../src/domain/node/agent-messages.ts';
import type { LogAck } from '../../src/domain/node/coordinator-messages.ts';
import { eventually } from '../support/agent/eventually.ts';
import { GatewayWorld, TOKEN } from '../support/worlds/gateway-world.ts';
import { Latch } from '../support/worlds/kernel-world.ts';

const chunk = (offset: number, text: string, over: Partial<LogChunk> = {}): LogChunk => ({
  ...{ joinToken: '', nodeName: '', executionId: 1, stream: 'stdout', offset, atMs: 1 },
  content: Buffer.from(text),
  ...over,
});
const FIRST = { joinToken: TOKEN, nodeName: 'host' };

async function open(t: Parameters<typeof GatewayWorld.start>[0]) {
  const world = await GatewayWorld.start(t);
  const saved: LogChunk[] = [];
  world.saveLogs = async (chunks) => void saved.push(...chunks);
  const stream = world.client().logs();
  const acks: LogAck[] = [];
  const ends: string[] = [];
  stream.on('data', (ack: LogAck) => acks.push(ack));
  stream.on('error', () => ends.push('error'));
  stream.on('end', () => ends.push('end'));
  return { world, stream, saved, acks, ends };
}

t.test('logs: pieces are acknowledged once they are saved', async (t) => {
  const { world, stream, acks, ends } = await open(t);
  const latch = new Latch();
  const saved: LogChunk[] = [];
  world.saveLogs = async (chunks) => {
    await latch.opened;
    saved.push(...chunks);
  };
  stream.write(chunk(0, 'abc', FIRST));
  stream.write(chunk(3, 'de'));
  stream.write(chunk(0, 'x', { stream: 'stderr' }));
  stream.end();
  latch.open();
  await eventually(() => ends.length > 0, 'the stream ends');
  t.same(
    saved.map((one) => Buffer.from(one.content).toString()),
    ['abc', 'de', 'x'],
  );
  const last = new Map(acks.map((ack) => [ack.stream, ack.offset]));
  t.same([...last].sort(), [
    ['stderr', 1],
    ['stdout', 5],
  ]);
});

t.test('logs: without the join token nothing is saved', async (t) => {
  const { stream, saved, acks, ends } = await open(t);
  stream.write(chunk(0, 'abc', { joinToken: 'guess' }));
  stream.write(chunk(0, 'abc', FIRST));
  await eventually(() => ends.length > 0, 'the stream ends');
  t.same([...saved, ...acks], []);
});

for (const [what, over] of [
  ['above the size limit', { content: Buffer.alloc(262_145) }],
  ['with a negative offset', { offset: -1 }],
] as const) {
  t.test(`logs: a piece ${what} ends the stream, and no later piece is saved`, async (t) => {
    const { stream, saved, ends } = await open(t);
    stream.write(chunk(0, 'abc', FIRST));
    stream.write(chunk(3, '', over));
    stream.write(chunk(4, 'after'));
    await eventually(() => ends.length > 0, 'the stream ends');
    t.notOk(saved.some((one) => one.offset > 0));
  });
}

t.test('logs: pieces that could not be saved are not acknowledged, and the stream ends', async (t) => {
  const { world, stream, acks, ends } = await open(t);
  world.saveLogs = () => Promise.reject(new Error('the store is away'));
  stream.write(chunk(0, 'abc', FIRST));
  await eventually(() => ends.length > 0, 'the stream ends');
  t.same(acks, []);
  t.ok(world.logged.some((line) => line.event === 'logs_not_kept'));
});

t.test('logs: thousands of pieces are saved in order while the store is slow', async (t) => {
  const { world, stream, acks } = await open(t);
  const saved: number[] = [];
  let most = 0;
  world.saveLogs = async (chunks) => {
    most = Math.max(most, chunks.length);
    await new Promise((resolve) => setImmediate(resolve));
    saved.push(...chunks.map((one) => one.offset));
  };
  for (let at = 0; at < 3_000; at++) stream.write(chunk(at, 'x', at === 0 ? FIRST : {}));
  await eventually(() => acks.at(-1)?.offset === 3_000, 'the last is acknowledged');
  t.same(
    saved,
    Array.from({ length: 3_000 }, (_, at) => at),
  );
  t.ok(most < 1_000, `${most} at once`);
  stream.end();
});

t.test('logs: the gateway continues if an agent disconnects while its pieces are saved', async (t) => {
  const { world, stream } = await open(t);
  const latch = new Latch();
  let isSaving = false;
  world.saveLogs = async () => {
    isSaving = true;
    await latch.opened;
  };
  stream.write(chunk(0, 'abc', FIRST));
  await eventually(() => isSaving, 'it is being kept');
  stream.cancel();
  latch.open();
  const agent = await world.welcomed();
  t.notOk(agent.isEnded);
});

/** The Content stream over real gRPC: the bytes of a file for the caller who requested it, at the reader's pace. */
import t from 'tap';
import type { AppError } from '../../src/domain/errors.ts';
import type { ContentChunk } from '../../src/domain/node/agent-messages.ts';
import { eventually } from '../support/agent/eventually.ts';
import { GatewayWorld, TOKEN } from '../support/worlds/gateway-world.ts';

const chunk = (text: string, over: Partial<ContentChunk> = {}): ContentChunk => ({
  ...{ joinToken: '', requestId: '', error: '', totalSize: 0, content: Buffer.from(text) },
  ...over,
});
const FIRST = { joinToken: TOKEN, requestId: 'r1', totalSize: 5 };

class Sink {
  readonly events: string[] = [];
  refuse = false;
  begin({ totalSize }: { totalSize: number }): void {
    this.events.push(`begin ${totalSize}`);
  }
  async write(content: Uint8Array): Promise<void> {
    if (this.refuse) throw new Error('nobody reads');
    this.events.push(`write ${Buffer.from(content)}`);
  }
  end(): void {
    this.events.push('end');
  }
  fail(error: AppError): void {
    this.events.push(`fail ${error.code}`);
  }
}

async function open(t: Parameters<typeof GatewayWorld.start>[0]) {
  const world = await GatewayWorld.start(t);
  const sink = new Sink();
  world.contents.expect('r1', sink);
  let outcome: string | undefined;
  const stream = world.client().content((error) => {
    outcome = error === null ? 'done' : 'refused';
  });
  stream.on('error', () => undefined);
  const ended = async () => {
    await eventually(() => outcome !== undefined, 'the stream ends');
    return outcome;
  };
  return { world, sink, stream, ended };
}

t.test('content: the bytes reach the caller in order', async (t) => {
  const { sink, stream, ended } = await open(t);
  stream.write(chunk('abc', FIRST));
  stream.write(chunk('de'));
  stream.end();
  t.equal(await ended(), 'done');
  t.same(sink.events, ['begin 5', 'write abc', 'write de', 'end']);
});

t.test('content: a request is answered once', async (t) => {
  const { world, sink, stream, ended } = await open(t);
  stream.write(chunk('abcde', FIRST));
  stream.end();
  await ended();
  let second: string | undefined;
  const other = world.client().content((error) => {
    second = error === null ? 'done' : 'refused';
  });
  other.on('error', () => undefined);
  other.write(chunk('evil', FIRST));
  await eventually(() => second !== undefined, 'the second ends');
  t.equal(second, 'refused');
  t.same(sink.events, ['begin 5', 'write abcde', 'end']);
});

for (const [what, over] of [
  ['without the token', { joinToken: 'guess' }],
  ['for an unknown request', { requestId: 'r2' }],
  ['for a request called __proto__', { requestId: '__proto__' }],
] as const) {
  t.test(`content: a stream ${what} is refused`, async (t) => {
    const { sink, stream, ended } = await open(t);
    stream.write(chunk('abc', { ...FIRST, ...over }));
    t.equal(await ended(), 'refused');
    t.same(sink.events, []);
  });
}

t.test('content: the caller gets the reason why an agent cannot send the file', async (t) => {
  const { sink, stream, ended } = await open(t);
  stream.write(chunk('', { ...FIRST, error: 'gone' }));
  await ended();
  t.same(sink.events, ['fail WORKSPACE_UNAVAILABLE']);
});

t.test('content: a missing file is reported as missing', async (t) => {
  const { sink, stream, ended } = await open(t);
  stream.write(chunk('', { ...FIRST, error: 'not there', isMissing: true }));
  await ended();
  t.same(sink.events, ['fail FILE_NOT_FOUND']);
});

t.test('content: a failure midway ends the content with an error', async (t) => {
  const { sink, stream, ended } = await open(t);
  stream.write(chunk('abc', FIRST));
  stream.write(chunk('', { error: 'the disk broke' }));
  await ended();
  t.same(sink.events, ['begin 5', 'write abc', 'fail WORKSPACE_UNAVAILABLE']);
});

t.test('content: an agent that disconnects midway ends the content with an error', async (t) => {
  const { sink, stream } = await open(t);
  stream.write(chunk('abc', FIRST));
  await eventually(() => sink.events.length === 2, 'it has begun');
  stream.cancel();
  await eventually(() => sink.events.length === 3, 'the caller gets the error');
  t.same(sink.events.at(-1), 'fail AGENT_UNAVAILABLE');
});

t.test('content: more or fewer bytes than announced are an error', async (t) => {
  const more = await open(t);
  more.stream.write(chunk('abc', FIRST));
  more.stream.write(chunk('def'));
  t.equal(await more.ended(), 'refused');
  t.same(more.sink.events, ['begin 5', 'write abc', 'fail AGENT_UNAVAILABLE']);
  const less = await open(t);
  less.stream.write(chunk('abc', FIRST));
  less.stream.end();
  t.equal(await less.ended(), 'refused');
  t.same(less.sink.events, ['begin 5', 'write abc', 'fail AGENT_UNAVAILABLE']);
});

t.test('content: the stream of the agent is ended when the reader is gone', async (t) => {
  const { sink, stream, ended } = await open(t);
  sink.refuse = true;
  stream.write(chunk('abc', FIRST));
  t.equal(await ended(), 'refused');
});

import t from 'tap';
import { ContentPipe } from '../../../src/api/files/content-pipe.ts';
import { AppError } from '../../../src/domain/errors.ts';

async function readAll(pipe: ContentPipe): Promise<string> {
  let text = '';
  for await (const bytes of pipe.stream) text += Buffer.from(bytes).toString();
  return text;
}

t.test('content pipe: chunks arrive in order, whichever side opens it first', async (t) => {
  const pipe = new ContentPipe();
  pipe.begin({ totalSize: 6 });
  const sending = (async () => {
    for (const text of ['ab', 'cd', 'ef']) await pipe.write(Buffer.from(text));
    pipe.end();
  })();

  t.strictSame(await pipe.begun, { totalSize: 6 });
  t.equal(await readAll(pipe), 'abcdef');
  await sending;

  const early = new ContentPipe();
  const reading = readAll(early);
  await early.write(Buffer.from('x'));
  early.end();
  t.equal(await reading, 'x');
});

t.test('content pipe: the sender waits for the reader', async (t) => {
  const pipe = new ContentPipe();
  let isTaken = false;
  const sent = pipe.write(Buffer.from('a')).then(() => {
    isTaken = true;
  });
  await new Promise(setImmediate);
  t.equal(isTaken, false);

  const reader = pipe.stream[Symbol.asyncIterator]();
  t.equal(Buffer.from((await reader.next()).value as Uint8Array).toString(), 'a');
  await sent;
});

t.test('content pipe: an answer of the agent before the content reaches the reader', async (t) => {
  const pipe = new ContentPipe();
  pipe.fail(new AppError('WORKSPACE_UNAVAILABLE', 'not mounted'));
  await t.rejects(pipe.begun, { code: 'WORKSPACE_UNAVAILABLE' });
  await t.rejects(pipe.write(Buffer.from('a')), { code: 'AGENT_UNAVAILABLE' });
});

t.test('content pipe: a failure in the middle breaks the stream after the chunks before it', async (t) => {
  const pipe = new ContentPipe();
  pipe.begin({ totalSize: 10 });
  const reader = pipe.stream[Symbol.asyncIterator]();
  const first = reader.next();
  await pipe.write(Buffer.from('a'));
  t.equal((await first).done, false);
  const second = reader.next();
  pipe.fail(new AppError('AGENT_UNAVAILABLE', 'gone'));
  await t.rejects(second, { code: 'AGENT_UNAVAILABLE', message: 'gone' });
});

t.test('content pipe: a reader that leaves ends the sender', async (t) => {
  const pipe = new ContentPipe();
  pipe.begin({ totalSize: 4 });
  const reader = pipe.stream[Symbol.asyncIterator]();
  const first = reader.next();
  await pipe.write(Buffer.from('a'));
  await first;
  await reader.return?.();
  await t.rejects(pipe.write(Buffer.from('b')), { code: 'AGENT_UNAVAILABLE' });

  const unread = new ContentPipe();
  const offered = unread.write(Buffer.from('a'));
  await unread.stream[Symbol.asyncIterator]().return?.();
  await t.rejects(offered, { code: 'AGENT_UNAVAILABLE' }, 'also one that never began to read');

  const waiting = new ContentPipe();
  const sent = waiting.write(Buffer.from('a'));
  waiting.abandon();
  await t.rejects(sent, { code: 'AGENT_UNAVAILABLE' });
  await t.rejects(waiting.begun, { code: 'AGENT_UNAVAILABLE' });

  const pending = new ContentPipe();
  const read = readAll(pending);
  pending.abandon();
  t.equal(await read, '', 'a read that waits ends without a failure: nobody is there to be told');
});

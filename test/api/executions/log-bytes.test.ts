/** Output by its bytes, and followed while it is written, over real sockets. */
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startServer } from '../../../src/http/native/server.ts';
import { saveLogs } from '../../../src/store/log/save.ts';
import { makeExecutionEnd, makeStart, savedJob } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { silentLog } from '../../support/silent-log.ts';
import { processingWorld } from '../../support/worlds/processing-world.ts';

async function logWorld(t: Test) {
  const world = await processingWorld(t);
  const { store, dispatcher, streams } = world;
  const { id: jobId } = await savedJob(store);
  const start = await makeStart(store, jobId);
  await store.apply({ type: 'startExecutions', starts: [start] });
  const { executionId } = start;
  let requestCount = 0;
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, log: silentLog },
    newRequestId: () => `request-${++requestCount}`,
    ...{ bufferedBytesMax: 4_000_000, connectionsMax: 100 },
  });
  t.teardown(async () => {
    streams.stop();
    await server.stop(AbortSignal.abort());
  });
  const path = `/v6/job-executions/${executionId}/logs`;
  return {
    ...world,
    path,
    url: `http://127.0.0.1:${server.port}${path}`,
    /** Stores bytes of the standard output at an offset. */
    write: (offset: number, content: string | Buffer) =>
      saveLogs(store.db.sql, [
        {
          ...{ executionId, stream: 'stdout', offset, atMs: NOW, content: Buffer.from(content) },
          ...{ joinToken: '', nodeName: 'one' },
        },
      ]),
    end: () =>
      store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(executionId, { status: 'COMPLETED' })] }),
  };
}

/** Reads on until the text ends with this, or to the end. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, end?: string): Promise<string> {
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) text += Buffer.from(value).toString('latin1');
    if (done || (end !== undefined && text.endsWith(end))) return text;
  }
}

const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader();

t.test('logs: a log is read from any byte on, however its pieces overlap', async (t) => {
  const { get, path, write } = await logWorld(t);
  await write(0, 'abcdef');
  await write(2, 'cd');
  await write(4, Buffer.from([0xff, 0x65]));
  await write(6, 'ghi\n');
  const bytes = async (offset: number) => (await get(`${path}/stdout/?offset=${offset}`)).text;
  t.equal(await bytes(0), 'abcdefghi\n');
  for (const offset of [3, 5, 6, 9]) t.equal(await bytes(offset), 'abcdefghi\n'.slice(offset), `${offset}`);
  t.equal(await bytes(10), '');
});

t.test('logs: a log is followed until the execution ends, and resumed where it broke off', async (t) => {
  const { url, write, end, streams } = await logWorld(t);
  await write(0, 'one ');
  const first = await fetch(`${url}/stdout/?follow=true`);
  t.match(first.headers.get('content-type'), 'text/plain');
  const reader = readerOf(first);
  const read = await readUntil(reader, 'one ');
  await write(4, 'two ');
  t.equal(await readUntil(reader, 'two '), 'two ', 'no line has to end');
  t.equal(streams.counts().logs, 1);
  await reader.cancel();
  await write(8, 'three ');
  const again = readerOf(await fetch(`${url}/stdout/?follow=true&offset=${read.length + 4}`));
  t.equal(await readUntil(again, 'three '), 'three ');
  await end();
  await write(14, 'late');
  t.equal(await readUntil(again), 'late', 'what is stored after the end comes as well');
  while (streams.counts().logs > 0) await new Promise(setImmediate);
  t.equal(await (await fetch(`${url}/stderr/?follow=true`)).text(), '', 'there is none');
});

t.test('logs: a follower waits for output that the agent has not sent when the execution ends', async (t) => {
  const { url, write, end } = await logWorld(t);
  await write(0, '0');
  const reader = readerOf(await fetch(`${url}/stdout/?follow=true`));
  await readUntil(reader, '0');
  await end();
  // Each pause is shorter than the silence that ends the answer, all of them together are longer.
  for (const piece of '12345678') {
    await pause(1_000);
    await write(Number(piece), piece);
    t.equal(await readUntil(reader, piece), piece);
  }
  t.equal(await readUntil(reader), '', 'silence ends it');
});

t.test('logs: an answer that ends before the output is broken off, not completed', async (t) => {
  const { url, write, streams } = await logWorld(t);
  await write(0, 'one ');
  const reader = readerOf(await fetch(`${url}/stdout/?follow=true`));
  await readUntil(reader, 'one ');
  streams.stop();
  await t.rejects(readUntil(reader));
  t.equal(streams.counts().logs, 0);
});

t.test('logs: a log that cannot be followed is refused', async (t) => {
  const { get, path } = await logWorld(t);
  const refusal = async (query: string) => {
    const { status, json } = await get(`${path}/${query}`);
    return [status, ...json.errors.map((one: { path: string }) => one.path)];
  };
  t.same(await refusal('combined/?follow=true&format=json&started=PT1H'), [
    400,
    'follow',
    'format',
    'started',
  ]);
  t.same(await refusal('combined/?offset=1'), [400, 'offset']);
  t.same(await refusal('stdout/?offset=-1&follow=x'), [400, 'follow', 'offset']);
  t.equal((await get('/v6/job-executions/999999/logs/stdout/?follow=true')).status, 404);
});

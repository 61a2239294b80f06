/** Output of tasks as it is kept and read again, however an agent cuts it when it sends it again. */
import t from 'tap';
import { openLog } from '../../../src/api/executions/log.ts';
import type { LogChunk } from '../../../src/domain/node/agent-messages.ts';
import { saveLogs } from '../../../src/store/log/save.ts';
import { makeStart, savedJob } from '../make.ts';
import { storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;

async function execution(): Promise<number> {
  const job = await savedJob(store);
  const start = await makeStart(store, job.id);
  await store.apply({ type: 'placeJobs', starts: [start] });
  return start.executionId;
}

const piece = (
  executionId: number,
  offset: number,
  text: string,
  over: Partial<LogChunk> = {},
): LogChunk => ({
  ...{ joinToken: '', nodeName: '', executionId, stream: 'stdout', offset, atMs: 1_000 },
  content: Buffer.from(text),
  ...over,
});

async function read(
  executionId: number,
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<string | null | undefined> {
  const signal = new AbortController().signal;
  const pieces = await openLog(sql, { executionId, stream, sinceMs: undefined, signal });
  if (pieces === null || pieces === undefined) return pieces;
  let text = '';
  for await (const one of pieces) text += one.text;
  return text;
}

t.test('logs: pieces are read in the order of their offsets', async (t) => {
  const id = await execution();
  await saveLogs(sql, [piece(id, 4, 'two\n')]);
  await saveLogs(sql, [piece(id, 0, 'one\n'), piece(id, 0, 'error\n', { stream: 'stderr' })]);
  t.equal(await read(id), 'one\ntwo\n');
  t.equal(await read(id, 'stderr'), 'error\n');
});

t.test('logs: a repeated piece changes nothing', async (t) => {
  const id = await execution();
  for (let times = 0; times < 3; times++) await saveLogs(sql, [piece(id, 0, 'one\n'), piece(id, 4, 'two\n')]);
  t.equal(await read(id), 'one\ntwo\n');
});

t.test('logs: a log that is sent again in larger pieces loses nothing and doubles nothing', async (t) => {
  const id = await execution();
  await saveLogs(sql, [piece(id, 0, 'ab'), piece(id, 2, 'cd'), piece(id, 4, 'ef')]);
  await saveLogs(sql, [piece(id, 0, 'abcdefgh\n')]);
  t.equal(await read(id), 'abcdefgh\n');
  await saveLogs(sql, [piece(id, 9, 'ij')]);
  await saveLogs(sql, [piece(id, 4, 'efgh\nij\n')]);
  t.equal(await read(id), 'abcdefgh\nij\n');
});

t.test('logs: a log that is sent again in smaller pieces loses nothing', async (t) => {
  const id = await execution();
  await saveLogs(sql, [piece(id, 0, 'abcdef\n')]);
  await saveLogs(sql, [piece(id, 0, 'abc'), piece(id, 3, 'def\n'), piece(id, 7, 'g\n')]);
  t.equal(await read(id), 'abcdef\ng\n');
});

t.test('logs: one set of pieces may hold the same piece twice', async (t) => {
  const id = await execution();
  await saveLogs(sql, [piece(id, 0, 'ab'), piece(id, 0, 'abc\n'), piece(id, 0, 'a')]);
  t.equal(await read(id), 'abc\n');
});

t.test('logs: pieces of unknown executions and streams are dropped, and others are kept', async (t) => {
  const id = await execution();
  await saveLogs(sql, [
    piece(999_999_999, 0, 'x'),
    piece(id, 0, 'x', { stream: 'other' }),
    piece(id, 0, 'kept\n'),
  ]);
  t.equal(await read(id), 'kept\n');
  t.equal(await read(999_999_999), undefined);
  t.equal(await read(id, 'stderr'), null);
  await saveLogs(sql, []);
});

t.test('logs: bytes that are not text are kept', async (t) => {
  const id = await execution();
  const content = Buffer.from([0, 255, 10, 128]);
  await saveLogs(sql, [piece(id, 0, '', { content })]);
  const row = await store.one<{ content: Buffer }>('select content from job_log where job_exe_id = $1', [id]);
  t.same(Buffer.from(row.content), content);
});

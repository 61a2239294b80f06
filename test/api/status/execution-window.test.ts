import t from 'tap';
import { BLOCK_MS, ExecutionWindow } from '../../../src/api/status/execution-window.ts';
import type { EndedCount } from '../../../src/store/status/facts.ts';

const START = 1_000 * BLOCK_MS;

/** Executions that end one every minute from the beginning of time, and what was read of them. */
function source() {
  const reads: number[] = [];
  let nowMs = START;
  const read = async (sinceMs: number): Promise<readonly EndedCount[]> => {
    reads.push(sinceMs / BLOCK_MS);
    const found: EndedCount[] = [];
    for (let block = sinceMs / BLOCK_MS; block * BLOCK_MS <= nowMs; block++) {
      const minutes = Math.min(5, Math.floor((nowMs - block * BLOCK_MS) / 60_000) + 1);
      found.push({ block, nodeId: 1, jobTypeId: 1, outcome: 'COMPLETED', count: minutes });
    }
    return found;
  };
  const window = new ExecutionWindow(read);
  const count = async (atMs: number) => {
    nowMs = atMs;
    return (await window.counts(atMs)).reduce((sum, one) => sum + one.count, 0);
  };
  return { reads, count };
}

t.test('execution window: the first reading goes back three hours, later ones minutes', async (t) => {
  const { reads, count } = source();

  t.equal(await count(START), 36 * 5 + 1);
  t.equal(await count(START + 60_000), 36 * 5 + 2);
  t.equal(await count(START + BLOCK_MS), 36 * 5 + 1, 'the window slides by blocks');

  t.strictSame(reads, [1_000 - 36, 1_000 - 1, 1_000 - 1]);
});

t.test('execution window: after a long pause all is read again, and nothing counts twice', async (t) => {
  const { reads, count } = source();
  await count(START);

  t.equal(await count(START + 20 * BLOCK_MS), 36 * 5 + 1);
  t.equal(await count(START + 500 * BLOCK_MS), 36 * 5 + 1);

  t.strictSame(reads, [964, 999, 1_500 - 36]);
});

t.test('execution window: an empty period is not read again', async (t) => {
  const since: number[] = [];
  const window = new ExecutionWindow(async (sinceMs) => {
    since.push(sinceMs);
    return [];
  });
  t.strictSame(await window.counts(START), []);
  t.strictSame(await window.counts(START + 1), []);
  t.strictSame(since, [START - 36 * BLOCK_MS, START - BLOCK_MS]);
});

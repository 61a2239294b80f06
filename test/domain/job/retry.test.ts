import t from 'tap';
import type { JobState } from '../../../src/domain/job/job.ts';
import { moveJob } from '../../../src/domain/job/job-move.ts';
import { givenBackPauseMs, retryPauseMs } from '../../../src/domain/job/retry.ts';
import { makeJobRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

t.test('retry: the backoff doubles with each execution, up to a minute', async (t) => {
  const pauses = [1, 2, 3, 6, 7, 50, 5_000].map(retryPauseMs);
  t.strictSame(pauses, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
  t.equal(retryPauseMs(0), 1_000);
  const before = (tries: number) =>
    Array.from({ length: tries - 1 }, (_, at) => retryPauseMs(at + 1)).reduce((sum, pause) => sum + pause, 0);
  t.equal(before(3), 3_000, 'docs/jobs.md says how long all tries take');
  t.equal(before(10), 243_000);
});

t.test('retry: a job that is given back again and again waits, up to ten seconds', async (t) => {
  t.strictSame([1, 2, 3, 4, 5, 50].map(givenBackPauseMs), [0, 0, 1_000, 2_000, 4_000, 10_000]);
});

t.test(
  'retry: a job waits after a failed execution, but not after a requeue; one that was given back keeps its place',
  async (t) => {
    const job = (): JobState => ({
      ...{
        id: 5,
        jobTypeId: 1,
        jobTypeRevId: 1,
        recipeId: null,
        recipeNode: null,
        recipeIds: [],
        batchId: null,
      },
      ...{ eventId: 1, configuration: null, isSuperseded: false, status: 'RUNNING', exeNum: 2, maxTries: 3 },
      ...{ source: null, input: { files: {}, json: {} }, output: null },
    });
    const around = {
      ...{ revision: makeJobRevision(), owner: { kind: 'job', key: 5 } as const, files: new Map() },
      ...{ workspaces: WORKSPACES, nowMs: 10_000 },
    };
    const failed = moveJob(job(), { type: 'taskFailed', exeNum: 2, isRetryable: true }, around);
    t.match(failed, { move: { queueing: { exeNum: 3, atMs: 10_000, notBeforeMs: 12_000 } } });
    t.match(failed?.queued?.entry, { queuedMs: 10_000, notBeforeMs: 12_000 });

    // It was requeued at number 6, which gave it three new tries, up to 9. Number 7 is the first of them.
    const requeued = { ...job(), exeNum: 7, maxTries: 9 };
    const first = moveJob(requeued, { type: 'taskFailed', exeNum: 7, isRetryable: true }, around);
    t.match(
      first?.queued?.entry,
      { exeNum: 8, notBeforeMs: 11_000 },
      'the backoff starts again from the shortest',
    );

    const given = (exeNum: number) =>
      moveJob({ ...job(), exeNum }, { type: 'taskNeverBegan', exeNum }, around)?.queued?.entry;
    t.equal(given(2)?.notBeforeMs, undefined, 'it was given back');
    t.match(given(3), { exeNum: 4, notBeforeMs: 11_000 }, 'it was given back once more');

    const waited = { ...job(), queuedMs: 3_000 };
    const back = moveJob(waited, { type: 'taskNeverBegan', exeNum: 2 }, around);
    t.match(back, { move: { queueing: { queuedMs: 3_000, atMs: 10_000 } } }, 'it keeps its place');
    t.equal(back?.queued?.entry.queuedMs, 3_000);
    t.equal(waited.queuedMs, 3_000);
    const again = { ...job(), queuedMs: 3_000 };
    const behind = moveJob(again, { type: 'taskFailed', exeNum: 2, isRetryable: true }, around);
    t.equal(behind?.queued?.entry.queuedMs, 10_000, 'a job that failed stands behind');
    t.equal(again.queuedMs, 10_000);

    const wished = moveJob(job(), { type: 'requeueRequested', addedTries: 3 }, around);
    t.match(wished, { move: { queueing: { exeNum: 3, atMs: 10_000 } } });
    t.notOk(wished?.queued?.entry.notBeforeMs);
  },
);

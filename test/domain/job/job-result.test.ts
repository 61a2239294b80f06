import t from 'tap';
import { BUILTIN_ERRORS } from '../../../src/domain/job/builtin-errors.ts';
import type { JobStatus } from '../../../src/domain/job/job.ts';
import { executionEndOf, judgeResult, registersNothing } from '../../../src/domain/job/job-result.ts';
import { errorOf, isRetryable } from '../../../src/domain/job/retry.ts';
import { makeResult } from '../../support/fakes/task-reports.ts';

const done = makeResult({ id: 5, jobId: 1, exeNum: 2 });
const failedWith = (name: string, isBuiltin = true) =>
  makeResult({ id: 5, jobId: 1, exeNum: 2 }, { outcome: 'failed', error: { name, isBuiltin, detail: '' } });
const judged = (status: JobStatus, exeNum = 2, result = done) => judgeResult({ status, exeNum }, result).type;

t.test('job result: a result of the current execution counts for a queued or running job', async (t) => {
  t.equal(judged('QUEUED'), 'completed');
  t.equal(judged('RUNNING'), 'completed');
  t.equal(judged('RUNNING', 2, failedWith('node-lost')), 'failed');
});

t.test(
  'job result: a result of another execution, or of a missing or otherwise ended job, is void',
  async (t) => {
    t.equal(judged('QUEUED', 3), 'void');
    t.equal(judged('COMPLETED', 3), 'void');
    for (const status of ['FAILED', 'CANCELED', 'PENDING', 'BLOCKED'] as const)
      t.equal(judged(status), 'void');
    t.equal(judgeResult(undefined, done).type, 'void');
  },
);

t.test(
  'job result: further results of a completed execution are repeats, so that its products are kept',
  async (t) => {
    t.equal(judged('COMPLETED'), 'repeated');
    t.equal(judged('COMPLETED', 2, failedWith('node-lost')), 'repeated');
  },
);

t.test('job result: a void execution ends as canceled without output', async (t) => {
  const output = { files: { OUT: [1] }, json: {} };
  t.match(executionEndOf(done, { type: 'completed' }, output, 9), { status: 'COMPLETED', output, atMs: 9 });
  t.match(executionEndOf(done, { type: 'void' }, output, 9), {
    status: 'CANCELED',
    output: null,
    error: null,
  });
});

t.test('job result: an execution that was given back registers nothing and has no error', async (t) => {
  const given = makeResult({ id: 5, jobId: 1, exeNum: 2 }, { outcome: 'canceled', neverBegan: true });
  t.equal(judged('RUNNING', 2, given), 'neverBegan');
  t.equal(judged('RUNNING', 3, given), 'void');
  t.equal(judged('COMPLETED', 2, given), 'repeated');
  t.equal(judged('RUNNING', 2, { ...given, outcome: 'failed' }), 'failed', 'what failed has begun');
  t.ok(registersNothing({ type: 'neverBegan' }));
  t.match(executionEndOf(given, { type: 'neverBegan' }, null, 9), {
    ...{ status: 'CANCELED', error: null, output: null },
  });
});

t.test('retry: only jobs with a retryable built-in error are tried again', async (t) => {
  t.ok(isRetryable(errorOf(failedWith('node-lost'))));
  t.notOk(isRetryable(errorOf(failedWith('timeout'))));
  t.notOk(isRetryable(errorOf(failedWith('missing-file'))));
  t.notOk(
    isRetryable(errorOf(failedWith('node-lost', false))),
    'an error of a job type may have the same name',
  );
});

t.test('retry: a built-in error that is not in the catalogue becomes the unknown error', async (t) => {
  t.match(errorOf(failedWith('from-the-future')), { name: 'unknown', isBuiltin: true });
  t.match(errorOf(makeResult(done as never, { outcome: 'failed' })), { name: 'unknown', isBuiltin: true });
  t.match(errorOf(makeResult(done as never, { outcome: 'canceled' })), { name: 'docker-terminated' });
  t.match(errorOf(failedWith('bad-pixels', false)), { name: 'bad-pixels', isBuiltin: false });
});

t.test('built-in errors: names are unique', async (t) => {
  t.equal(new Set(BUILTIN_ERRORS.map((error) => error.name)).size, BUILTIN_ERRORS.length);
  t.equal(BUILTIN_ERRORS.length, 31);
});

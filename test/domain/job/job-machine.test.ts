import fc from 'fast-check';
import t from 'tap';
import { JOB_STATUSES, type JobStatus } from '../../../src/domain/job/job.ts';
import { type JobEvent, type JobProgress, NEXT, transition } from '../../../src/domain/job/job-machine.ts';

const job = (over: Partial<JobProgress> = {}): JobProgress => {
  return { id: 1, status: 'QUEUED', exeNum: 1, maxTries: 3, isSuperseded: false, ...over };
};
const to = (over: Partial<JobProgress>, event: JobEvent): string => {
  const step = transition(job(over), event);
  return step.type === 'moved' ? `${step.to} ${step.exeNum}/${step.maxTries}` : 'ignored';
};
const failed = (exeNum: number, isRetryable = true): JobEvent => ({
  type: 'taskFailed',
  exeNum,
  isRetryable,
});
const REQUEUE: JobEvent = { type: 'requeueRequested', addedTries: 3 };
const CANCEL: JobEvent = { type: 'cancelRequested' };

t.test('job machine: a retryable failure is tried again while tries are left', async (t) => {
  t.equal(to({}, failed(1)), 'QUEUED 2/3');
  t.equal(to({ status: 'RUNNING', exeNum: 2 }, failed(2)), 'QUEUED 3/3');
});

t.test(
  'job machine: a failure is final without further tries, if not retryable, or if the job is superseded',
  async (t) => {
    t.equal(to({ exeNum: 3 }, failed(3)), 'FAILED 3/3');
    t.equal(to({ maxTries: 1 }, failed(1)), 'FAILED 1/1');
    t.equal(to({ maxTries: 0 }, failed(1)), 'FAILED 1/0');
    t.equal(to({}, failed(1, false)), 'FAILED 1/3');
    t.equal(to({ isSuperseded: true }, failed(1)), 'FAILED 1/3');
  },
);

t.test('job machine: an execution that never began costs no try', async (t) => {
  const neverBegan = (exeNum: number): JobEvent => ({ type: 'taskNeverBegan', exeNum });
  t.equal(to({ status: 'RUNNING' }, neverBegan(1)), 'QUEUED 2/4');
  t.equal(to({ status: 'RUNNING', exeNum: 3 }, neverBegan(3)), 'QUEUED 4/4');
  t.equal(to({ isSuperseded: true }, neverBegan(1)), 'QUEUED 2/4');
  t.equal(to({ exeNum: 2 }, neverBegan(1)), 'ignored');
  for (const status of ['PENDING', 'BLOCKED', 'FAILED', 'COMPLETED', 'CANCELED'] as const)
    t.equal(to({ status }, neverBegan(1)), 'ignored', status);
});

t.test('job machine: the end of another execution is ignored', async (t) => {
  t.equal(to({ exeNum: 2 }, failed(1)), 'ignored');
  t.equal(to({ exeNum: 2 }, { type: 'taskCompleted', exeNum: 1 }), 'ignored');
  t.equal(to({ exeNum: 1 }, { type: 'taskCompleted', exeNum: 2 }), 'ignored');
});

t.test('job machine: the end of an execution is ignored unless the job is queued or running', async (t) => {
  for (const status of ['PENDING', 'BLOCKED', 'FAILED', 'COMPLETED', 'CANCELED'] as const) {
    t.equal(to({ status }, { type: 'taskCompleted', exeNum: 1 }), 'ignored', status);
    t.equal(to({ status }, failed(1)), 'ignored', status);
  }
});

t.test('job machine: every job that is not complete or canceled can be canceled', async (t) => {
  for (const status of ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED'] as const) {
    t.equal(to({ status }, CANCEL), 'CANCELED 1/3', status);
  }
  t.equal(to({ status: 'COMPLETED' }, CANCEL), 'ignored');
  t.equal(to({ status: 'CANCELED' }, CANCEL), 'ignored');
});

t.test('job machine: a requeue raises the execution number and adds tries', async (t) => {
  for (const status of ['QUEUED', 'RUNNING', 'FAILED', 'CANCELED'] as const) {
    t.equal(to({ status, exeNum: 3 }, REQUEUE), 'QUEUED 4/6', status);
  }
});

t.test(
  'job machine: a requeue ignores jobs that wait, are complete or superseded, or failed without input',
  async (t) => {
    for (const status of ['PENDING', 'BLOCKED', 'COMPLETED'] as const)
      t.equal(to({ status }, REQUEUE), 'ignored');
    t.equal(to({ status: 'FAILED', isSuperseded: true }, REQUEUE), 'ignored');
    t.equal(to({ status: 'FAILED', exeNum: 0 }, REQUEUE), 'ignored');
  },
);

t.test(
  'job machine: a requeue of a job that was canceled before it was queued makes it pending',
  async (t) => {
    t.equal(to({ status: 'CANCELED', exeNum: 0 }, REQUEUE), 'PENDING 0/3');
  },
);

t.test('job machine: a move of a queued job also expects a running row', async (t) => {
  const step = transition(job(), CANCEL);
  t.same(step.type === 'moved' && step.from, ['QUEUED', 'RUNNING']);
});

t.test(
  'job machine: random events cause only moves of the table, and each queueing has a new execution number',
  async (t) => {
    const events = fc.oneof(
      fc.record({ type: fc.constant('taskCompleted' as const), exeNum: fc.nat({ max: 5 }) }),
      fc.record({
        type: fc.constant('taskFailed' as const),
        exeNum: fc.nat({ max: 5 }),
        isRetryable: fc.boolean(),
      }),
      fc.record({ type: fc.constant('taskNeverBegan' as const), exeNum: fc.nat({ max: 5 }) }),
      fc.record({ type: fc.constant('blocked' as const), isBlocked: fc.boolean() }),
      fc.constantFrom<JobEvent>({ type: 'inputReady' }, { type: 'inputInvalid' }, CANCEL, REQUEUE),
    );
    const property = fc.property(fc.constantFrom(...JOB_STATUSES), fc.array(events), (status, list) => {
      let state = job({ status, exeNum: status === 'PENDING' || status === 'BLOCKED' ? 0 : 1 });
      for (const event of list) {
        const step = transition(state, event);
        if (step.type === 'ignored') continue;
        const allowed: readonly JobStatus[] = NEXT[state.status];
        if (!allowed.includes(step.to) || step.exeNum < state.exeNum)
          throw new Error(`${state.status} ${step.to}`);
        if (step.to === 'QUEUED' && step.exeNum !== state.exeNum + 1)
          throw new Error('a number queued twice');
        state = { ...state, ...step, status: step.to };
      }
    });
    t.doesNotThrow(() => fc.assert(property, { numRuns: 1_000 }));
  },
);

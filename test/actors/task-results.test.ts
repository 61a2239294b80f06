/** What owners of jobs tell others after the commit of a report. */
import t from 'tap';
import { acknowledge, announcementOf, announceQueued } from '../../src/actors/task-results.ts';
import type { PhaseTime, TaskResult } from '../../src/domain/task/task-result.ts';
import { makeResult } from '../support/fakes/task-reports.ts';

const phase = (name: PhaseTime['phase'], startedMs: number, endedMs: number | null): PhaseTime => ({
  ...{ phase: name, startedMs, endedMs, exitCode: 0, isTimedOut: false },
});
const PHASES = [phase('pre', 1_000, 1_002), phase('main', 1_002, 1_007)];

/** What the scheduler hears of the end. */
function told(over: Partial<TaskResult>) {
  const result = makeResult({ id: 5, jobId: 1, exeNum: 1 }, over);
  const effects = acknowledge([{ result, nodeId: 2, spoolId: 3 }], new Set());
  const [item] = effects.flatMap((effect) => {
    const { message } = effect as { readonly message?: { readonly type: string; readonly items: object[] } };
    return message?.type === 'ended' ? message.items : [];
  });
  return item;
}

t.test('task results: the scheduler hears how long completed tasks took', async (t) => {
  const end = { executionId: 5, nodeId: 2 };
  t.strictSame(told({ phases: PHASES }), { ...end, tookMs: 7 });
  t.strictSame(told({ outcome: 'canceled', neverBegan: true }), { ...end, neverBegan: true });
  for (const outcome of ['failed', 'canceled'] as const)
    t.strictSame(told({ outcome, phases: PHASES }), end, `${outcome} says nothing of the others`);
  const unknown = {
    'no phase': [],
    'without an end': [phase('main', 1_000, null)],
    'a clock that stepped back': [phase('main', 1_000, 999)],
    'no number': [phase('main', 1_000, Number.NaN)],
  };
  for (const [name, phases] of Object.entries(unknown)) t.strictSame(told({ phases }), end, name);
});

const queued = (jobId: number, notBeforeMs?: number) => ({
  ...{ jobId, exeNum: 1, priority: 100, queuedMs: 0, owner: { kind: 'job', key: jobId } as const },
  ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
  class: { key: 'a', jobTypeId: 1, resources: {}, executor: 'docker', workspaceIds: [] },
});
/** The kind of each effect, and the jobs that it names. */
const heard = (announce: typeof announceQueued, ...jobs: ReturnType<typeof queued>[]) =>
  announce(jobs).map((effect) => {
    const { type, message } = effect as { type: string; message: { jobs: readonly { jobId: number }[] } };
    return [type, ...message.jobs.map(({ jobId }) => jobId)];
  });

t.test(
  'task results: jobs that have to wait before their next try are announced and not hinted',
  async (t) => {
    t.strictSame(heard(announceQueued), []);
    t.strictSame(heard(announceQueued, queued(1), queued(2, 5_000)), [
      ['hint', 1],
      ['tell', 1, 2],
    ]);
    t.strictSame(heard(announceQueued, queued(2, 5_000)), [['tell', 2]]);
  },
);

t.test(
  'task results: jobs whose commit saves the answer to their request are announced after it',
  async (t) => {
    const key = { accountId: 1, key: 'once', fingerprint: '' };
    const answer = { key, status: 201, location: null, warning: null, record: null };
    t.strictSame(heard(announcementOf({ answer }), queued(1)), [['tell', 1]]);
    t.strictSame(heard(announcementOf({}), queued(1)), [
      ['hint', 1],
      ['tell', 1],
    ]);
  },
);

/** Reports of an agent are checked before they are stored. */
import t from 'tap';
import type { TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import { taskResultOf } from '../../../src/domain/task/task-report.ts';

const UPDATE = {
  type: 'taskUpdate',
  ...{ spoolId: 1, executionId: 2, jobId: 3, exeNum: 1, owner: 'job/3', outcome: 'COMPLETED' },
  phases: [
    { phase: 'main', startedMs: 5, endedMs: 0, timedOut: false },
    { phase: 'of another version', startedMs: 5, endedMs: 6, timedOut: false },
  ],
  outputs: [],
  jsonOutputs: '{"COUNT": 3}',
  parsedInputs: [],
} as unknown as TaskUpdate;

t.test(
  'task report: a report that can be stored is accepted, without phases of other versions',
  async (t) => {
    const result = taskResultOf(UPDATE);
    t.match(result, { outcome: 'completed', error: null, jsonOutputs: { COUNT: 3 } });
    t.strictSame(
      result.phases.map(({ phase, endedMs }) => [phase, endedMs]),
      [['main', null]],
    );
  },
);

t.test('task report: an execution was given back only if it has no phase', async (t) => {
  t.equal(taskResultOf({ ...UPDATE, phases: [], neverBegan: true }).neverBegan, true);
  t.equal(taskResultOf({ ...UPDATE, neverBegan: true }).neverBegan, undefined);
});

t.test('task report: values that cannot be stored make the report a failure', async (t) => {
  const unfit = [
    String.raw`{"TEXT": "a\u0000"}`,
    String.raw`{"TEXT": "\ud800"}`,
    String.raw`{"MAP": {"\udfff": 1}}`,
    '{"NUMBER": 1e999}',
    `{"MANY": ${'['.repeat(70)}${']'.repeat(70)}}`,
  ];
  for (const jsonOutputs of unfit) {
    const result = taskResultOf({ ...UPDATE, jsonOutputs });
    t.match(
      result,
      { outcome: 'failed', error: { name: 'invalid-results-manifest', isBuiltin: true } },
      jsonOutputs.slice(0, 40),
    );
    t.strictSame(result.jsonOutputs, {});
  }
});

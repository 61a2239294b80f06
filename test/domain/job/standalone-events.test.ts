import t from 'tap';
import type { JobState } from '../../../src/domain/job/job.ts';
import { StandaloneChanges } from '../../../src/domain/job/standalone-events.ts';
import type { TaskResult } from '../../../src/domain/task/task-result.ts';
import { makeOutput, makeResult } from '../../support/fakes/task-reports.ts';
import { makeFile, makeJobRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const revision = makeJobRevision();

function turnOf(over: Partial<JobState> = {}): StandaloneChanges {
  const job: JobState = {
    ...{
      id: 1,
      jobTypeId: revision.jobTypeId,
      jobTypeRevId: revision.jobTypeRevId,
      recipeId: null,
      recipeNode: null,
    },
    ...{
      recipeIds: [],
      batchId: null,
      eventId: 1,
      configuration: null,
      isSuperseded: false,
      status: 'RUNNING',
    },
    ...{ exeNum: 1, maxTries: 3, output: null, source: null, input: { files: { IN: [1] }, json: {} } },
    ...over,
  };
  const files = new Map([
    [1, makeFile({ id: 1, fileType: 'SOURCE', sourceStartedMs: null, dataStartedMs: null })],
  ]);
  let id = 50;
  return new StandaloneChanges(
    { job, revision, files, workspaces: WORKSPACES },
    { nowMs: 99, newId: () => id++ },
  );
}

const metadata = {
  type: 'Feature',
  properties: { dataStarted: '1970-01-01T00:00:01Z', dataEnded: '1970-01-01T00:00:02Z', sourceSensor: 's' },
};
const told = (over: Partial<TaskResult> = {}): TaskResult =>
  makeResult(
    { id: 9, jobId: 1, exeNum: 1 },
    { parsedInputs: [{ input: 'IN', fileId: 1, metadata }], outputs: [makeOutput('OUT', 'a')], ...over },
  );

t.test(
  'standalone job: data that it parsed of its source are saved with its end and inherited by its products',
  async (t) => {
    const turn = turnOf();
    turn.settle([told()]);
    const changes = turn.toChanges();
    t.strictSame(
      changes.map(({ type }) => type),
      ['moveJobs', 'endExecutions', 'parseSources', 'createProducts'],
    );
    t.match(changes[2], {
      sources: [{ fileId: 1, jobId: 1, dataStartedMs: 1_000, dataEndedMs: 2_000, sensor: 's' }],
    });
    t.match(changes[3], { products: [{ sourceStartedMs: 1_000, sourceEndedMs: 2_000, sourceSensor: 's' }] });
    t.match(turn.state.job.source, { startedMs: 1_000, endedMs: 2_000, sensor: 's' });
  },
);

t.test(
  'standalone job: failed, void and repeated executions save no parsed data and no products',
  async (t) => {
    const error = { name: 'unknown', isBuiltin: true, detail: '' };
    const cases: [Partial<JobState>, Partial<TaskResult>][] = [
      [{}, { outcome: 'failed', error }],
      [{ exeNum: 2 }, {}],
      [{ status: 'CANCELED' }, {}],
      [{ status: 'COMPLETED' }, {}],
    ];
    for (const [job, result] of cases) {
      const turn = turnOf(job);
      turn.settle([told(result)]);
      t.notOk(
        turn.toChanges().some(({ type }) => type === 'parseSources' || type === 'createProducts'),
        JSON.stringify({ job, outcome: result.outcome }),
      );
    }
  },
);

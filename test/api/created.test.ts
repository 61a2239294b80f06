/** What creates are answered, where a node takes up what was made before the answer is read. */
import t from 'tap';
import { makeEnd, makeExecutionEnd, makeStart } from '../store/make.ts';
import { jobTypeBody, processingWorld } from '../support/worlds/processing-world.ts';

t.test('jobs: POST answers with the committed job, even if it runs or has ended by then', async (t) => {
  const world = await processingWorld(t);
  const type = (await world.post('/v6/job-types/', jobTypeBody())).json;
  const fileId = await world.file({ size: 1, fileName: 'in.txt' });
  const body = { job_type_id: type.id, input: { files: { INPUT_TEXT: [fileId] } } };
  const plain = (await world.post('/v6/jobs/', body)).json;
  const { store } = world;
  const runs = async (jobId: number) => {
    const start = await makeStart(store, jobId);
    await store.apply({ type: 'startExecutions', starts: [start] });
    return start;
  };
  world.afterSave = async (jobId) => void (await runs(jobId));
  const running = (await world.post('/v6/jobs/', body)).json;
  world.afterSave = async (jobId) => {
    const { executionId } = await runs(jobId);
    await store.apply(
      { type: 'moveJobs', moves: [makeEnd(jobId)] },
      { type: 'endExecutions', ends: [makeExecutionEnd(executionId)] },
    );
  };
  const ended = (await world.post('/v6/jobs/', body)).json;

  t.equal((await world.get(`/v6/jobs/${running.id}/`)).json.status, 'RUNNING');
  t.equal((await world.get(`/v6/jobs/${ended.id}/`)).json.status, 'COMPLETED');
  for (const { id, event, ...answered } of [running, ended]) {
    t.strictSame({ id: plain.id, event: plain.event, ...answered }, plain, `${id} and ${event.id}`);
  }
});

import t from 'tap';
import { reservePath } from '../../../src/store/file/reserved-paths.ts';
import { unrecordedPaths } from '../../../src/store/file/unrecorded.ts';
import { makeEnd, makeExecutionEnd, makeProduct, makeSource, makeStart, savedJob } from '../make.ts';
import { storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { sql, ids } = { sql: world.db.sql, ids: world.ids };
const OUT = '00000000-0000-4000-8000-000000000002';

async function running(): Promise<{ readonly jobId: number; readonly executionId: number }> {
  const { id: jobId } = await savedJob(world);
  const start = await makeStart(world, jobId);
  await world.apply({ type: 'startExecutions', starts: [start] });
  return { jobId, executionId: start.executionId };
}

/** Ends the execution with a product at the path. */
async function end(
  { jobId, executionId }: Awaited<ReturnType<typeof running>>,
  filePath: string,
): Promise<void> {
  await world.apply(
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId, { status: 'COMPLETED' })] },
    { type: 'moveJobs', moves: [makeEnd(jobId, { to: 'COMPLETED' })] },
    { type: 'createProducts', products: [await makeProduct(world, { jobId, executionId, filePath })] },
  );
}

const unrecorded = async (...paths: readonly string[]): Promise<readonly string[]> =>
  [...(await unrecordedPaths(sql, ids.out, paths))].sort();
const usual = (executionId: number) =>
  `jobs/t/1.0.0/unknown_source_data_time/2026/11/28/job_exe_${executionId}/a`;

t.test('unrecorded: a recorded source is not among them, and one in another workspace is', async (t) => {
  const here = await makeSource(world, { workspaceId: ids.out, filePath: 'in/here' });
  const gone = await makeSource(world, { workspaceId: ids.out, filePath: 'in/gone' });
  const elsewhere = await makeSource(world, { workspaceId: ids.in, filePath: 'in/elsewhere' });
  await world.apply({ type: 'createSourceFiles', files: [here, gone, elsewhere] });
  await world.rows('update file set is_deleted = true where id = $1', [gone.id]);
  t.same(await unrecorded('in/here', 'in/gone', 'in/elsewhere', 'in/nobody'), [
    ...['in/elsewhere', 'in/gone', 'in/nobody'],
  ]);
  t.same(await unrecorded(), []);
});

t.test('unrecorded: products of running executions count as recorded, and superseded ones are', async (t) => {
  const [usualOne, ownOne] = [await running(), await running()];
  const [usualPath, ownPath] = [usual(usualOne.executionId), 'own/product'];
  await reservePath(sql, {
    ...{ joinToken: '', executionId: ownOne.executionId, workspaceUuid: OUT, path: ownPath, foundProof: '' },
    ...{ proof: '1.1', size: 6, sha256: 'b'.repeat(64) },
  });
  t.same(await unrecorded(usualPath, ownPath), [], 'they are being made');
  await end(usualOne, usualPath);
  await end(ownOne, ownPath);
  await world.rows('update file set is_superseded = true where job_id = any($1)', [
    [usualOne.jobId, ownOne.jobId],
  ]);
  t.same(await unrecorded(usualPath, ownPath), []);
  await world.rows('update file set is_deleted = true where job_id = any($1)', [
    [usualOne.jobId, ownOne.jobId],
  ]);
  t.same(await unrecorded(usualPath, ownPath), [usualPath, ownPath].sort());
});

t.test('unrecorded: a path of an ended or unknown execution that recorded nothing there is', async (t) => {
  const ended = await running();
  await end(ended, 'own/other');
  const paths = [usual(ended.executionId), usual(2 ** 41)];
  t.same(await unrecorded(...paths), [...paths].sort());
});

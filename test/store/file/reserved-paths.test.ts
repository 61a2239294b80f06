import t from 'tap';
import type { PathRequest } from '../../../src/domain/node/agent-messages.ts';
import { findPathPlace } from '../../../src/store/file/list.ts';
import { reservePath } from '../../../src/store/file/reserved-paths.ts';
import { ownProducts } from '../../../src/store/file/task-products.ts';
import { removeJobParts, removeJobs } from '../../../src/store/retention/row-removal.ts';
import {
  makeArrival,
  makeEnd,
  makeExecutionEnd,
  makeProduct,
  makeSource,
  makeStart,
  savedJob,
} from '../make.ts';
import { storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { sql } = world.db;
const OUT = '00000000-0000-4000-8000-000000000002';

async function running(): Promise<{ readonly jobId: number; readonly executionId: number }> {
  const { id: jobId } = await savedJob(world);
  const start = await makeStart(world, jobId);
  await world.apply({ type: 'startExecutions', starts: [start] });
  return { jobId, executionId: start.executionId };
}

function asked(executionId: number, over: Partial<PathRequest> = {}): PathRequest {
  return {
    ...{ joinToken: '', executionId, workspaceUuid: OUT, path: 'own/a', foundProof: '' },
    ...{ proof: `${executionId}.1`, size: 6, sha256: 'b'.repeat(64) },
    ...over,
  };
}

async function end(
  { jobId, executionId }: { jobId: number; executionId: number },
  filePath?: string,
): Promise<void> {
  const isDone = filePath !== undefined;
  const status = isDone ? 'COMPLETED' : 'FAILED';
  await world.apply(
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId, { status })] },
    { type: 'moveJobs', moves: [makeEnd(jobId, { to: status })] },
    ...(isDone
      ? [
          {
            type: 'createProducts',
            products: [await makeProduct(world, { jobId, executionId, filePath })],
          } as const,
        ]
      : []),
  );
}

t.test('reserved paths: of many concurrent requests one gets the path', async (t) => {
  const all = await Promise.all(Array.from({ length: 8 }, () => running()));
  const path = 'own/wanted';
  const given = await Promise.all(
    all.map(({ executionId }) => reservePath(sql, asked(executionId, { path }))),
  );
  const verdicts = given.map(({ verdict }) => verdict);
  t.strictSame(
    verdicts.filter((one) => one !== 'taken'),
    ['reserved'],
  );
  const winner = all[verdicts.indexOf('reserved')];
  t.match(await world.one('select * from reserved_path where file_path = $1', [path]), {
    ...{ job_id: winner?.jobId, job_exe_id: winner?.executionId, proof: `${winner?.executionId}.1` },
  });
});

t.test(
  'reserved paths: a recorded product keeps its path, superseded or not, until it is deleted',
  async (t) => {
    const first = await running();
    t.equal((await reservePath(sql, asked(first.executionId))).verdict, 'reserved');
    await end(first, 'own/a');
    const source = await makeSource(world, { filePath: 'notes.txt' });
    await world.apply({ type: 'createSourceFiles', files: [source] });
    await world.rows(`insert into job_input_file values (${first.jobId}, 'TEXT', ${source.id})`);
    const second = await running();
    t.match(await reservePath(sql, asked(second.executionId)), {
      ...{ verdict: 'taken', reason: `it is the product of job ${first.jobId} from ${source.fileName}` },
    });
    t.equal((await reservePath(sql, asked(first.executionId))).verdict, 'over', 'it has ended');
    await world.rows('update file set is_superseded = true where job_id = $1', [first.jobId]);
    t.equal((await reservePath(sql, asked(second.executionId))).verdict, 'taken');
    t.ok((await findPathPlace(sql, 'out', 'own/a'))?.file, 'a superseded product is found at its path');
    await world.rows('update file set is_deleted = true where job_id = $1', [first.jobId]);
    t.equal((await reservePath(sql, asked(second.executionId))).verdict, 'reserved');
    t.equal((await reservePath(sql, asked(second.executionId))).verdict, 'reserved', 'a repeat');
  },
);

t.test('reserved paths: a path that another recorded file has is refused', async (t) => {
  const source = await makeSource(world, { workspaceId: world.ids.out, filePath: 'own/source' });
  await world.apply({ type: 'createSourceFiles', files: [source] });
  const { executionId } = await running();
  const answer = await reservePath(sql, asked(executionId, { path: 'own/source' }));
  t.match(answer, { verdict: 'taken', reason: `file ${source.id} is recorded there` });
});

t.test('reserved paths: unknown executions and workspaces get no path', async (t) => {
  const { executionId } = await running();
  t.equal((await reservePath(sql, asked(2 ** 40))).verdict, 'over');
  const workspaceUuid = '99999999-0000-4000-8000-000000000002';
  t.equal((await reservePath(sql, asked(executionId, { workspaceUuid }))).verdict, 'over');
});

t.test(
  'reserved paths: a file at the path is a product while its execution runs, and once it is recorded',
  async (t) => {
    const work = await running();
    const path = 'own/seen';
    const arrival = await makeArrival(world, { workspaceId: world.ids.out, filePath: path, size: 6 });
    const isProduct = async (size = 6) => (await ownProducts(sql, [{ ...arrival, size }])).size === 1;
    t.notOk(await isProduct(), 'nobody has reserved it');
    await reservePath(sql, asked(work.executionId, { path }));
    t.ok(await isProduct());
    await end(work, path);
    t.ok(await isProduct());
    await world.rows('update file set is_superseded = true where job_id = $1', [work.jobId]);
    t.ok(await isProduct(), 'superseded');
    t.notOk(await isProduct(7), 'another content');
    const failed = await running();
    await reservePath(sql, asked(failed.executionId, { path: 'own/failed' }));
    await end(failed);
    t.equal((await ownProducts(sql, [{ ...arrival, filePath: 'own/failed' }])).size, 0);
  },
);

t.test('reserved paths: they are removed with their job', async (t) => {
  const [kept, gone] = [await running(), await running()];
  await reservePath(sql, asked(kept.executionId, { path: 'own/kept' }));
  await reservePath(sql, asked(gone.executionId, { path: 'own/gone' }));
  await end(gone);
  await removeJobParts(sql, [gone.jobId]);
  await removeJobs(sql, [gone.jobId]);
  const left = await world.rows<{ file_path: string }>(
    'select file_path from reserved_path where job_id = any($1::bigint[])',
    [[kept.jobId, gone.jobId]],
  );
  t.strictSame(left, [{ file_path: 'own/kept' }]);
});

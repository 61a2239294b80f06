import t from 'tap';
import { dropOldLogs, extendLogs, removeStrayLogs } from '../../../src/store/log/partitions.ts';
import { saveLogs } from '../../../src/store/log/save.ts';
import { LOG_PARTITION } from '../../../src/store/migrations/0001-tables.ts';
import { makeExecutionEnd, makeStart, savedJob } from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';

async function saidBy(store: StoreWorld, executionId: number): Promise<void> {
  const job = await savedJob(store);
  await store.apply({ type: 'placeJobs', starts: [await makeStart(store, job.id, { executionId })] });
  await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(executionId)] });
  const chunk = { joinToken: '', nodeName: '', executionId, stream: 'stdout', offset: 0, atMs: NOW };
  await saveLogs(store.db.sql, [{ ...chunk, content: Buffer.from('said') }]);
}

const placeOf = async (store: StoreWorld, executionId: number): Promise<unknown> =>
  (
    await store.rows<{ place: string }>(
      'select tableoid::regclass::text as place from job_log where job_exe_id = $1',
      [executionId],
    )
  )[0]?.place;

t.test('logs: partitions are created ahead of the ids that are given out', async (t) => {
  const store = await storeWorld(t);
  await saidBy(store, 5);
  t.equal(await placeOf(store, 5), 'job_log_0');
  const far = 10 * LOG_PARTITION + 7;
  await saidBy(store, far);
  t.equal(await placeOf(store, far), 'job_log_default', 'nothing is lost where none is ready');
  await store.rows(`select setval('job_exe_id_seq', $1)`, [far]);
  await extendLogs(store.db.sql);
  t.equal(await placeOf(store, far), `job_log_${10 * LOG_PARTITION}`, 'it comes along');
  await extendLogs(store.db.sql);
  await saidBy(store, far + 3 * LOG_PARTITION);
  t.equal(await placeOf(store, far + 3 * LOG_PARTITION), `job_log_${13 * LOG_PARTITION}`);
});

t.test('logs: a partition is dropped whole once all its executions ended long ago', async (t) => {
  const store = await storeWorld(t);
  const { sql } = store.db;
  await saidBy(store, 5);
  await saidBy(store, LOG_PARTITION + 5);
  const later = NOW + 1_000;
  t.notOk(await dropOldLogs(sql, later), 'ids of the range are still given out');
  await store.rows(`select setval('job_exe_id_seq', $1)`, [LOG_PARTITION + 9]);
  t.notOk(await dropOldLogs(sql, NOW - 1_000), 'one ended since');
  const job = await savedJob(store);
  await store.apply({ type: 'placeJobs', starts: [await makeStart(store, job.id, { executionId: 6 })] });
  t.notOk(await dropOldLogs(sql, later), 'one runs');
  await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(6)] });
  t.ok(await dropOldLogs(sql, later));
  t.equal(await placeOf(store, 5), undefined);
  t.equal(await placeOf(store, LOG_PARTITION + 5), `job_log_${LOG_PARTITION}`);
  t.notOk(await dropOldLogs(sql, later), 'the next is still in use');

  await saidBy(store, 7);
  t.equal(await placeOf(store, 7), 'job_log_default', 'who comes late is heard all the same');
  await removeStrayLogs(sql, NOW);
  t.equal(await placeOf(store, 7), 'job_log_default');
  await removeStrayLogs(sql, NOW + 1);
  t.equal(await placeOf(store, 7), undefined);
});

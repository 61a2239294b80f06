/** What is asked of the same jobs in another way comes after requests for many jobs that were answered before. */
import t from 'tap';
import {
  afterRequestsForChain,
  afterRequestsForScan,
  afterRequestsForStrike,
} from '../../../src/api/shared/earlier-requests.ts';
import { type JobChoice, PASSED_ALL } from '../../../src/domain/job/job-request.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { heldChains, isScanHeld, isStrikeHeld } from '../../../src/store/job-request/open-requests.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { savedJob, savedRecipe } from '../../store/make.ts';
import { NOW, SCAN_CONFIGURATION, STRIKE_CONFIGURATION, storeWorld } from '../../store/store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

const ANY: JobChoice = {
  ...{ startedMs: null, endedMs: null, status: null, jobIds: [], jobTypeIds: [], jobTypeNames: [] },
  ...{ batchIds: [], recipeIds: [], errorCategories: [], errorIds: [], isSuperseded: null },
};

async function begun(choice: Partial<JobChoice>) {
  const id = await store.newId('job_request');
  const request = {
    id,
    shard: 1,
    action: 'cancel',
    choice: { ...ANY, ...choice },
    priority: null,
    revision: null,
    atMs: NOW,
  } as const;
  await store.apply({ type: 'createJobRequests', requests: [request] });
  const move = (
    beforeId: number,
    isDone: boolean,
    added: readonly number[] = [],
    settled: readonly number[] = [],
  ) =>
    store.apply({
      ...{ type: 'advanceJobRequest', requestId: id, beforeId, isDone, settled, atMs: NOW },
      added: added.map((jobId) => ({ jobId, isChosen: true })),
    });
  return { move, end: () => move(PASSED_ALL, true) };
}

/** Whether it resolves only after `end`. */
async function waits(call: Promise<void>, end: () => Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const over = call.then(() => {
    isOver = true;
  });
  // It has looked at least once when another statement of the same pool has been answered several times.
  for (let at = 0; at < 5; at++) await sql.execute('select pg_sleep(0.02)');
  const hasWaited = !isOver;
  await end();
  await over;
  return hasWaited;
}

t.test('earlier requests: a chain of recipes waits for those that may choose its jobs', async (t) => {
  const recipe = await savedRecipe(store);
  const inRecipe = { recipeId: recipe.id, recipeNode: 'A', recipeIds: [recipe.id] };
  const job = await savedJob(store, { ...inRecipe, owner: { kind: 'recipe', key: recipe.id } });
  const other = await savedJob(store, { jobTypeId: store.ids.type2 });
  const isHeld = async () => (await heldChains(sql, [recipe.id])).has(recipe.id);
  t.equal(await isHeld(), false, 'none is open');

  const choices: Partial<JobChoice>[] = [
    { jobIds: [job.id] },
    { jobTypeIds: [store.ids.type] },
    { jobTypeNames: ['type-a'] },
    { recipeIds: [recipe.id] },
    { status: 'RUNNING' },
  ];
  for (const choice of choices) {
    const { end } = await begun(choice);
    t.equal(await isHeld(), true, JSON.stringify(choice));
    t.equal(await waits(afterRequestsForChain(sql, recipe.id), end), true);
    t.equal(await isHeld(), false);
  }
  const others: Partial<JobChoice>[] = [
    { jobIds: [other.id] },
    { jobTypeIds: [store.ids.type2] },
    { jobTypeNames: ['type-b'] },
    { batchIds: [4] },
  ];
  for (const choice of others) {
    const { end } = await begun(choice);
    t.equal(await isHeld(), false, JSON.stringify(choice));
    await end();
  }
  const passing = await begun({ jobIds: [job.id] });
  await passing.move(job.id, false);
  t.equal(await isHeld(), false, 'it has come past');
  await passing.move(PASSED_ALL, false, [job.id]);
  t.equal(await isHeld(), true, 'the job is in its backlog');
  await passing.move(PASSED_ALL, true, [], [job.id]);
});

t.test('earlier requests: strikes and scans wait for those that name jobs or types', async (t) => {
  const about = { title: 'S', description: '', workspaceId: store.ids.in, nowMs: NOW };
  const strike = await createStrike(sql, { ...about, configuration: STRIKE_CONFIGURATION });
  const scan = await createScan(sql, { ...about, configuration: SCAN_CONFIGURATION });
  const { job_id: ofStrike } = await store.one<{ job_id: number }>(
    'select job_id from strike where id = $1',
    [strike],
  );
  const { job_id: ofScan } = await store.one<{ job_id: number }>('select job_id from scan where id = $1', [
    scan,
  ]);
  const { id: jobTypeId } = await store.one<{ id: number }>(
    `select id from job_type where name = 'millrace-ingest'`,
  );
  const ingest = await savedJob(store, { owner: { kind: 'scan', key: scan } });

  const everything = await begun({ status: 'QUEUED' });
  t.equal(await isStrikeHeld(sql, strike), false, 'system jobs are not meant');
  t.equal(await isScanHeld(sql, scan), false);
  await everything.end();

  for (const choice of [{ jobIds: [ofStrike] }, { jobTypeNames: ['millrace-strike'] }]) {
    const { end } = await begun(choice);
    t.equal(await isScanHeld(sql, scan), false);
    t.equal(await waits(afterRequestsForStrike(sql, strike), end), true);
  }
  for (const choice of [{ jobIds: [ofScan] }, { jobTypeNames: ['millrace-scan'] }, { jobIds: [ingest.id] }]) {
    const { end } = await begun(choice);
    t.equal(await isStrikeHeld(sql, strike), false);
    t.equal(await waits(afterRequestsForScan(sql, scan), end), true);
  }

  const whole = [{ jobTypeNames: ['millrace-ingest'] }, { jobTypeIds: [jobTypeId] }];
  for (const choice of whole) {
    const { end } = await begun(choice);
    t.equal(await isScanHeld(sql, scan), false, 'it has no ingests yet');
    await end();
  }
  await store.rows(
    `insert into ingest (scan_id, job_id, file_name, file_path, media_type, status, workspace_id, created,
       last_modified)
     values ($1, $2, 'a', 'a', 'text/plain', 'INGESTED', $3, now(), now())`,
    [scan, ingest.id, store.ids.in],
  );
  for (const choice of whole) {
    const { end } = await begun(choice);
    t.equal(await isStrikeHeld(sql, strike), false);
    t.equal(await waits(afterRequestsForScan(sql, scan), end), true, JSON.stringify(choice));
  }
  const others = [{ jobIds: [4] }, { batchIds: [4] }, { recipeIds: [4] }];
  for (const other of others) {
    const { end } = await begun({ jobTypeNames: ['millrace-ingest'], ...other });
    t.equal(await isScanHeld(sql, scan), false, JSON.stringify(other));
    await end();
  }
  const passing = await begun({ jobTypeNames: ['millrace-ingest'] });
  await passing.move(PASSED_ALL, false, []);
  t.equal(await isScanHeld(sql, scan), false, 'it has come past all');
  await passing.move(PASSED_ALL, false, [ingest.id]);
  t.equal(await isScanHeld(sql, scan), true, 'the ingest is in its backlog');
  await passing.move(PASSED_ALL, true, [], [ingest.id]);
});

/** Deletions on a real database: what they name, how much, and what happens at the same moment. */
import t, { type Test } from 'tap';
import { deletionRoutes } from '../../../src/api/deletions/routes.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { removeRows } from '../../../src/store/deletion/history.ts';
import { targetById } from '../../../src/store/deletion/kinds.ts';
import { deleteRecord, finishDeletions } from '../../../src/store/deletion/save.ts';
import { DELETION_LOCK } from '../../../src/store/locks.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { makeArrival, makeEvent, makeJob, makeSource, savedJob, savedRecipe } from '../../store/make.ts';
import { NOW, SCAN_CONFIGURATION, STRIKE_CONFIGURATION, storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

async function deletionStore(t: Test) {
  const store = await storeWorld(t);
  const { sql } = store.db;
  await ensureBuiltins(sql, NOW);
  // biome-ignore lint/suspicious/noExplicitAny: nothing is asked in these tests
  const system: any = { tell: () => undefined };
  return { store, sql, caller: makeCaller(deletionRoutes, { sql, system }) };
}

t.test(
  'deletions: a preview names live objects of each kind, and the call is refused with the same',
  async (t) => {
    const { store, sql, caller } = await deletionStore(t);
    const about = { title: 'Eyes', description: '', workspaceId: store.ids.in, nowMs: NOW };
    const strike = await createStrike(sql, { ...about, configuration: STRIKE_CONFIGURATION });
    const scan = await createScan(sql, { ...about, configuration: SCAN_CONFIGURATION });
    await store.rows(`update scan set run = 'ingest' where id = $1`, [scan]);
    const job = await savedJob(store);
    const recipe = await savedRecipe(store);
    const dataset = await store.one<{ id: number }>(
      `insert into dataset (definition, created) values ('{}', now()) returning id`,
    );
    const batch = await store.one<{ id: number }>(
      `insert into batch (shard, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
       recipes_estimated, created, last_modified)
     values (1, $1, $2, $3, jsonb_build_object('dataset', $4::bigint), 1, 1, now(), now()) returning id`,
      [store.ids.recipeType, store.ids.recipeRev, recipe.eventId, dataset.id],
    );
    const incomplete = `the batch ${batch.id} does not have all its recipes yet`;
    const cases: readonly (readonly [path: string, reason: string])[] = [
      [`/v6/workspaces/${store.ids.in}/`, `the strike 'eyes' is not paused, or has ingests under way`],
      [`/v6/strikes/${strike}/`, 'the strike is not paused'],
      [`/v6/scans/${scan}/`, 'the scan is under way'],
      [`/v6/datasets/${dataset.id}/`, incomplete],
      [`/v6/batches/${batch.id}/`, incomplete],
      ['/v6/job-types/type-a/1.0.0/', `the job ${job.id} has not ended`],
      ['/v6/recipe-types/recipe-a/', `the recipe ${recipe.id} has not ended`],
    ];
    for (const [path, reason] of cases) {
      const preview = await caller.call('DELETE', `${path}?dry_run=true`);
      t.match(
        preview,
        { status: 200, json: { outcome: 'refused', needed_by: [{ reason }], more_count: 0, is_cut: false } },
        path,
      );
      const refused = await caller.call('DELETE', path);
      t.match(
        refused,
        { status: 409, json: { code: 'STATE_CONFLICT', errors: [{ description: reason }] } },
        path,
      );
    }
  },
);

t.test('deletions: the first of many reasons are named, and the others are counted', async (t) => {
  const { store, caller } = await deletionStore(t);
  const files = await Promise.all(
    Array.from({ length: 1_100 }, (_, at) => makeSource(store, { fileName: `f${at}`, filePath: `f${at}` })),
  );
  await store.apply({ type: 'createSourceFiles', files: files.slice(0, 25) });
  const path = `/v6/workspaces/${files[0]?.workspaceId}/`;
  const some = await caller.call('DELETE', path);
  t.equal(some.json.errors.length, 21);
  t.match(some.json.errors[20], { name: 'MORE_NEEDED', description: '5 more need it' });
  await store.apply({ type: 'createSourceFiles', files: files.slice(25) });
  const { json } = await caller.call('DELETE', `${path}?dry_run=true`);
  t.equal(json.needed_by.length, 20);
  t.match(json, { more_count: 981, is_cut: true });
});

t.test('deletions: a job that begins between the checks is found by the second one', async (t) => {
  const { store, sql } = await deletionStore(t);
  const target = await targetById(sql, 'job_type', store.ids.type);
  if (target === undefined) throw new Error('no job type');
  const deletion = await deleteRecord(sql, target, NOW, async () => {
    await savedJob(store);
  });
  t.equal(deletion.outcome, 'refused');
  t.ok(await targetById(sql, 'job_type', store.ids.type), 'the type is still there');
});

t.test('deletions: a deletion waits for commits under way, and later ones are refused', async (t) => {
  const { store, sql } = await deletionStore(t);
  const target = await targetById(sql, 'job_type', store.ids.type2);
  if (target === undefined) throw new Error('no job type');
  const held = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const commit = sql.transaction(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock_shared($1)', [DELETION_LOCK]);
    held.resolve();
    await done.promise;
  });
  await held.promise;
  let isDeleted = false;
  const deletion = deleteRecord(sql, target, NOW, async () => undefined).then((made) => {
    isDeleted = true;
    return made;
  });
  for (;;) {
    const waiting = await store.rows(`select from pg_locks where locktype = 'advisory' and not granted`);
    if (waiting.length > 0) break;
  }
  t.notOk(isDeleted, 'it waits');
  done.resolve();
  await commit;
  t.strictSame(await deletion, { outcome: 'removed' });

  const [id, eventId] = [await store.newId('job'), await store.newId('event')];
  const { rev } = store.ids;
  const job = makeJob(store, { id, eventId, jobTypeId: store.ids.type2, jobTypeRevId: rev });
  const changes = [
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createJobs', jobs: [job] },
  ] as const;
  await t.rejects(store.apply(...changes), { name: 'TurnRefused' });
});

t.test(
  'deletions: a deleted or removed scan records nothing, and one with ingests is not removed',
  async (t) => {
    const { store, sql } = await deletionStore(t);
    const about = { title: 'Eyes', description: '', workspaceId: store.ids.in, nowMs: NOW };
    const used = await createScan(sql, { ...about, configuration: SCAN_CONFIGURATION });
    const gone = await createScan(sql, { ...about, title: 'Gone', configuration: SCAN_CONFIGURATION });
    const { type: jobTypeId, rev: jobTypeRevId } = store.ids;
    const template = { shard: 1, jobTypeId, jobTypeRevId, priority: 10, maxTries: 10, timeoutS: 0 };
    const record = async (key: number, filePath: string) =>
      store.apply({
        type: 'recordArrivals',
        owner: { kind: 'scan', key },
        template,
        arrivals: [await makeArrival(store, { filePath })],
      });
    await record(used, 'a');
    await store.rows('update scan set deleted = now()');
    for (const id of [used, gone])
      await t.rejects(record(id, 'b'), { name: 'TurnRefused', message: /is deleted/ }, 'hidden');
    t.equal(await removeRows(sql, { kind: 'scan', id: used }), 'hidden', 'it has found a file meanwhile');
    t.equal(await removeRows(sql, { kind: 'scan', id: gone }), 'removed');
    t.strictSame(await store.rows('select id from scan'), [{ id: used }]);
    await t.rejects(record(gone, 'b'), { name: 'TurnRefused', message: /is deleted/ }, 'removed');
    t.equal((await store.rows('select from ingest')).length, 1);
  },
);

t.test('deletions: interrupted deletions are finished, and nothing else is touched', async (t) => {
  const { store, sql } = await deletionStore(t);
  const { rev, type, type2 } = store.ids;
  const about = { title: 'Eyes', description: '', workspaceId: store.ids.in, nowMs: NOW };
  const back = await createStrike(sql, { ...about, configuration: STRIKE_CONFIGURATION });
  const recent = await createScan(sql, { ...about, configuration: SCAN_CONFIGURATION });
  const ended = await savedJob(store);
  t.ok(ended.id && rev, 'the type has a history');
  await store.rows(`update job_type set deleted = now() where id = any('{${type},${type2}}')`);
  await store.rows(`update scan set deleted = now() where id = ${recent}`);
  await store.rows(`insert into deletion_under_way (kind, record_id, begun) values
    ('job_type', ${type}, now() - interval '1 minute'), ('job_type', ${type2}, now() - interval '1 minute'),
    ('strike', ${back}, now() - interval '1 minute'), ('scan', ${recent}, now())`);
  t.equal(await finishDeletions(sql), false, 'no more');
  t.strictSame(
    (await store.rows<{ id: number }>(`select id from job_type where deleted is not null`)).map(
      ({ id }) => id,
    ),
    [type],
    'one without a history is gone, one with a history stays hidden',
  );
  t.equal((await store.rows(`select from strike where id = ${back}`)).length, 1, 'one that is back stays');
  t.equal(
    (await store.rows(`select from scan where id = ${recent}`)).length,
    1,
    'one under way is left alone',
  );
  t.strictSame(await store.rows('select kind from deletion_under_way'), [{ kind: 'scan' }]);
});

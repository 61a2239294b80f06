import t from 'tap';
import { beginFor } from '../../../src/api/purges/routes.ts';
import { purgedAt } from '../../../src/store/file/tombstones.ts';
import { findPurge } from '../../../src/store/purge/list.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { makeInput, makeQueueing, savedJob } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { askerAt } from '../../support/http.ts';
import { makeFamily, type PurgeWorld, purgeWorld } from '../../support/worlds/purge-world.ts';

const begin = (world: PurgeWorld, fileId: number, deletes = false): Promise<number> =>
  beginFor(world.parts, { file_id: fileId, delete_source_bytes: deletes }, askerAt(NOW));

t.test('purges: all rows and bytes of a source are removed, and those of another stay', async (t) => {
  const world = await purgeWorld(t);
  const gone = await makeFamily(world, 'gone');
  const kept = await makeFamily(world, 'kept');
  const before = await world.traces(kept);
  t.ok(
    Object.values(await world.traces(gone)).every((count) => count > 0),
    'there is something of each kind',
  );

  const id = await begin(world, gone.sourceId);
  t.same((await world.advance(id)).isDone, true);
  t.ok(
    Object.values(await world.traces(gone)).every((count) => count === 0),
    'nothing is left',
  );
  t.strictSame(await world.traces(kept), before, 'the other is as it was');
  t.strictSame([...world.disk.keys()].sort(), ['gone/source', 'kept/one', 'kept/source', 'kept/two']);
  t.match(await findPurge(world.sql, id), {
    status: 'COMPLETED',
    reason: null,
    problems: [],
    removed: {
      source_files: 1,
      product_files: 2,
      ingests: 1,
      recipes: 1,
      jobs: 3,
      job_executions: 2,
      log_pieces: 2,
    },
    workspaces: [{ name: 'out', files_removed: 2, files_absent: 0, files_kept: 0, bytes_removed: 12 }],
  });
  for (const table of ['purge_file', 'purge_job', 'purge_tree']) {
    t.strictSame(await world.store.rows(`select * from ${table}`), [], `${table} is empty again`);
  }
  const places = ['gone/source', 'gone/arrived'].map((filePath) => ({
    workspaceId: world.store.ids.in,
    filePath,
  }));
  t.equal((await purgedAt(world.sql, places)).length, 2, 'where it lies and where it arrived are remembered');
});

t.test('purges: a job of two sources is removed with either, and the other source stays', async (t) => {
  const world = await purgeWorld(t);
  const gone = await makeFamily(world, 'gone');
  const kept = await makeFamily(world, 'kept');
  const both = await savedJob(world.store, {
    input: makeInput({ IN: [gone.productIds[1] ?? 0, kept.sourceId] }),
  });
  const id = await begin(world, gone.sourceId);
  await world.advance(id);
  t.strictSame(await world.store.rows('select id from job where id = $1', [both.id]), []);
  t.same(
    world.asked.filter(({ to }) => to.kind === 'job').map(({ type }) => type),
    ['cancelJobs', 'forget'],
    'its owner was told to end it and to forget it',
  );
  t.equal((await world.traces(kept)).files, 3);
});

t.test('purges: jobs that are queued before their owner releases them are canceled too', async (t) => {
  const world = await purgeWorld(t);
  const gone = await makeFamily(world, 'gone');
  const job = await savedJob(world.store, { input: makeInput({ IN: [gone.sourceId] }) });
  const id = await begin(world, gone.sourceId);
  let isQueued = false;
  const { sql } = world;
  world.sql = {
    ...sql,
    execute: (statement, params) => sql.execute(statement, params),
    async transaction(work, kind) {
      const [row] = await sql.execute<{ phase: string }>('select phase from purge where id = $1', [id]);
      if (row?.phase === 'release' && !isQueued) {
        isQueued = true;
        const { atMs } = makeQueueing();
        await sql.execute(
          `update job set status = 'QUEUED', queued = to_timestamp($2::float8 / 1000) where id = $1`,
          [job.id, atMs],
        );
      }
      return sql.transaction(work, kind);
    },
  };
  t.ok((await world.advance(id)).isDone);
  t.ok(isQueued);
  t.same(world.asked.filter(({ type }) => type === 'cancelJobs').length, 2, 'canceled once more');
  t.strictSame(await sql.execute('select id from job where id = $1', [job.id]), []);
});

t.test('purges: a path with another file or other content is kept and reported', async (t) => {
  const world = await purgeWorld(t);
  const gone = await makeFamily(world, 'gone');
  const kept = await makeFamily(world, 'kept');
  await world.store.rows(`update file set is_superseded = true, file_path = 'kept/one' where id = $1`, [
    gone.productIds[0],
  ]);
  world.disk.set('gone/two', 99);
  const id = await begin(world, gone.sourceId);
  await world.advance(id);
  t.ok(world.disk.has('kept/one') && world.disk.has('gone/two'));
  t.match(await findPurge(world.sql, id), {
    status: 'COMPLETED',
    workspaces: [{ files_removed: 0, files_kept: 2 }],
    problems: [
      { name: 'PATH_SHARED', path: 'kept/one' },
      { name: 'CONTENT_CHANGED', path: 'gone/two' },
    ],
  });
  t.equal((await world.traces(kept)).files, 3);
});

t.test('purges: a purge waits for a workspace that no node reaches, and says so', async (t) => {
  const world = await purgeWorld(t);
  const gone = await makeFamily(world, 'gone');
  await world.store.rows('update node_workspace set is_reachable = false');
  const id = await begin(world, gone.sourceId, true);
  t.notOk((await world.advance(id)).isDone);
  const waiting = await findPurge(world.sql, id);
  t.match(waiting, { status: 'WAITING', phase: 'bytes', completed: null });
  t.match(waiting?.reason, /workspace 'in': no node reaches it/);
  t.match(waiting?.reason, /workspace 'out': no node reaches it/);
  await world.store.rows('update node_workspace set is_reachable = true');
  world.stuck.set('gone/one', 'a disk that is read-only');
  t.notOk((await world.advance(id)).isDone);
  t.match((await findPurge(world.sql, id))?.reason, /workspace 'out': a disk that is read-only/);
  world.stuck.set('gone/one', 'never');
  t.ok((await world.advance(id)).isDone);
  t.match(await findPurge(world.sql, id), { problems: [{ name: 'NOT_REMOVED', path: 'gone/one' }] });
  t.notOk(world.disk.has('gone/source'), 'its own bytes were to go');
});

/** Throws at random, before and after statements; transactions roll back. */
function failing(sql: Sql, random: () => number): Sql {
  const maybe = () => {
    if (random() < 0.02) throw new Error('killed');
  };
  return {
    async execute(statement, params) {
      maybe();
      const rows = await sql.execute<never>(statement, params);
      maybe();
      return rows;
    },
    transaction: (work, kind) => sql.transaction((inside) => work(failing(inside, random)), kind),
  };
}

t.test('purges: an interruption at any step leads to the same end', async (t) => {
  for (const seed of [1, 2, 3]) {
    const world = await purgeWorld(t);
    const gone = await makeFamily(world, 'gone');
    const kept = await makeFamily(world, 'kept');
    await savedJob(world.store, { input: makeInput({ IN: [gone.sourceId] }) });
    const before = await world.traces(kept);
    const id = await begin(world, gone.sourceId, true);
    let state = seed;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const real = world.sql;
    world.sql = failing(real, random);
    let kills = 0;
    for (;;) {
      try {
        if ((await world.advance(id)).isDone) break;
      } catch (error) {
        if (!/killed/.test(String(error))) throw error;
        kills += 1;
      }
      if (kills > 2_000) throw new Error('never done');
    }
    world.sql = real;
    t.ok(kills > 0, `seed ${seed}: ${kills} kills`);
    t.ok(
      Object.values(await world.traces(gone)).every((count) => count === 0),
      'nothing is left',
    );
    t.strictSame(await world.traces(kept), before, 'the other is as it was');
    t.match(await findPurge(world.sql, id), {
      removed: { source_files: 1, product_files: 2, ingests: 1, recipes: 1, jobs: 4 },
    });
    t.strictSame([...world.disk.keys()].sort(), ['kept/one', 'kept/source', 'kept/two']);
  }
});

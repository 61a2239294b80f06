/** How often a commit waits for the server: each wait is a round trip, and wakes two processes. */
import t from 'tap';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { commitPort } from '../../../src/store/commit.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { openPool, type Sql, sqlOf } from '../../../src/store/sql/sql.ts';
import { makeArrival, makeEnd, makeExecutionEnd, makeStart, savedJob } from '../make.ts';
import { EPOCH, NOW, SCAN_CONFIGURATION, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

/** What goes over one connection, in order: pieces that are sent, and answers. */
const traffic: ('sent' | 'answer')[] = [];
const pool = openPool({
  ...{ url: world.url, connectionsMax: 1, statementTimeoutMs: 30_000, applicationName: 'waits' },
  queryPlans: 'kept',
});
pool.on('connect', (client) => {
  const { stream } = client.connection;
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    traffic.push('sent');
    return write(chunk, ...rest);
  }) as typeof write;
  stream.on('data', () => traffic.push('answer'));
});
t.teardown(() => pool.end());
const port = commitPort(sqlOf(pool));

/** Changes of direction, of which each second one is a wait. */
function waits(): number {
  const runs = traffic.filter((what, at) => what !== traffic[at - 1]);
  return runs.filter((what) => what === 'answer').length;
}

t.test('commit waits: the end of a job waits for its row, for its writes and for its commit', async (t) => {
  const job = await savedJob(world);
  const start = await makeStart(world, job.id);
  await world.apply({ type: 'placeJobs', starts: [start] });
  await pool.query('select 1'); // the connection is made
  traffic.length = 0;
  await port.apply([
    {
      ...{ shard: 1, epoch: EPOCH },
      changes: [
        { type: 'moveJobs', moves: [makeEnd(job.id)] },
        { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId)] },
      ],
    },
  ]);
  t.equal(waits(), 3);
});

t.test('commit waits: ingests are sent before the server has answered that it has their jobs', async (t) => {
  await ensureBuiltins(world.db.sql, NOW);
  const about = { title: 'Eyes', description: '', workspaceId: world.ids.in, nowMs: NOW };
  const key = await createScan(world.db.sql, { ...about, configuration: SCAN_CONFIGURATION });
  const { type: jobTypeId, rev: jobTypeRevId } = world.ids;
  const template = { shard: 1, jobTypeId, jobTypeRevId, priority: 10, maxTries: 10, timeoutS: 0 };
  const arrivals = [await makeArrival(world, { filePath: 'a' })];
  const ingestsSent = Promise.withResolvers<void>();
  const held = (sql: Sql): Sql => ({
    async execute(statement, params) {
      const name = typeof statement === 'string' ? statement : statement.name;
      if (name === 'insert_ingests_alike') ingestsSent.resolve();
      const rows = await sql.execute<never>(statement, params);
      // For ever, if the ingests waited for the jobs.
      if (name === 'insert_jobs_alike') await ingestsSent.promise;
      return rows;
    },
    transaction: (work, kind) => sql.transaction((tx) => work(held(tx)), kind),
  });
  const change = { type: 'recordArrivals', owner: { kind: 'scan', key }, template, arrivals } as const;
  await commitPort(held(sqlOf(pool))).apply([{ shard: 1, epoch: EPOCH, changes: [change] }]);
  t.match(await world.rows('select file_path, status from ingest'), [
    { file_path: 'a', status: 'TRANSFERRED' },
  ]);
});

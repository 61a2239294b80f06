/** How often a commit waits for the server: each wait is a round trip, and wakes two processes. */
import t from 'tap';
import { commitPort } from '../../../src/store/commit.ts';
import { openPool, sqlOf } from '../../../src/store/sql/sql.ts';
import { makeEnd, makeExecutionEnd, makeStart, savedJob } from '../make.ts';
import { EPOCH, storeWorld } from '../store-world.ts';

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

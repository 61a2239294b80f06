/**
 * A program: pg-boss with jobs that do nothing. Queues `count` of them, says `ready`, fetches and completes them in
 * batches from several loops when a line comes, says `done`. Arguments: database, count.
 */
import { PgBoss } from 'pg-boss';
import { awaitGo, say } from './go.ts';

const [connectionString = '', given = ''] = process.argv.slice(2);
const count = Number(given);
const QUEUE = 'nothing';
const BATCH = 500;
const LOOPS = 2;

const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
await boss.start();
await boss.createQueue(QUEUE);
for (let from = 0; from < count; from += BATCH) {
  const length = Math.min(BATCH, count - from);
  await boss.insert(
    QUEUE,
    Array.from({ length }, (_, at) => ({ data: { n: from + at } })),
  );
}
say('ready');
await awaitGo();

let completed = 0;
async function loop(): Promise<void> {
  while (completed < count) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (jobs.length === 0) return;
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
    completed += jobs.length;
  }
}
await Promise.all(Array.from({ length: LOOPS }, loop));
if (completed !== count) throw new Error(`${completed} of ${count} were completed`);
say('done');

/**
 * A program: graphile-worker with tasks that do nothing. Queues `count` jobs, says `ready`, runs them all when a line
 * comes, says `done`. Arguments: database, count, `plain` or `batched` (its local queue and batched completion, as its
 * documents recommend for throughput).
 */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { awaitGo, say } from './go.ts';

const [connectionString = '', given = '', mode = ''] = process.argv.slice(2);
const count = Number(given);
const CHUNK = 1_000;
const CONCURRENT = 24;
const quiet = new Logger(() => () => undefined);

const utils = await makeWorkerUtils({ connectionString, logger: quiet });
await utils.migrate();
for (let from = 0; from < count; from += CHUNK) {
  const jobs = Array.from({ length: Math.min(CHUNK, count - from) }, (_, at) => ({
    ...{ identifier: 'nothing', payload: { n: from + at } },
  }));
  await utils.addJobs(jobs);
}
await utils.release();
say('ready');
await awaitGo();

let ran = 0;
const all = Promise.withResolvers<void>();
const batched = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const runner = await run({
  connectionString,
  noHandleSignals: true,
  preset: {
    worker: {
      logger: quiet,
      concurrentJobs: CONCURRENT,
      maxPoolSize: CONCURRENT + 2,
      ...(mode === 'batched' ? batched : {}),
    },
  },
  taskList: {
    nothing: async () => {
      ran += 1;
      if (ran === count) all.resolve();
    },
  },
});
await all.promise;
await runner.stop(); // after the last completion is written
say('done');

/**
 * Job lives a second with tasks that do nothing: queued over HTTP (by concurrent POSTs, or in bulk by the diagnostics),
 * placed, handed to an agent that offers 1,000 cpus, reported, committed with history and counters. These tasks need no
 * folder and get none.
 *
 * Beside it job queues on the same PostgreSQL: their jobs are queued beforehand, which is not counted, and they keep no
 * history. Bare SQL writes the rows of the same lives in sets, without anybody who decides.
 */
import { medianOf, ratioOf, runBench } from './harness/bench.ts';
import { postMany } from './harness/load/load-client.ts';
import { OWN_METER, rate } from './harness/meter.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';
import { openBareLives } from './peers/bare-lives.ts';
import { runPeer } from './peers/run-peer.ts';

const GRAPHILE_WORKER = new URL('./peers/graphile-worker.ts', import.meta.url);
const PG_BOSS = new URL('./peers/pg-boss.ts', import.meta.url);
const CONNECTIONS = 64;
const POSTS = 'Millrace, POSTs';
const BULK = 'Millrace, in bulk by the diagnostics';
const PLAIN = 'graphile-worker';
const BATCHED = 'graphile-worker, local queue and batched completion';
const BARE = 'bare SQL, 500 a transaction';
/** The aims, jobs/s. */
const RATES = [
  [BULK, 12_000],
  [POSTS, 5_000],
] as const;

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 20, 10_000);
  const coordinatorSettings = { MILLRACE_DIAGNOSTICS_IMAGE: 'process:noop' };
  const system = await startSystem(bench, { agent: 'noop', coordinatorSettings });
  if (!bench.isTiny) process.env.MILLRACE_TEST_DATABASE_URL = system.databaseUrl;
  const bare = await openBareLives();
  try {
    const { client, meter, databaseMeter, databaseUrl } = system;
    const jobTypeId = await makeJobType(client, 'bench-noop', 'process:noop', 'nothing');
    const done = (name: string) => `/v6/jobs/?status=COMPLETED&job_type_name=${name}`;
    const lives = (name: string, queue: () => Promise<unknown>) => async () => {
      const before = await client.count(done(name));
      return rate(jobs, meter, async () => {
        await queue();
        await untilCount(client, done(name), before + jobs);
      });
    };
    const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
    const peer = (name: string, program: URL, ...args: string[]) => ({
      ...{ name, isPeer: true, remark: 'queued beforehand; no history' },
      work: () => runPeer(program, [databaseUrl, String(jobs), ...args], jobs, databaseMeter),
    });
    const bareMeter = { ...databaseMeter, cpu: () => ({ ...OWN_METER.cpu(), ...databaseMeter.cpu() }) };
    const bareSql = (group: number) => ({
      ...{ name: `bare SQL, ${group} a transaction`, isPeer: true, remark: 'the same rows, nobody decides' },
      work: () => rate(jobs, bareMeter, () => bare.run(jobs, group)),
    });
    const rows = await bench.compare({
      ...{ title: 'Jobs that do nothing', unit: 'jobs/s', each: 'job' },
      subjects: [
        {
          ...{ name: POSTS, remark: `${CONNECTIONS} connections` },
          work: lives('bench-noop', () =>
            postMany(client.base, '/v6/jobs/', body, jobs, Math.min(jobs, CONNECTIONS)),
          ),
        },
        {
          ...{ name: BULK, remark: 'a recipe each' },
          work: lives('millrace-hello', () => client.post('/v6/diagnostics/job/hello/', { num: jobs })),
        },
        peer(PLAIN, GRAPHILE_WORKER, 'plain'),
        peer(BATCHED, GRAPHILE_WORKER, 'batched'),
        { ...peer('pg-boss', PG_BOSS), remark: 'fetched and completed 500 at a time; no history' },
        bareSql(500),
        bareSql(50),
      ],
    });
    const best = medianOf(rows, BULK) > medianOf(rows, POSTS) ? BULK : POSTS;
    const aim = (beside: string, wanted: number) =>
      bench.aim({
        ...{ text: `${best} / ${beside}`, measured: ratioOf(rows, best, beside) },
        ...{ wanted, bound: 'least' as const, unit: 'x' },
      });
    aim(PLAIN, 5);
    aim(BATCHED, 0.25);
    aim(BARE, 0.3);
    for (const [text, wanted] of RATES) {
      bench.aim({ text, measured: medianOf(rows, text), wanted, bound: 'least', unit: 'jobs/s' });
    }
    const { coordinator, agent } = system.resident();
    bench.note(
      `Resident afterwards: coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB.`,
    );
  } finally {
    await bare.close();
    await system.stop();
  }
});

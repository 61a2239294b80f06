/**
 * How long a job waits: from before its POST is sent until its process runs, while jobs arrive at half the rate that
 * the system holds. The start is the agent's own time, which it reports with the execution.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runBench } from './harness/bench.ts';
import { withClient } from './harness/durability.ts';
import { percentile, writtenRange } from './harness/figures.ts';
import { Poster, postMany } from './harness/load/load-client.ts';
import { measured, rate } from './harness/meter.ts';
import { type System, startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';

const CONNECTIONS = 16;
const LIST = '/v6/jobs/?status=COMPLETED&job_type_name=bench-wait';

/** When the process of each job began, ms since 1970. */
async function starts({ databaseUrl }: System, ids: readonly number[]): Promise<Map<number, number>> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; at: number }>(
      `select job_id as id, extract(epoch from seed_started)::float8 * 1000 as at from job_exe where job_id = any($1)`,
      [ids],
    );
    return new Map(rows.map(({ id, at }) => [Number(id), at]));
  });
}

/** Milliseconds that each of `count` jobs waited, sent one by one at their times. */
async function waits(system: System, body: object, count: number, perSecond: number): Promise<number[]> {
  const { client } = system;
  const before = await client.count(LIST);
  const sent = new Map<number, number>();
  const posts: Promise<void>[] = [];
  const poster = new Poster(client.base, '/v6/jobs/', body);
  const post = async (): Promise<void> => {
    const atMs = Date.now();
    const { id } = JSON.parse(await poster.post()) as { readonly id: number };
    sent.set(id, atMs);
  };
  try {
    const startedMs = performance.now();
    for (let n = 0; n < count; n++) {
      const dueMs = startedMs + (n * 1_000) / perSecond;
      await sleep(Math.max(0, dueMs - performance.now()));
      posts.push(post());
    }
    await Promise.all(posts);
  } finally {
    poster.close();
  }
  await untilCount(client, LIST, before + count);
  const began = await starts(system, [...sent.keys()]);
  return [...sent].map(([id, atMs]) => (began.get(id) ?? Number.NaN) - atMs);
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 5, 2_000);
  const system = await startSystem(bench, { agent: 'process' });
  try {
    const { client, meter } = system;
    const jobTypeId = await makeJobType(client, 'bench-wait', 'process:default', 'true');
    const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
    const whole = async (): Promise<number> => {
      const before = await client.count(LIST);
      const { value } = await rate(jobs, meter, async () => {
        await postMany(client.base, '/v6/jobs/', body, jobs, Math.min(jobs, CONNECTIONS));
        await untilCount(client, LIST, before + jobs);
      });
      return value;
    };
    if (!bench.isTiny) await whole(); // warm-up
    const held = await whole();
    const [halves, tails]: [number[], number[]] = [[], []];
    const samples = [];
    for (let run = 0; run < bench.runs; run += 1) {
      let times: number[] = [];
      const { cpu, walBytes } = await measured(meter, async () => {
        times = await waits(system, body, jobs, held / 2);
      });
      halves.push(percentile(times, 0.5));
      tails.push(percentile(times, 0.99));
      samples.push({
        value: percentile(times, 0.5),
        count: jobs,
        cpu,
        ...(walBytes === undefined ? {} : { walBytes }),
      });
    }
    const title = `Waiting at ${(held / 2).toFixed(1)} jobs/s, half of what is held`;
    const tail = { name: 'p99', isPeer: false, samples: tails.map((value) => ({ value, count: jobs })) };
    const rows = [{ name: 'p50', isPeer: false, samples }, tail];
    bench.add({ kind: 'comparison', title, unit: 'ms', each: 'job', rows });
    bench.note(`p50 ${writtenRange(halves)} ms, p99 ${writtenRange(tails)} ms.`);
    const aim = (text: string, values: readonly number[], wanted: number) =>
      bench.aim({ text, measured: percentile(values, 0.5), wanted, bound: 'most', unit: 'ms' });
    aim('p50', halves, 4);
    aim('p99', tails, 15);
  } finally {
    await system.stop();
  }
});

/**
 * Job lives a second with tasks that do nothing: queued over HTTP by concurrent POSTs, placed, handed to an agent,
 * staged, reported, committed with history and counters. The agent offers 1,000 cpus.
 *
 * node bench/noop-jobs.bench.ts [jobs, default 4000] [--profile=folder for V8's processor profiles]
 */
import { perJob, startSystem } from './harness/system.ts';

const given = process.argv.slice(2);
const JOBS = Number(given.find((value) => /^\d+$/.test(value)) ?? 4_000);
const profiles = given.find((value) => value.startsWith('--profile='))?.slice('--profile='.length);
const CLIENTS = 64;
const LOOK_MS = 100;
const DEADLINE_MS = 90_000;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const MANIFEST = {
  seedVersion: '1.0.0',
  job: {
    name: 'bench-noop',
    jobVersion: '1.0.0',
    packageVersion: '1.0.0',
    title: 'Nothing',
    description: 'Does nothing',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    timeout: 60,
    interface: { command: 'nothing' },
  },
};

const system = await startSystem({ agent: 'noop', profiles });
try {
  const { client } = system;
  const jobType = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: 'process:noop',
    manifest: MANIFEST,
    configuration: {},
  });
  const body = { job_type_id: jobType.id, input: { files: {}, json: {} } };
  let done = 0;
  const run = async (count: number): Promise<{ posted: number; ended: number }> => {
    const startedMs = performance.now();
    let next = 0;
    const post = async (): Promise<void> => {
      while (next++ < count) await client.post('/v6/jobs/', body);
    };
    await Promise.all(Array.from({ length: CLIENTS }, post));
    const postedMs = performance.now() - startedMs;
    done += count;
    while ((await client.count('/v6/jobs/?status=COMPLETED&job_type_name=bench-noop')) < done) {
      if (performance.now() - startedMs > DEADLINE_MS) throw new Error('the jobs do not end');
      await new Promise((wake) => setTimeout(wake, LOOK_MS));
    }
    return { posted: count / (postedMs / 1_000), ended: count / ((performance.now() - startedMs) / 1_000) };
  };
  await run(Math.ceil(JOBS / 4));
  const before = system.spent();
  const rates: number[] = [];
  for (let each = 0; each < 3; each++) {
    const { posted, ended } = await run(JOBS);
    say(`  queued ${posted.toFixed(0)}/s, ended ${ended.toFixed(0)}/s`);
    rates.push(ended);
  }
  rates.sort((a, b) => a - b);
  say(`no-op jobs over HTTP, ${JOBS} a run: ${rates[1]?.toFixed(0)} lives/s (median of 3)`);
  say(perJob(before, system.spent(), 3 * JOBS));
  const { coordinator, agent } = system.resident();
  say(`resident memory: coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB`);
} finally {
  await system.stop();
}

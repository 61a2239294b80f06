/**
 * `hello` jobs as real processes through the whole system (queued over HTTP, placed, staged, limited, logged,
 * committed) beside `xargs -P2` starting the same program. Also how long a job waits from queued to running at half
 * of that load, and what coordinator and agent hold in memory. Not a regression gate: read the ratio, and on
 * a machine that others use the processor time of a job.
 *
 * node bench/hello-jobs.bench.ts [jobs, default 600] [--profile=folder for V8's processor profiles]
 */
import { execFileSync } from 'node:child_process';
import type { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { perJob, startSystem } from './harness/system.ts';

const given = process.argv.slice(2);
const JOBS = Number(given.find((value) => /^\d+$/.test(value)) ?? 600);
const PROFILES = given.find((value) => value.startsWith('--profile='))?.slice('--profile='.length);
const CLIENTS = 16;
/** Each look is a request: seldom enough not to be what is measured. */
const LOOK_MS = 100;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const MANIFEST = {
  seedVersion: '1.0.0',
  job: {
    name: 'bench-hello',
    jobVersion: '1.0.0',
    packageVersion: '1.0.0',
    title: 'Hello',
    description: 'Says hello',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    timeout: 60,
    interface: { command: '/bin/echo hello' },
  },
};

interface JobRecord {
  readonly queued: string;
  readonly started: string;
}

async function allCompleted(client: InterfaceClient, count: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while ((await client.count('/v6/jobs/?status=COMPLETED&job_type_name=bench-hello')) < count) {
    if (performance.now() > deadline) throw new Error('the jobs do not end');
    await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
}

async function throughput(client: InterfaceClient, jobTypeId: number, done: number): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
  const post = async (): Promise<void> => {
    while (next < JOBS) {
      next += 1;
      await client.post('/v6/jobs/', body);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, post));
  await allCompleted(client, done + JOBS);
  return JOBS / ((performance.now() - startedMs) / 1_000);
}

/** Milliseconds from queued to running, sorted, at `perSecond` jobs. */
async function latencies(
  client: InterfaceClient,
  jobTypeId: number,
  done: number,
  perSecond: number,
): Promise<number[]> {
  const count = Math.min(JOBS, Math.round(perSecond * 10));
  const since = new Date().toISOString();
  const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
  const startedMs = performance.now();
  const posts: Promise<unknown>[] = [];
  for (let sent = 0; sent < count; sent++) {
    const dueMs = startedMs + (sent * 1_000) / perSecond;
    await new Promise((wake) => setTimeout(wake, Math.max(0, dueMs - performance.now())));
    posts.push(client.post('/v6/jobs/', body));
  }
  await Promise.all(posts);
  await allCompleted(client, done + count);
  const waits: number[] = [];
  for await (const job of client.all<JobRecord>(`/v6/jobs/?job_type_name=bench-hello&started=${since}`)) {
    waits.push(Date.parse(job.started) - Date.parse(job.queued));
  }
  return waits.sort((a, b) => a - b);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Starts of the same program a second by `xargs -P2`. */
function xargs(): number {
  const input = Array.from({ length: JOBS }, (_, index) => String(index)).join('\n');
  const startedMs = performance.now();
  execFileSync('xargs', ['-P2', '-n1', '/bin/echo', 'hello'], {
    input,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return JOBS / ((performance.now() - startedMs) / 1_000);
}

const system = await startSystem({ agent: 'process', profiles: PROFILES });
try {
  const { client } = system;
  const jobType = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: 'process:default',
    manifest: MANIFEST,
    configuration: {},
  });
  await throughput(client, jobType.id, 0); // warm-up
  const rates: number[] = [];
  const peers: number[] = [];
  const before = system.spent();
  for (let run = 1; run <= 3; run++) {
    rates.push(await throughput(client, jobType.id, run * JOBS));
    peers.push(xargs());
  }
  const after = system.spent();
  const middle = (values: number[]): number => [...values].sort((a, b) => a - b)[1] ?? Number.NaN;
  const [rate, peer] = [middle(rates), middle(peers)];
  const waits = await latencies(client, jobType.id, 4 * JOBS, rate / 2);
  const range = (values: number[]): string =>
    `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
  say(`hello jobs, ${JOBS} a run, median of 3 (range):`);
  say(`  millrace            ${rate.toFixed(0)} jobs/s (${range(rates)})`);
  say(`  xargs -P2           ${peer.toFixed(0)} starts/s (${range(peers)})`);
  say(`  ratio               ${(rate / peer).toFixed(2)}`);
  say(perJob(before, after, 3 * JOBS));
  say(
    `queued to running at half that load: p50 ${percentile(waits, 0.5)} ms, p99 ${percentile(waits, 0.99)} ms`,
  );
  const { coordinator, agent } = system.resident();
  say(`resident memory: coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB`);
} finally {
  await system.stop();
}

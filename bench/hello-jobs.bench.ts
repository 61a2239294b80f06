/**
 * `hello` jobs as real processes through the whole system (queued over HTTP, placed, staged, limited, logged,
 * committed) beside `xargs -P2` starting the same program. Also how long a job waits from queued to running at half
 * of that load, and what coordinator and agent hold in memory. Not a regression gate: read the ratio, and on
 * a machine that others use the processor time of a job.
 *
 * node bench/hello-jobs.bench.ts [jobs, default 600] [--profile=folder for V8's processor profiles]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { keepEmbedded } from '../src/embedded/keep.ts';
import { createLogger } from '../src/observe/log.ts';
import { familySeconds, processorSeconds } from './harness/processor-time.ts';

const given = process.argv.slice(2);
const JOBS = Number(given.find((value) => /^\d+$/.test(value)) ?? 600);
const PROFILES = given.find((value) => value.startsWith('--profile='))?.slice('--profile='.length);
const CLIENTS = 16;
/** Each look is a request: seldom enough not to be what is measured. */
const LOOK_MS = 100;
const JOIN_TOKEN = 'bench-join-token-0123456789';
const root = join(import.meta.dirname, '..');
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Resolves with what the program says after `ready`. */
function program(name: string, env: Record<string, string>): { child: ChildProcess; ready: Promise<string> } {
  // The launcher would start the pinned Node without the profile's flags.
  const main = PROFILES === undefined ? 'bin/millrace.js' : 'src/cli/main.ts';
  const flags = PROFILES === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(PROFILES, name)}`];
  const child = spawn(process.execPath, [...flags, join(root, main), name], {
    env: {
      PATH: process.env.PATH ?? '',
      MILLRACE_LOG_LEVEL: 'warn',
      MILLRACE_JOIN_TOKEN: JOIN_TOKEN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('ready ')) resolve(line.slice(6));
    });
  });
  ready.catch(() => undefined); // told to whoever waits for it, so that the others are stopped then
  return { child, ready };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function residentMib(pid: number | undefined): string {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) / 1_024).toFixed(0);
}

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

/** Processor seconds used until now. */
interface Spent {
  readonly coordinator: number;
  readonly agent: number;
  /** The spawner, and supervisors and commands that have ended. */
  readonly tasks: number;
  readonly postgres: number;
}

function spent(postmaster: number): Spent {
  const agentPid = agent.child.pid ?? 0;
  const agentOwn = processorSeconds(agentPid).own;
  return {
    coordinator: processorSeconds(coordinator.child.pid ?? 0).own,
    agent: agentOwn,
    tasks: familySeconds(agentPid) - agentOwn,
    postgres: familySeconds(postmaster),
  };
}

function perJob(before: Spent, after: Spent, jobs: number): string {
  const names = ['coordinator', 'agent', 'tasks', 'postgres'] as const;
  const of = (name: (typeof names)[number]): number => ((after[name] - before[name]) * 1_000) / jobs;
  const parts = names.map((name) => `${name} ${of(name).toFixed(1)} ms`);
  const sum = names.reduce((total, name) => total + of(name), 0);
  return `processor time a job: ${sum.toFixed(1)} ms (${parts.join(', ')})`;
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

const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const log = createLogger({ level: 'warn', name: 'bench' });
const database = await keepEmbedded({ dataDir: join(folder, 'database'), log });
const grpc = `127.0.0.1:${await freePort()}`;
const coordinator = program('coordinator', {
  DATABASE_URL: database.url,
  MILLRACE_HTTP: '127.0.0.1:0',
  MILLRACE_GRPC: grpc,
  MILLRACE_DATA_DIR: join(folder, 'coordinator'),
});
const agent = program('agent', {
  MILLRACE_COORDINATORS: grpc,
  MILLRACE_EXECUTORS: 'process:default',
  MILLRACE_DATA_DIR: join(folder, 'agent'),
});
try {
  const client = new InterfaceClient(await coordinator.ready);
  await agent.ready;
  const jobType = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: 'process:default',
    manifest: MANIFEST,
    configuration: {},
  });
  await throughput(client, jobType.id, 0); // warm-up
  const rates: number[] = [];
  const peers: number[] = [];
  const before = spent(database.current.pid);
  for (let run = 1; run <= 3; run++) {
    rates.push(await throughput(client, jobType.id, run * JOBS));
    peers.push(xargs());
  }
  const after = spent(database.current.pid);
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
  say(
    `resident memory: coordinator ${residentMib(coordinator.child.pid)} MiB, agent ${residentMib(agent.child.pid)} MiB`,
  );
} finally {
  await stop(agent.child).catch(() => undefined);
  await stop(coordinator.child).catch(() => undefined);
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * `hello` jobs in containers through the whole system, with the docker and with the oci executor, beside bare loops of
 * `docker run` and `runc run` of the same image, two at a time. What Millrace does and the loops don't: queue and
 * record in PostgreSQL with everything durable, stage, limit, log, and for `oci` map users and filter system calls.
 *
 * node bench/containers.bench.ts [jobs, default 60] [--only=docker|oci]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../node-agent/executor/run-program.ts';
import type { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { testRegistry } from '../test/support/registry.ts';
import { serviceUrl } from '../test/support/services/services.ts';
import { perJob, startSystem } from './harness/system.ts';

const given = process.argv.slice(2);
const JOBS = Number(given.find((value) => /^\d+$/.test(value)) ?? 60);
const ONLY = given.find((value) => value.startsWith('--only='))?.slice('--only='.length);
const PARALLEL = 2;
const RUNS = JOBS < 20 ? 1 : 3;
const LOOK_MS = 50;
const DEADLINE_MS = 120_000;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const ends: (() => unknown)[] = [];
const registry = await testRegistry({ teardown: (call) => ends.push(call) });
await registry.push('bench/hello', '1');
const IMAGE = `${registry.address}/bench/hello:1`;
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-containers-'));
ends.push(() => rmSync(folder, { recursive: true, force: true }));

function manifestOf(name: string): object {
  const job = {
    name,
    jobVersion: '1.0.0',
    packageVersion: '1.0.0',
    title: name,
    description: 'Says hello',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    timeout: 60,
    resources: { scalar: [{ name: 'cpus', value: 1 }] },
    interface: { command: "'echo hello'" },
  };
  return { seedVersion: '1.0.0', job };
}

async function throughput(client: InterfaceClient, id: number, name: string, done: number): Promise<number> {
  const startedMs = performance.now();
  const body = { job_type_id: id, input: { files: {}, json: {} } };
  await Promise.all(Array.from({ length: JOBS }, () => client.post('/v6/jobs/', body)));
  const wanted = done + JOBS;
  while ((await client.count(`/v6/jobs/?status=COMPLETED&job_type_name=${name}`)) < wanted) {
    if (performance.now() - startedMs > DEADLINE_MS) throw new Error('the jobs do not end');
    await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
  return JOBS / ((performance.now() - startedMs) / 1_000);
}

/** Containers a second, by a loop of as many at once as Millrace runs. */
async function loop(argvOf: (index: number) => readonly string[]): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < JOBS) {
      next += 1;
      const [program = '', ...args] = argvOf(next);
      await new Promise<void>((resolve, reject) => {
        const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
        child.on('error', reject);
        child.on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`)),
        );
      });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return JOBS / ((performance.now() - startedMs) / 1_000);
}

const middle = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const range = (values: number[]): string =>
  `${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)}`;

async function measure(executor: string, settings: Record<string, string>, peer: () => Promise<number>) {
  const agentSettings = { MILLRACE_EXECUTORS: executor, ...settings };
  const system = await startSystem({ agent: 'process', agentSettings });
  try {
    const name = `bench-${executor}`;
    const jobType = await system.client.post<{ id: number }>('/v6/job-types/', {
      container_image: IMAGE,
      manifest: manifestOf(name),
      configuration: {},
    });
    await throughput(system.client, jobType.id, name, 0); // warm-up: the image is pulled
    await peer();
    const [rates, peers]: [number[], number[]] = [[], []];
    const before = system.spent();
    for (let run = 1; run <= RUNS; run += 1) {
      rates.push(await throughput(system.client, jobType.id, name, run * JOBS));
      peers.push(await peer());
    }
    const ratio = middle(rates) / middle(peers);
    say(`${executor}: ${middle(rates).toFixed(1)} jobs/s (${range(rates)})`);
    say(`  bare loop: ${middle(peers).toFixed(1)} containers/s (${range(peers)}), ratio ${ratio.toFixed(2)}`);
    say(`  ${perJob(before, system.spent(), RUNS * JOBS)}`);
    return middle(rates);
  } finally {
    await system.stop();
  }
}

async function measureDocker(): Promise<number> {
  const host = await serviceUrl('docker');
  const argv = ['docker', '-H', host, 'run', '--rm', '--network=none', IMAGE, 'echo hello'];
  return measure('docker', { MILLRACE_DOCKER_HOST: host }, () => loop(() => argv));
}

/** The runtime's own example of a configuration, on the unpacked image. */
async function measureOci(): Promise<number> {
  const layout = join(folder, 'layout');
  await runProgram(
    'skopeo',
    ['copy', '--src-tls-verify=false', `docker://${IMAGE}`, `oci:${layout}:x`],
    60_000,
  );
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  await runProgram('umoci', ['raw', 'unpack', '--image', `${layout}:x`, join(bundle, 'rootfs')], 60_000);
  await runProgram('runc', ['spec', '--bundle', bundle], 60_000);
  const path = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  config.process = { ...config.process, terminal: false, args: ['/bin/echo', 'hello'] };
  writeFileSync(path, JSON.stringify(config));
  const root = join(folder, 'state');
  const argvOf = (index: number) => [
    'runc',
    '--root',
    root,
    'run',
    '--bundle',
    bundle,
    `bench-${process.pid}-${index}`,
  ];
  return measure('oci', {}, () => loop(argvOf));
}

try {
  say(`hello jobs in containers, ${JOBS} a run, ${PARALLEL} at a time, median of ${RUNS} (range):`);
  const docker = ONLY === 'oci' ? undefined : await measureDocker();
  const oci = ONLY === 'docker' ? undefined : await measureOci();
  if (docker !== undefined && oci !== undefined) say(`oci beside docker: ${(oci / docker).toFixed(1)}`);
} finally {
  for (const end of ends.reverse()) await end();
}

/**
 * What several coordinators on one database cost: the processor time of a job that does nothing, of all coordinators,
 * PostgreSQL and NATS, with one, two and three of them.
 *
 * Each number of coordinators has a database and agents of its own, which all run and take turns. The load is the same:
 * jobs by POST, on connections that are spread over the coordinators, and in bulk by the diagnostics, an equal part at
 * each coordinator. A load that is spread makes smaller groups for a commit. So jobs are also posted on as many
 * connections to each coordinator as one alone has, which makes groups of about equal size: the second table has the
 * turns a commit.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOOP_EXECUTOR } from '../../node-agent/executor/noop.ts';
import { startNats } from '../../test/support/services/nats.ts';
import { type Bench, ratioOf, runBench } from '../harness/bench.ts';
import { median, written } from '../harness/figures.ts';
import { postMany } from '../harness/load/load-client.ts';
import { type Meter, measured } from '../harness/meter.ts';
import { processorSeconds } from '../harness/processor-time.ts';
import type { Sample } from '../harness/results/result.ts';
import { type System, startSystem } from '../harness/system.ts';
import { makeJobType, untilCount } from '../harness/work.ts';

/** Divisible by each number of coordinators. */
const CONNECTIONS = 60;
const ONE = 'one coordinator';
const NUMBERS: readonly (readonly [name: string, count: number])[] = [
  [ONE, 1],
  ['two coordinators', 2],
  ['three coordinators', 3],
];

/** How a load reaches the coordinators, and how much more than with one coordinator several may cost. */
interface Way {
  readonly title: string;
  readonly typeName: string;
  readonly wanted: number;
  readonly queue: (system: System, typeId: number, jobs: number) => Promise<unknown>;
}

function post({ clients }: System, typeId: number, jobs: number, connections: number): Promise<unknown> {
  const body = { job_type_id: typeId, input: { files: {}, json: {} } };
  const each = jobs / clients.length;
  return Promise.all(clients.map(({ base }) => postMany(base, '/v6/jobs/', body, each, connections)));
}

const POSTED = 'bench-posted';
const WAYS: readonly Way[] = [
  {
    ...{ title: `The same POSTs, on ${CONNECTIONS} connections`, typeName: POSTED, wanted: 1.35 },
    queue: (system, typeId, jobs) => post(system, typeId, jobs, CONNECTIONS / system.clients.length),
  },
  {
    ...{ title: 'The same jobs in bulk', typeName: 'millrace-hello', wanted: 1.35 },
    queue: ({ clients }, _, jobs) =>
      Promise.all(
        clients.map((one) => one.post('/v6/diagnostics/job/hello/', { num: jobs / clients.length })),
      ),
  },
  {
    ...{ title: `POSTs on ${CONNECTIONS} connections to each coordinator`, typeName: POSTED, wanted: 1.1 },
    queue: (system, typeId, jobs) => post(system, typeId, jobs, CONNECTIONS),
  },
];

interface Commits {
  readonly commits: number;
  readonly turns: number;
}

/** Commits of all coordinators until now, and the turns that they saved. */
async function commitsOf({ clients }: System): Promise<Commits> {
  const sum = { commits: 0, turns: 0 };
  for (const { base } of clients) {
    const text = await (await fetch(new URL('/metrics', base))).text();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
    sum.commits += value('millrace_commit_turns_count');
    sum.turns += value('millrace_commit_turns_sum');
  }
  return sum;
}

/** One NATS for all; its processor time, if it is a process of this host. */
async function openNats(bench: Bench): Promise<{ readonly url: string; readonly meter: Meter }> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const started = await startNats(folder);
  if ('missing' in started) throw new Error(started.missing);
  bench.atEnd(started.stop);
  const pid = readdirSync(folder).flatMap((name) => /^nats-server_(\d+)\.ports$/.exec(name)?.[1] ?? [])[0];
  const [url = ''] = Object.values(started.env);
  return {
    url,
    meter: { cpu: () => (pid === undefined ? {} : { nats: processorSeconds(Number(pid)).own }) },
  };
}

interface Cluster {
  readonly name: string;
  readonly system: System;
  readonly typeId: number;
  readonly meter: Meter;
}

async function startClusters(
  bench: Bench,
  agents: number,
  numbers: typeof NUMBERS,
): Promise<readonly Cluster[]> {
  const nats = await openNats(bench);
  const clusters: Cluster[] = [];
  for (const [name, coordinatorCount] of numbers) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const coordinatorSettings = {
      NATS_URL: nats.url,
      MILLRACE_SECRET_KEY_FILE: join(folder, 'secret.key'),
      MILLRACE_DIAGNOSTICS_IMAGE: NOOP_EXECUTOR,
    };
    const options = { agentCount: agents, keepsAgentsInMemory: true, coordinatorCount, coordinatorSettings };
    const system = await startSystem(bench, { agent: 'noop', ...options });
    bench.atEnd(() => system.stop());
    const typeId = await makeJobType(system.client, POSTED, NOOP_EXECUTOR, 'nothing');
    const { wal, cpu } = system.meter;
    clusters.push({ name, system, typeId, meter: { wal, cpu: () => ({ ...cpu(), ...nats.meter.cpu() }) } });
    bench.progress(`${name}: ready`);
  }
  return clusters;
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 60, 6_000);
  const agents = bench.parameter('agents', 2, 6);
  const numbers = bench.isTiny ? NUMBERS.slice(0, 2) : NUMBERS;
  const clusters = await startClusters(bench, agents, numbers);
  const groups: (readonly [string, string, number])[] = [];
  for (const { title, typeName, wanted, queue } of WAYS) {
    const done = `/v6/jobs/?status=COMPLETED&job_type_name=${typeName}`;
    const sizes = new Map(numbers.map(([name]) => [name, { rates: [] as number[], turns: [] as number[] }]));
    const work = async ({ name, system, typeId, meter }: Cluster): Promise<Sample> => {
      const before = await system.client.count(done);
      const first = await commitsOf(system);
      const { seconds, ...costs } = await measured(meter, async () => {
        await queue(system, typeId, jobs);
        await untilCount(system.client, done, before + jobs);
      });
      const last = await commitsOf(system);
      sizes.get(name)?.rates.push(jobs / seconds);
      sizes.get(name)?.turns.push((last.turns - first.turns) / (last.commits - first.commits));
      const { coordinator = 0, postgres = 0, nats = 0 } = costs.cpu;
      return { value: ((coordinator + postgres + nats) * 1_000) / jobs, count: jobs, ...costs };
    };
    const rows = await bench.compare({
      ...{ title, unit: 'ms a job', each: 'job' },
      subjects: clusters.map((cluster) => ({
        ...{ name: cluster.name, work: () => work(cluster), remark: 'coordinators, PostgreSQL, NATS' },
      })),
    });
    for (const [name, { rates, turns }] of sizes) {
      groups.push([`${title}: ${name}`, written(median(rates)), median(turns)]);
    }
    for (const [name, count] of numbers) {
      if (count === 1) continue;
      const text = `${title}: ${name} / one, processor`;
      bench.aim({ text, measured: ratioOf(rows, name, ONE), wanted, bound: 'most', unit: 'x' });
    }
  }
  bench.add({
    ...{ kind: 'figures', title: 'Rates and groups', columns: ['', 'jobs/s', 'turns a commit'] },
    rows: groups,
  });
});

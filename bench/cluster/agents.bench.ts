/**
 * What many agents cost one coordinator: 1,000 sessions over gRPC, beside one agent that offers as much.
 *
 * The agents are whole, in one process, each with a node and a folder of its own. Their folders are in memory, those of
 * the one agent as well: hosts have a disk each, and a thousand journals on one would be what is measured. Each run has
 * a system of its own, so that nothing of the thousand stays for the one.
 *
 * Idle: the share of a core that coordinator and PostgreSQL take while nothing is to be done, once hellos are settled.
 * Lives: jobs that do nothing, in bulk by the diagnostics, placed on all agents. One part: `--only=idle`,
 * `--only=lives`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { NOOP_EXECUTOR } from '../../node-agent/executor/noop.ts';
import { type Bench, medianOf, ratioOf, runBench } from '../harness/bench.ts';
import { withClient } from '../harness/durability.ts';
import { measured, rate } from '../harness/meter.ts';
import type { Sample } from '../harness/results/result.ts';
import { type System, startSystem } from '../harness/system.ts';
import { untilCount } from '../harness/work.ts';

const DONE = '/v6/jobs/?status=COMPLETED&job_type_name=millrace-hello';
const ONE = 'one agent';

async function withAgents<T>(
  bench: Bench,
  agentCount: number,
  work: (system: System) => Promise<T>,
): Promise<T> {
  const coordinatorSettings = { MILLRACE_DIAGNOSTICS_IMAGE: NOOP_EXECUTOR };
  const options = { agentCount, keepsAgentsInMemory: true, coordinatorSettings };
  const system = await startSystem(bench, { agent: 'noop', ...options });
  try {
    return await work(system);
  } finally {
    await system.stop();
  }
}

/** How many nodes have run a job. */
async function usedNodes({ databaseUrl }: System): Promise<number> {
  return withClient(databaseUrl, async (database) => {
    const { rows } = await database.query<{ count: string }>(
      'select count(distinct node_id) as count from job_exe',
    );
    return Number(rows[0]?.count);
  });
}

async function idle(bench: Bench, agents: number): Promise<void> {
  const seconds = bench.parameter('idle-seconds', 1, 60);
  const settleSeconds = bench.parameter('settle-seconds', 1, 15);
  const share = (count: number) => (): Promise<Sample> =>
    withAgents(bench, count, async ({ meter }) => {
      await sleep(settleSeconds * 1_000);
      const { cpu, walBytes = 0 } = await measured(meter, () => sleep(seconds * 1_000));
      const spent = (cpu.coordinator ?? 0) + (cpu.postgres ?? 0);
      return { value: (100 * spent) / seconds, count: seconds, cpu, walBytes };
    });
  const many = `${agents} agents`;
  // Each takes more than a minute, and shares of a core hardly depend on what else the machine does.
  const once = { runs: 1, isWarmedUp: false, remark: 'coordinator and PostgreSQL' };
  const rows = await bench.compare({
    ...{ title: 'Idle', unit: '% of a core', each: 'second' },
    subjects: [
      { ...once, name: ONE, work: share(1) },
      { ...once, name: many, work: share(agents) },
    ],
  });
  const aim = { measured: medianOf(rows, many), wanted: 10, bound: 'most', unit: '% of a core' } as const;
  bench.aim({ text: `${many}, idle: coordinator and PostgreSQL`, ...aim });
}

async function lives(bench: Bench, agents: number): Promise<void> {
  const jobs = bench.parameter('jobs', 20, 10_000);
  let used = 0;
  const work = (count: number) => (): Promise<Sample> =>
    withAgents(bench, count, async (system) => {
      const { client, meter } = system;
      const run = async (num: number): Promise<void> => {
        const before = await client.count(DONE);
        await client.post('/v6/diagnostics/job/hello/', { num });
        await untilCount(client, DONE, before + num);
      };
      await run(jobs);
      const sample = await rate(jobs, meter, () => run(jobs));
      used = await usedNodes(system);
      return sample;
    });
  const many = `${agents} agents`;
  const started = { isWarmedUp: false, remark: 'a recipe each, after as many to warm up' };
  const rows = await bench.compare({
    ...{ title: 'Jobs that do nothing, in bulk', unit: 'jobs/s', each: 'job' },
    subjects: [
      { ...started, name: ONE, work: work(1) },
      { ...started, name: many, work: work(agents) },
    ],
  });
  bench.note(`Of ${agents} nodes, ${used} ran jobs.`);
  bench.aim({
    text: `lives/s with ${many} / with one`,
    ...{ measured: ratioOf(rows, many, ONE), wanted: 0.8, bound: 'least', unit: 'x' },
  });
}

await runBench(import.meta.filename, async (bench) => {
  const agents = bench.parameter('agents', 5, 1_000);
  if (bench.wants('idle')) await idle(bench, agents);
  if (bench.wants('lives')) await lives(bench, agents);
});

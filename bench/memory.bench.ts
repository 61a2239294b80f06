/**
 * What stays in memory (resident, MiB): a coordinator and an agent that have nothing to do, the agent with 100 tasks,
 * the coordinator with very many queued jobs of 200 types that no node can run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runBench } from './harness/bench.ts';
import { withClient } from './harness/durability.ts';
import { median } from './harness/figures.ts';
import { postMany } from './harness/load/load-client.ts';
import { type System, startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';

const TYPES = 200;
const TASK_S = 120;
const READS = 5;
const READ_MS = 1_000;
/** Ids that no sequence comes to. */
const COPIED_FROM = 1_000_000_000;

/** Medians of some looks. */
async function resident(system: System, isTiny: boolean): Promise<{ coordinator: number; agent: number }> {
  const looks = [system.resident()];
  for (let look = 1; look < (isTiny ? 1 : READS); look += 1) {
    await sleep(READ_MS);
    looks.push(system.resident());
  }
  return {
    coordinator: median(looks.map(({ coordinator }) => coordinator)),
    agent: median(looks.map(({ agent }) => agent)),
  };
}

/** Copies of the one queued job of each type, in rows; the scheduler finds them when it reads rows again. */
async function multiply(system: System, jobs: number): Promise<void> {
  await withClient(system.databaseUrl, async (client) => {
    await client.query(
      `insert into job select (jsonb_populate_record(j, jsonb_build_object('id', $1::bigint + n * 1000 + j.id % 1000,
         'owner_key', $1::bigint + n * 1000 + j.id % 1000))).*
       from job j join job_type t on t.id = j.job_type_id, generate_series(1, $2::bigint) n
       where t.name like 'bench-many-%' and j.id < $1::bigint`,
      [COPIED_FROM, Math.max(1, Math.round(jobs / TYPES))],
    );
    await client.query('analyze job');
  });
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 20, 1_000_000);
  const tasks = bench.parameter('tasks', 2, 100);
  const types = bench.parameter('types', 2, TYPES);
  const system = await startSystem(bench, { agent: 'wide' });
  try {
    const { client } = system;
    if (!bench.isTiny) await sleep(10_000); // what starting took is given back
    const idle = await resident(system, bench.isTiny);
    const sleeper = await makeJobType(client, 'bench-sleep', 'process:default', `sleep ${TASK_S}`);
    const body = (id: number) => ({ job_type_id: id, input: { files: {}, json: {} } });
    await postMany(client.base, '/v6/jobs/', body(sleeper), tasks, 8);
    await untilCount(client, '/v6/jobs/?status=RUNNING&job_type_name=bench-sleep', tasks);
    const busy = await resident(system, bench.isTiny);
    for (let type = 0; type < types; type += 1) {
      const id = await makeJobType(client, `bench-many-${type}`, 'process:nowhere', 'true');
      await client.post('/v6/jobs/', body(id));
    }
    await multiply(system, jobs);
    if (!bench.isTiny) await sleep(30_000); // rows are read again every 10 s
    const full = await resident(system, bench.isTiny);
    const rows: (readonly [string, number, number])[] = [
      ['coordinator, idle', idle.coordinator, 150],
      [`coordinator, ${jobs} jobs queued`, full.coordinator, 600],
      ['agent, idle', idle.agent, 80],
      [`agent, ${tasks} tasks`, busy.agent, 150],
    ];
    bench.add({
      ...{ kind: 'figures', title: 'Resident', columns: ['', 'MiB'] },
      rows: rows.map(([name, mib]) => [name, mib]),
    });
    for (const [text, measured, wanted] of rows) {
      bench.aim({ text, measured, wanted, bound: 'most', unit: 'MiB' });
    }
  } finally {
    await system.stop();
  }
});

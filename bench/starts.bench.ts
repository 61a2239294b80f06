/**
 * What commands cost; and how long until work continues: a coordinator's start until it is ready, with little and with
 * much finished history; and a job that is queued when the coordinator that has the scheduler was killed (-9), until
 * its process runs.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { folderSeenByTasks } from '../test/support/seen-by-tasks.ts';
import { freePort } from '../test/support/services/free-port.ts';
import { serviceUrl } from '../test/support/services/services.ts';
import { fillLists } from '../test/support/worlds/lists/list-rows.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { withClient } from './harness/durability.ts';
import { median, writtenRange } from './harness/figures.ts';
import { measured, OWN_METER } from './harness/meter.ts';
import { millrace, type Program, runMany } from './harness/program.ts';
import { makeJobType, until } from './harness/work.ts';

const LITTLE = 100;
const LOOK_MS = 20;
/** Commands of a series. A process's time is counted in steps of 10 ms. */
const SERIES = 10;
const PROGRAM = join(import.meta.dirname, '../bin/millrace.js');

/** Seconds until ready, each time; the migrations are done. */
async function startsOf(bench: Bench, folder: string, rows: number): Promise<number[]> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  const times: number[] = [];
  try {
    // By a connection of its own: a million rows take longer than the store lets a statement take.
    await withClient(world.url, async (client) => {
      const run: StoreWorld['rows'] = async (text) => (await client.query(text)).rows;
      await fillLists({ ...world, rows: run }, rows);
      await run(
        `update job set status = 'COMPLETED' where status not in ('COMPLETED', 'FAILED', 'CANCELED')`,
      );
      await run('vacuum analyze');
    });
    for (let run = 0; run <= bench.runs; run += 1) {
      const { seconds } = await measured(OWN_METER, async () => {
        const coordinator = millrace(bench, 'coordinator', {
          ...{ DATABASE_URL: world.url, MILLRACE_HTTP: '127.0.0.1:0' },
          ...{ MILLRACE_GRPC: `127.0.0.1:${await freePort()}`, MILLRACE_DATA_DIR: join(folder, 'started') },
        });
        downs.push(() => coordinator.stop());
        await coordinator.ready;
      });
      await downs.pop()?.();
      if (run > 0 || bench.isTiny) times.push(seconds); // the first is a warm-up
      if (bench.isTiny) break;
    }
    return times;
  } finally {
    for (const down of downs.reverse()) await down();
  }
}

/** Milliseconds of processor time that each command takes, in each series; the bare Node is the least possible. */
async function commandCosts(bench: Bench, folder: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  try {
    const coordinator = millrace(bench, 'coordinator', {
      ...{ DATABASE_URL: world.url, MILLRACE_HTTP: '127.0.0.1:0' },
      ...{ MILLRACE_GRPC: `127.0.0.1:${await freePort()}`, MILLRACE_DATA_DIR: join(folder, 'called') },
    });
    downs.push(() => coordinator.stop());
    const server = await coordinator.ready;
    const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
      ['node -e 0', ['-e', '0']],
      ['millrace --version', [PROGRAM, '--version']],
      ['a word completed', [PROGRAM, 'complete', '--', 'strike', 'pa']],
      ['a name completed', [PROGRAM, 'complete', '--', '--server', server, 'strike', 'pause', '']],
      ['millrace jobs', [PROGRAM, 'jobs', '--server', server]],
    ];
    const costs = new Map(commands.map(([name]) => [name, [] as number[]]));
    const count = bench.isTiny ? 1 : SERIES;
    for (let run = 0; run < bench.runs; run += 1) {
      for (const [name, args] of commands) {
        const { cpu } = await measured(OWN_METER, () => runMany(count, 1, () => [process.execPath, ...args]));
        costs.get(name)?.push(((cpu.children ?? 0) * 1_000) / count);
      }
    }
    return costs;
  } finally {
    for (const down of downs.reverse()) await down();
  }
}

interface Status {
  readonly scheduler: { readonly cluster_manager: { readonly master_port: number } };
}

/** Queues a job, as soon as somebody takes it, and waits until its process has run. */
async function runner(
  first: InterfaceClient,
  traces: string,
): Promise<(by: InterfaceClient) => Promise<void>> {
  const touch = `sh -c 'touch ${traces}/$SCALE_JOB_ID'`;
  const jobTypeId = await makeJobType(first, 'bench-touch', 'process:default', touch);
  const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
  return async (by) => {
    let id = 0;
    const post = () => by.post<{ id: number }>('/v6/jobs/', body);
    const isTaken = () =>
      post().then(
        (made) => {
          id = made.id;
          return true;
        },
        () => false,
      );
    await until('the job is taken', isTaken, LOOK_MS);
    await until('its process runs', async () => existsSync(join(traces, String(id))), LOOK_MS);
  };
}

/** Two coordinators and an agent; kills whoever has the scheduler, again and again. Seconds of each. */
async function failovers(bench: Bench, folder: string, times: number): Promise<number[]> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  // The world holds the leases itself, for a day.
  await world.rows('update shard_lease set expires = now()');
  const nats = await serviceUrl('nats');
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const start = (index: number): Program => {
    const program = millrace(bench, 'coordinator', {
      ...{ DATABASE_URL: world.url, NATS_URL: nats, MILLRACE_DATA_DIR: join(folder, `coordinator-${index}`) },
      MILLRACE_SECRET_KEY_FILE: join(folder, 'secret.key'),
      ...{ MILLRACE_HTTP: `127.0.0.1:${ports[index]}`, MILLRACE_GRPC: `127.0.0.1:${ports[index + 2]}` },
    });
    downs.push(() => program.stop('SIGKILL'));
    return program;
  };
  try {
    // One after the other: the first makes the key of secrets, which both read.
    const coordinators = [start(0)];
    const first = await coordinators[0]?.ready;
    coordinators.push(start(1));
    await coordinators[1]?.ready;
    const agent = millrace(bench, 'agent', {
      MILLRACE_COORDINATORS: `127.0.0.1:${ports[2]},127.0.0.1:${ports[3]}`,
      ...{ MILLRACE_EXECUTORS: 'process:default', MILLRACE_DATA_DIR: join(folder, 'agent') },
    });
    downs.push(() => agent.stop());
    await agent.ready;
    let client = new InterfaceClient(first ?? '');
    const traces = folderSeenByTasks('millrace-bench-');
    downs.push(async () => rmSync(traces, { recursive: true }));
    const runOne = await runner(client, traces);
    await runOne(client);
    const waited: number[] = [];
    for (let time = 0; time < times; time += 1) {
      let port = 0;
      await until('somebody has the scheduler', async () => {
        port = (await client.get<Status>('/v6/status/')).scheduler.cluster_manager.master_port;
        return port > 0;
      });
      const owner = ports.indexOf(port);
      client = new InterfaceClient((await coordinators[1 - owner]?.ready) ?? '');
      const { seconds } = await measured(OWN_METER, async () => {
        await coordinators[owner]?.stop('SIGKILL');
        await runOne(client);
      });
      waited.push(seconds);
      coordinators[owner] = start(owner);
      await coordinators[owner].ready;
    }
    return waited;
  } finally {
    for (const down of downs.reverse()) await down();
  }
}

await runBench(import.meta.filename, async (bench) => {
  const rows = bench.parameter('rows', 200, 1_000_000);
  const kills = bench.parameter('kills', 1, 3);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  chmodSync(folder, 0o711);
  const database = await openTestDatabases(bench);
  try {
    const costs = await commandCosts(bench, folder);
    const little = bench.isTiny ? [] : await startsOf(bench, folder, LITTLE);
    const much = await startsOf(bench, folder, rows);
    // On a busy machine it takes minutes; test/e2e/faults/failover.test.ts holds it to what it does.
    const waited = bench.isTiny ? [] : await failovers(bench, folder, kills);
    bench.add({
      ...{ kind: 'figures', title: 'Processor time of commands, ms', columns: ['', 'median (range)'] },
      rows: [...costs].map(([name, ms]) => [name, writtenRange(ms)]),
    });
    bench.add({
      ...{ kind: 'figures', title: 'Until work continues, s', columns: ['', 'median (range)'] },
      rows: [
        [`start to ready, ${LITTLE} finished jobs`, writtenRange(little)],
        [`start to ready, ${rows} finished jobs`, writtenRange(much)],
        ['killed to the next process', writtenRange(waited)],
      ],
    });
    const aim = (text: string, measured: number, wanted: number) =>
      bench.aim({ text, measured, wanted, bound: 'most', unit: 's' });
    aim(`start to ready, ${rows} finished jobs`, median(much), 1);
    aim('failover', median(waited), 10);
  } finally {
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

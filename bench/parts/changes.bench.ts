/**
 * What the stream of changes costs, and how soon a change can be read at another coordinator.
 *
 * Whole lives of jobs through the committer's port, with the stream (its triggers and ticks) and without (its triggers
 * disabled), in turn. Then two coordinators, of which one is read while the other queues jobs that end at once: from
 * the instant at which a change was written, before its commit, until a reader has it. Then with the coordinator killed
 * that assigns positions, while rows are changed in the database.
 *
 * And lives as users get them: jobs that do nothing through one coordinator and one agent, in bulk by the diagnostics
 * and by concurrent POSTs, with the triggers and with them disabled, in turn. One part: `--only=cost`, `--only=whole`,
 * `--only=delay`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOOP_EXECUTOR } from '../../node-agent/executor/noop.ts';
import { CHANGES } from '../../src/actors/change/change.messages.ts';
import { shardOf } from '../../src/kernel/mod.ts';
import { addTick } from '../../src/store/change/ticks.ts';
import { type StoreWorld, storeWorld } from '../../test/store/store-world.ts';
import { InterfaceClient } from '../../test/support/clients/interface-client.ts';
import { freePort } from '../../test/support/services/free-port.ts';
import { serviceUrl } from '../../test/support/services/services.ts';
import { type Bench, ratioOf, runBench } from '../harness/bench.ts';
import { openTestDatabases } from '../harness/database.ts';
import { withClient } from '../harness/durability.ts';
import { median, percentile, writtenRange } from '../harness/figures.ts';
import { runLives } from '../harness/load/lives.ts';
import { postMany } from '../harness/load/load-client.ts';
import { type Meter, OWN_METER, rate } from '../harness/meter.ts';
import { millrace, type Program } from '../harness/program.ts';
import { type System, startSystem } from '../harness/system.ts';
import { makeJobType, until, untilCount } from '../harness/work.ts';

const GROUPS = [10, 100, 500];
/** The pause between two ticks under load. */
const TICK_MS = 20;
const STREAMED = 'with the stream';
const PLAIN = 'triggers disabled';
const CONNECTIONS = 64;
const READ_MS = 5;
/** The default. */
const LEASE_MS = 4_000;

/** Enables or disables the stream's triggers. */
function switchStream(databaseUrl: string, way: 'enable' | 'disable'): Promise<void> {
  return withClient(databaseUrl, async (database) => {
    const { rows } = await database.query<{ statement: string }>(
      `select format('alter table %s ${way} trigger %I', tgrelid::regclass, tgname) as statement from pg_trigger
       where not tgisinternal and (tgname like '%\\_version' or tgname like '%\\_tell\\_%')`,
    );
    for (const { statement } of rows) await database.query(statement);
  });
}

/** Gives ticks for as long as `work` takes. */
async function ticking<T>(world: StoreWorld, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const ticks = (async () => {
    while (!isOver) {
      await addTick(world.db.sql);
      await sleep(TICK_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await ticks;
  }
}

async function cost(bench: Bench): Promise<void> {
  const lives = bench.parameter('lives', 20, 10_000);
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  const newWorld = () => storeWorld({ teardown: (down) => void downs.push(down) });
  try {
    const [streamed, unstreamed] = [await newWorld(), await newWorld()];
    await switchStream(unstreamed.url, 'disable');
    const meter: Meter = {
      cpu: () => ({ ...OWN_METER.cpu(), ...database?.meter.cpu() }),
      ...(database === undefined ? {} : { wal: database.meter.wal }),
    };
    for (const group of GROUPS) {
      const rows = await bench.compare({
        ...{ title: `${group} turns a transaction`, unit: 'lives/s', each: 'life' },
        subjects: [
          { name: STREAMED, work: () => ticking(streamed, () => runLives(streamed, lives, group, meter)) },
          { name: PLAIN, work: () => runLives(unstreamed, lives, group, meter) },
        ],
      });
      const text = `lives/s with the stream, ${group} turns a transaction`;
      bench.aim({ text, measured: ratioOf(rows, STREAMED, PLAIN), wanted: 0.95, bound: 'least', unit: 'x' });
    }
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
}

/**
 * The coordinator that assigns positions looks for changes in both subjects: it finds none where the triggers are
 * disabled.
 */
async function whole(bench: Bench): Promise<void> {
  const jobs = bench.parameter('jobs', 20, 10_000);
  const coordinatorSettings = { MILLRACE_DIAGNOSTICS_IMAGE: NOOP_EXECUTOR };
  const system = await startSystem(bench, { agent: 'noop', coordinatorSettings });
  try {
    const { client, databaseUrl, meter } = system;
    const typeId = await makeJobType(client, 'bench-whole', NOOP_EXECUTOR, 'nothing');
    const body = { job_type_id: typeId, input: { files: {}, json: {} } };
    const ways = [
      {
        ...{ title: 'Whole service, in bulk by the diagnostics', typeName: 'millrace-hello' },
        queue: () => client.post('/v6/diagnostics/job/hello/', { num: jobs }),
      },
      {
        ...{ title: `Whole service, POSTs on ${CONNECTIONS} connections`, typeName: 'bench-whole' },
        queue: () => postMany(client.base, '/v6/jobs/', body, jobs, CONNECTIONS),
      },
    ];
    for (const { title, typeName, queue } of ways) {
      const done = `/v6/jobs/?status=COMPLETED&job_type_name=${typeName}`;
      const lives = (way: 'enable' | 'disable') => async () => {
        await switchStream(databaseUrl, way);
        const before = await client.count(done);
        return rate(jobs, meter, async () => {
          await queue();
          await untilCount(client, done, before + jobs);
        });
      };
      const rows = await bench.compare({
        ...{ title, unit: 'lives/s', each: 'life' },
        subjects: [
          { name: STREAMED, work: lives('enable') },
          { name: PLAIN, work: lives('disable') },
        ],
      });
      const text = `lives/s with the stream: ${title[0]?.toLowerCase()}${title.slice(1)}`;
      bench.aim({ text, measured: ratioOf(rows, STREAMED, PLAIN), wanted: 0.95, bound: 'least', unit: 'x' });
    }
  } finally {
    await system.stop();
  }
}

interface Read {
  readonly changes: readonly { readonly at: string; readonly kind: string; readonly to?: string }[];
  readonly cursor: string;
}

/** Which changes are read, until as many final ones have come as the work makes. */
interface Wanted {
  readonly kind: string;
  readonly isFinal: (change: Read['changes'][number]) => boolean;
  readonly finalCount: number;
}

/** Reads on from now while `work` makes these changes, until all are read; milliseconds from each to its reader. */
async function delays(
  client: InterfaceClient,
  { kind, isFinal, finalCount }: Wanted,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  const page = (after: string) => client.get<Read>(`/v6/changes/?limit=1000&kind=${kind}${after}`);
  let { cursor } = await page('');
  let isOver = false;
  let finalRead = 0;
  const waited: number[] = [];
  const reading = (async () => {
    for (let isLastRead = false; !isLastRead; await sleep(READ_MS)) {
      isLastRead = isOver;
      const read = await page(`&after=${cursor}`);
      const nowMs = Date.now();
      for (const { at } of read.changes) waited.push(nowMs - Date.parse(at));
      finalRead += read.changes.filter(isFinal).length;
      cursor = read.cursor;
    }
  })();
  try {
    await work();
    await until(`${finalCount} final changes are read`, async () => finalRead >= finalCount);
  } finally {
    isOver = true;
    await reading;
  }
  return waited;
}

/** Calls at a steady rate, whether or not those before have been answered. */
async function steadily(count: number, perSecond: number, call: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < count; n += 1) {
    await sleep(Math.max(0, startedMs + (n * 1_000) / perSecond - performance.now()));
    calls.push(call());
  }
  await Promise.all(calls);
}

async function delay(bench: Bench): Promise<void> {
  const perSecond = bench.parameter('jobs-per-second', 10, 200);
  const seconds = bench.parameter('seconds', 1, 20);
  const killedSeconds = bench.parameter('killed-seconds', 6, 30);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const NATS_URL = await serviceUrl('nats');
  const shared = { NATS_URL, MILLRACE_SECRET_KEY_FILE: join(folder, 'secret.key') };
  const system = await startSystem(bench, { agent: 'noop', coordinatorSettings: shared });
  let other: Program | undefined;
  try {
    other = millrace(bench, 'coordinator', {
      ...{ ...shared, DATABASE_URL: system.databaseUrl, MILLRACE_DATA_DIR: join(folder, 'other') },
      ...{ MILLRACE_HTTP: '127.0.0.1:0', MILLRACE_GRPC: `127.0.0.1:${await freePort()}` },
    });
    const reader = new InterfaceClient(await other.ready);
    const typeId = await makeJobType(system.client, 'bench-streamed', NOOP_EXECUTOR, 'nothing');
    const body = { job_type_id: typeId, input: { files: {}, json: {} } };
    const jobs = seconds * perSecond;
    // Not the number of changes: a job that is placed as it is created has fewer than others.
    const isFinal: Wanted['isFinal'] = ({ to }) => to === 'COMPLETED';
    const lives = { kind: 'job&kind=execution', isFinal, finalCount: jobs * 2 };
    const run = (): Promise<readonly number[]> =>
      delays(reader, lives, () => steadily(jobs, perSecond, () => system.client.post('/v6/jobs/', body)));
    if (!bench.isTiny) await run(); // warm-up
    const [halves, tails, rates]: [number[], number[], number[]] = [[], [], []];
    for (let at = 0; at < bench.runs; at += 1) {
      const waited = await run();
      rates.push(Math.round(waited.length / seconds));
      halves.push(percentile(waited, 0.5));
      tails.push(percentile(waited, 0.99));
    }
    const [half, tail] = [writtenRange(halves), writtenRange(tails)];
    const load = `${perSecond} jobs/s, ${writtenRange(rates)} changes/s`;
    bench.note(`Until read at another coordinator, ${load}: p50 ${half} ms, p99 ${tail} ms.`);
    bench.aim({ text: 'p99 until read', measured: median(tails), wanted: 150, bound: 'most', unit: 'ms' });
    const longest = await withoutGiver({ system, other, reader, seconds: killedSeconds });
    bench.aim({
      text: 'longest wait with the coordinator that assigns positions killed with -9: its lease and 2 s',
      ...{ measured: longest, wanted: LEASE_MS + 2_000, bound: 'most', unit: 'ms' },
    });
  } finally {
    await other?.stop();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Cluster {
  readonly system: System;
  readonly other: Program;
  readonly reader: InterfaceClient;
  readonly seconds: number;
}

/** The longest wait of a change, ms: 20 a second are written while the coordinator that gives positions is killed. */
async function withoutGiver({ system, other, reader, seconds }: Cluster): Promise<number> {
  return withClient(system.databaseUrl, async (database) => {
    const assigner = async (): Promise<string | undefined> => {
      const { rows } = await database.query<{ address: string }>(
        `select c.http_address as address from shard_lease l join coordinator c on c.id = l.owner
         where l.shard = $1 and l.expires > now()`,
        [shardOf(CHANGES.kind, CHANGES.key)],
      );
      return rows[0]?.address;
    };
    let address: string | undefined;
    await until('somebody gives positions', async () => {
      address = await assigner();
      return address !== undefined;
    });
    const isReader = new URL(reader.base).port === address?.split(':').at(-1);
    await database.query(`insert into dataset (definition, created) values ('{}', now())`);
    const change = () => database.query(`update dataset set description = clock_timestamp()::text`);
    const changes = { kind: 'dataset', isFinal: () => true, finalCount: 1 + seconds * 20 };
    const waited = await delays(isReader ? system.client : reader, changes, async () => {
      await change();
      process.kill(isReader ? other.pid : system.coordinatorPid, 'SIGKILL');
      await steadily(seconds * 20, 20, change);
    });
    return Math.max(...waited);
  });
}

await runBench(import.meta.filename, async (bench) => {
  if (bench.wants('cost')) await cost(bench);
  if (bench.wants('whole')) await whole(bench);
  if (bench.wants('delay')) await delay(bench);
});

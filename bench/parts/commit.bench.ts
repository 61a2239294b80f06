/**
 * Whole job lives a second through the committer's port: queued with its event, placed, ended with its execution, each
 * a turn of its own, in groups, on parallel lanes.
 *
 * Beside it the rows of the same lives as three bare statements a group.
 */
import type { Change } from '../../src/domain/changes.ts';
import type { Turn } from '../../src/kernel/mod.ts';
import { reserveIds } from '../../src/store/ids.ts';
import { makeEnd, makeEvent, makeExecutionEnd, makeJob, makeQueueing } from '../../test/store/make.ts';
import { EPOCH, NOW, type StoreWorld, storeWorld } from '../../test/store/store-world.ts';
import { runBench } from '../harness/bench.ts';
import { openTestDatabases } from '../harness/database.ts';
import { type Meter, OWN_METER, rate } from '../harness/meter.ts';
import { openBareLives } from '../peers/bare-lives.ts';

const LANES = 3;
const GROUPS = [1, 50, 200, 500];
/** Ids of one reservation. */
const IDS_EACH = 50_000;
const CLASS = { key: 'bench', jobTypeId: 0, resources: { cpus: 1 }, executor: 'docker', workspaceIds: [] };

interface Ids {
  readonly jobs: readonly number[];
  readonly events: readonly number[];
  readonly executions: readonly number[];
}

const turnOf = (changes: readonly Change[]): Turn<Change> => ({ shard: 1, epoch: EPOCH, changes });

function phases(world: StoreWorld, ids: Ids): ((at: number) => Turn<Change>)[] {
  const idAt = (list: readonly number[], at: number): number => list[at] ?? 0;
  return [
    (at) => {
      const [id, eventId] = [idAt(ids.jobs, at), idAt(ids.events, at)];
      const job = makeJob(world, { id, eventId, queueing: makeQueueing({ classKey: CLASS.key }) });
      return turnOf([
        { type: 'createEvents', events: [makeEvent(eventId)] },
        { type: 'ensureClasses', classes: [{ ...CLASS, jobTypeId: world.ids.type }] },
        { type: 'createJobs', jobs: [job] },
      ]);
    },
    (at) => {
      const [jobId, executionId] = [idAt(ids.jobs, at), idAt(ids.executions, at)];
      const start = { executionId, jobId, exeNum: 1, nodeId: world.ids.node, atMs: NOW + 1 };
      return turnOf([{ type: 'placeJobs', starts: [start] }]);
    },
    (at) => {
      const output = { files: {}, json: {} };
      return turnOf([
        { type: 'moveJobs', moves: [makeEnd(idAt(ids.jobs, at), { output })] },
        { type: 'endExecutions', ends: [makeExecutionEnd(idAt(ids.executions, at), { output })] },
      ]);
    },
  ];
}

/** Lanes take groups of lives from one counter; each group goes through its three phases in order. */
async function run(world: StoreWorld, lives: number, group: number, meter: Meter) {
  const ids = {
    jobs: await reserve(world, 'job', lives),
    events: await reserve(world, 'event', lives),
    executions: await reserve(world, 'job_exe', lives),
  };
  const steps = phases(world, ids);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < lives) {
      const first = next;
      next += group;
      const members = Array.from({ length: Math.min(group, lives - first) }, (_, at) => first + at);
      for (const step of steps) await world.port.apply(members.map(step));
    }
  };
  return rate(lives, meter, () => Promise.all(Array.from({ length: LANES }, lane)));
}

async function reserve(world: StoreWorld, kind: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    ids.push(...(await reserveIds(world.db.sql, kind, Math.min(IDS_EACH, count - ids.length))));
  }
  return ids;
}

await runBench(import.meta.filename, async (bench) => {
  const lives = bench.parameter('lives', 20, 10_000);
  const single = bench.parameter('single-lives', 5, 1_000);
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  const bare = await openBareLives();
  const meter: Meter = {
    cpu: () => ({ ...OWN_METER.cpu(), ...database?.meter.cpu() }),
    ...(database === undefined ? {} : { wal: database.meter.wal }),
  };
  try {
    for (const group of GROUPS) {
      const count = group === 1 ? single : lives;
      const turns = group === 1 ? 'one turn' : `${group} turns`;
      await bench.compare({
        ...{ title: `${turns} a transaction`, unit: 'lives/s', each: 'life' },
        subjects: [
          { name: 'committer', work: () => run(world, count, group, meter) },
          {
            ...{
              name: 'bare SQL of the same rows',
              isPeer: true,
              remark: 'no leases, guards by turn or counters',
            },
            work: () => rate(count, meter, () => bare.run(count, group)),
          },
        ],
      });
    }
  } finally {
    await bare.close();
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});

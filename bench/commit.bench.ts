/**
 * Whole job lives a second through the committer's port: queued with its event, placed, ended with its
 * execution, each a turn of its own, in groups, on parallel lanes. The peer is the same life as three bare
 * statements a group. `node bench/commit.bench.ts [lives]` prints the table. Uses the test services'
 * database.
 */
import type { Change } from '../src/domain/changes.ts';
import type { ApplyPort, Turn } from '../src/kernel/mod.ts';
import { reserveIds } from '../src/store/ids.ts';
import { makeEnd, makeEvent, makeExecutionEnd, makeJob, makeQueueing } from '../test/store/make.ts';
import { EPOCH, NOW, type StoreWorld, storeWorld } from '../test/store/store-world.ts';

const LANES = 3;
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
async function run(
  port: ApplyPort<Change>,
  world: StoreWorld,
  lives: number,
  group: number,
): Promise<number> {
  const ids = {
    jobs: await reserve(world, 'job', lives),
    events: await reserve(world, 'event', lives),
    executions: await reserve(world, 'job_exe', lives),
  };
  const steps = phases(world, ids);
  let next = 0;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (next < lives) {
      const first = next;
      next += group;
      const members = Array.from({ length: Math.min(group, lives - first) }, (_, at) => first + at);
      for (const step of steps) await port.apply(members.map(step));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return lives / ((performance.now() - began) / 1000);
}

async function reserve(world: StoreWorld, kind: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    ids.push(...(await reserveIds(world.db.sql, kind, Math.min(50_000, count - ids.length))));
  }
  return ids;
}

/**
 * The peer: the same life as three guarded statements on the same tables, without actors, leases or folding.
 */
const PEER = [
  `with e as (insert into event (id, type, occurred) select unnest($1::bigint[]), 'USER', now())
   insert into job (id, shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status,
     num_exes,
     max_tries, priority, class_key, resources, input, created, queued, last_status_change, last_modified)
   select id, 1, 'job', id, $2, $3, id, 'QUEUED', 1, 3, 100, 'bench', '{"cpus":1}',
     '{"files":{},"json":{}}', now(),
     now(), now(), now() from unnest($1::bigint[]) as u(id)`,
  `with moved as (update job j set status = 'RUNNING', node_id = $2, started = now(),
    last_status_change = now(),
       last_modified = now()
     from unnest($1::bigint[]) as u(id) where j.id = u.id and j.status || '' = 'QUEUED' and j.num_exes = 1
     returning j.*)
   insert into job_exe (id, job_id, exe_num, job_type_id, node_id, status, resources, created, queued,
     started,
     last_modified)
   select id, id, 1, job_type_id, $2, 'RUNNING', resources, now(), queued, now(), now() from moved`,
  `with ended as (update job_exe x set status = 'COMPLETED', ended = now(), output = '{"files":{},"json":{}}',
       task_results = '{}', last_modified = now()
     from unnest($1::bigint[]) as u(id) where x.id = u.id and x.status || '' = 'RUNNING')
   update job j set status = 'COMPLETED', ended = now(), output = '{"files":{},"json":{}}',
     last_status_change = now(), last_modified = now()
   from unnest($1::bigint[]) as u(id) where j.id = u.id and j.status || '' = 'RUNNING' and j.num_exes = 1`,
].map((text, at) => ({ name: `peer_${at}`, text }));

async function runPeer(world: StoreWorld, lives: number, group: number): Promise<number> {
  const { type, rev, node } = world.ids;
  let next = 1_000_000 * ++peerRuns;
  const end = next + lives;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (next < end) {
      const ids = Array.from({ length: Math.min(group, end - next) }, (_, at) => next + at);
      next += group;
      for (const [at, statement] of PEER.entries()) {
        const others = [[type, rev], [node], []][at] ?? [];
        await world.db.sql.transaction((tx) => tx.execute(statement, [ids, ...others]));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return lives / ((performance.now() - began) / 1000);
}

let peerRuns = 0;
const downs: (() => Promise<void>)[] = [];
const world = await storeWorld({ teardown: (down) => void downs.push(down) });
const lives = Number(process.argv[2] ?? 5_000);
await run(world.port, world, Math.min(lives, 2_000), 200);
for (const group of [1, 50, 200, 500]) {
  const rate = await run(world.port, world, group === 1 ? Math.min(lives, 1_000) : lives, group);
  const peer = await runPeer(world, group === 1 ? Math.min(lives, 1_000) : lives, group);
  const [ours, bare] = [rate, peer].map((one) => String(Math.round(one)).padStart(6));
  process.stdout.write(
    `${String(group).padStart(4)} turns a group: ${ours} job lives a second, peer ${bare}\n`,
  );
}
for (const down of downs.reverse()) await down();

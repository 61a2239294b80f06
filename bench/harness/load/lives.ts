/**
 * Whole lives of jobs through the committer's port: queued with the event, placed, ended with the execution, each a
 * turn of its own, in groups, on parallel lanes.
 */
import type { Change } from '../../../src/domain/changes.ts';
import type { Turn } from '../../../src/kernel/mod.ts';
import { reserveIds } from '../../../src/store/ids.ts';
import { makeEnd, makeEvent, makeExecutionEnd, makeJob, makeQueueing } from '../../../test/store/make.ts';
import { EPOCH, NOW, type StoreWorld } from '../../../test/store/store-world.ts';
import { type Meter, rate } from '../meter.ts';

const LANES = 3;
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
      const placed = { nodeId: world.ids.node, atMs: NOW + 1, maxScheduled: null };
      const start = { executionId, jobId, exeNum: 1, ...placed };
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
export async function runLives(world: StoreWorld, lives: number, group: number, meter: Meter) {
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

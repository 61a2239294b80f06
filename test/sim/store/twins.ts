/** The simulated database and the real one, with the same first rows: what is done to both must come to the same. */
import type { Change } from '../../../src/domain/changes.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { loadNodes } from '../../../src/store/node/load.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { loadScans } from '../../../src/store/scan/load.ts';
import { loadScheduler } from '../../../src/store/scheduler/load.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { loadStrikes } from '../../../src/store/strike/load.ts';
import type { Ground } from '../../conformance/store.ts';
import { EPOCH, NOW, SCAN_CONFIGURATION, STRIKE_CONFIGURATION, storeWorld } from '../../store/store-world.ts';
import { MemoryStore } from './memory-store.ts';
import type { JobRow, JobTypeRow, Tables } from './tables.ts';

export async function beginTwins(t: Parameters<typeof storeWorld>[0]) {
  const real = await storeWorld(t);
  const { sql } = real.db;
  await ensureBuiltins(sql, NOW);
  const about = { title: 'S', description: '' };
  const strike = await createStrike(sql, {
    ...about,
    configuration: STRIKE_CONFIGURATION,
    workspaceId: real.ids.in,
    nowMs: NOW,
  });
  const memory = new MemoryStore(() => EPOCH);
  const { tables } = memory;
  const { id: _, ...settings } = { id: 1, ...(await loadScheduler(sql)).settings };
  tables.settings.put({ id: 1, ...settings });
  const nodes = await loadNodes(sql, [real.ids.node, real.ids.node2]);
  for (const [id, { executions: _e, reach: _r, ...row }] of nodes)
    tables.nodes.put({ ...row, id, shard: id });
  tables.jobTypes.put({ id: real.ids.type, isPaused: false, maxScheduled: null });
  for (const id of [real.ids.in, real.ids.out]) {
    const uuid = `00000000-0000-4000-8000-00000000000${id === real.ids.in ? 1 : 2}`;
    const name = id === real.ids.in ? 'in' : 'out';
    const configuration = { broker: { type: 'host', host_path: `/${name}` } };
    tables.workspaces.put({ id, uuid, name, configuration, isActive: true, claimedNodeId: null });
  }
  const row = (await loadStrikes(sql, [strike])).get(strike);
  if (row === undefined) throw new Error('no strike');
  const { ingestJob, job, title, description, configuration, workspaceId, isPaused, deferredCursor } = row;
  const shard = shardOf('strike', String(strike));
  tables.strikes.put({
    ...{ id: strike, shard, title, description, configuration, workspaceId, isPaused, deferredCursor },
    listing: row.listing,
    jobId: job.id,
  });
  putJob(tables, { ...job, shard, owner: { kind: 'strike', key: strike } });
  const scan = await createScan(sql, {
    ...about,
    configuration: SCAN_CONFIGURATION,
    workspaceId: real.ids.in,
    nowMs: NOW,
  });
  const ofScan = (await loadScans(sql, [scan])).get(scan);
  if (ofScan === undefined) throw new Error('no scan');
  const { ingest, dry_run: dryRun } = ofScan.jobs;
  tables.scans.put({
    ...{
      id: scan,
      shard: ofScan.ingestJob.shard,
      title: 'S',
      description: '',
      workspaceId: ofScan.workspaceId,
    },
    ...{ configuration: { ...ofScan.configuration }, jobId: ingest.id, dryRunJobId: dryRun.id, run: null },
    ...{ cursor: ofScan.cursor, counts: null, previousCounts: null },
    ...{ cancelThrough: null, reason: null, waiting: [] },
  });
  for (const one of [ingest, dryRun])
    putJob(tables, { ...one, shard: ofScan.ingestJob.shard, owner: { kind: 'scan', key: scan } });
  tables.commit();
  const ground: Ground = {
    nodes: [real.ids.node, real.ids.node2],
    workspaces: [real.ids.in, real.ids.out],
    jobType: real.ids.type,
    jobTypeRev: real.ids.rev,
    recipeType: real.ids.recipeType,
    recipeTypeRev: real.ids.recipeRev,
    strike,
    scan,
    nowMs: NOW,
  };
  const store = new RevisionCache(sql);
  const revisions = {
    recipes: await store.recipeRevisions([real.ids.recipeRev]),
    jobs: await store.jobRevisions([real.ids.rev]),
  };
  return { real, memory, ground, ingestJob, revisions, store };
}

/** A job of the system's, as far as anybody reads it. */
function putJob(tables: Tables, job: Pick<JobRow, 'id' | 'status' | 'exeNum' | 'shard' | 'owner'>): void {
  tables.jobs.put({
    ...{ jobTypeId: 9_999, jobTypeRevId: 1, eventId: 1, recipeId: null, recipeNode: null, recipeIds: [] },
    ...{ batchId: null, batchIds: [], maxTries: 0, priority: 5, timeoutS: 0, configuration: null, atMs: 0 },
    ...{ liveRecipeId: null, liveBatchId: null },
    ...{
      nodeId: null,
      error: null,
      classKey: null,
      resources: {},
      queuedMs: 0,
      notBeforeMs: null,
      input: null,
    },
    ...{ startedMs: null, endedMs: null, changedMs: 0 },
    ...{ output: null, isSuperseded: false, requestPosition: null, ...job },
  });
}

export type Twins = Awaited<ReturnType<typeof beginTwins>>;

export async function outcomeOf(apply: () => unknown): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify(await apply()));
  } catch (error) {
    return (error as Error).name;
  }
}

export const inOrder = <T>(list: Iterable<T>): T[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Pauses or limits the job type in both. */
export async function limitTypeInBoth(
  { real, memory, ground }: Twins,
  limits: Omit<JobTypeRow, 'id'>,
): Promise<void> {
  const { isPaused, maxScheduled } = limits;
  await real.rows('update job_type set is_paused = $2, max_scheduled = $3 where id = $1', [
    ground.jobType,
    isPaused,
    maxScheduled,
  ]);
  memory.transact((tables) => tables.jobTypes.patch(ground.jobType, limits));
}

/** Applies the same turns to both. Answers what the real one said; `differs`: that the other said something else. */
export async function applyBoth(
  { real, memory }: Twins,
  changes: readonly (readonly Change[])[],
  differs: (found: unknown, wanted: unknown, turns: string) => void,
): Promise<unknown> {
  const turns = changes.map((turnChanges) => ({ shard: 1, epoch: EPOCH, changes: turnChanges }));
  const wanted = await outcomeOf(() => real.port.apply(turns));
  const found = await outcomeOf(() => memory.apply(turns));
  if (JSON.stringify(wanted) !== JSON.stringify(found)) differs(found, wanted, JSON.stringify(turns));
  return wanted;
}

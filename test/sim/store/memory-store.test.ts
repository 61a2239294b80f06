/** The simulated database is compared with the real one: the same changes give the same answers and rows. */
import t from 'tap';
import type { PlacementResult } from '../../../src/domain/changes.ts';
import type { AssignedExecution, NodeRow } from '../../../src/domain/node/node.ts';
import { ingestsOfJobs, liveIngests, sourcesAt } from '../../../src/store/ingest/load.ts';
import { runningExecutions, strayOwners } from '../../../src/store/job/load.ts';
import {
  assignedTo,
  dueNodes,
  loadNodes,
  nodesReaching,
  unknownExecutions,
} from '../../../src/store/node/load.ts';
import { loadScheduler, queuedHeads } from '../../../src/store/scheduler/load.ts';
import { deferredIngests, loadStrikes } from '../../../src/store/strike/load.ts';
import { ChangeDraws } from '../../conformance/store.ts';
import { NOW } from '../../store/store-world.ts';
import * as loads from './load/loads.ts';
import * as trees from './load/tree-loads.ts';
import type { ExecutionRow, JobRow } from './tables.ts';
import { applyBoth, beginTwins, inOrder, limitTypeInBoth, type Twins } from './twins.ts';

/** Each of the last three once showed a difference. */
const SEEDS = [1, 2, 3, 4, 5, 6, 9, 28, 40];
const GROUPS = 80;
const SHARDS = Array.from({ length: 64 }, (_, shard) => shard);

/** What both load, side by side. */
async function loaded({ real, memory, ground, ingestJob }: Twins, draws: ChangeDraws) {
  const { sql } = real.db;
  const { tables } = memory;
  const owner = { kind: 'strike', key: ground.strike } as const;
  const page = { owner, afterId: 0, limit: 1_000 };
  const deferred = { strikeId: ground.strike, afterId: 0, limit: 1_000 };
  const [realSnapshot, snapshot] = [await loadScheduler(sql), loads.loadScheduler(tables)];
  const heads = snapshot.classes.map(({ key: classKey }) => {
    return { classKey, mode: 'FIFO', limit: 100, nowMs: NOW + 1_000_000 } as const;
  });
  const executions = [...tables.executions.where(() => true).map(({ id }) => id), 999_999, 999_998];
  const places = ground.workspaces.flatMap((workspaceId) =>
    [1, 2, 3, 4].map((at) => ({ workspaceId, filePath: `p${at}` })),
  );
  const jobIds = draws.jobs;
  const nodes = ground.nodes;
  const [realNodes, ourNodes] = [await loadNodes(sql, nodes), loads.loadNodes(tables, nodes)];
  const [strikes, ours] = [
    await loadStrikes(sql, [ground.strike]),
    loads.loadStrikes(tables, [ground.strike], ingestJob),
  ];
  const withoutWorkspaces = (found: typeof strikes) =>
    [...found.values()].map(({ workspaces: _w, ingestJob: _i, configuration: _c, ...row }) => row);
  return [
    ['settings', realSnapshot.settings, snapshot.settings],
    ['limits of types', inOrder(realSnapshot.types), inOrder(snapshot.types)],
    ['nodes to place on', inOrder(realSnapshot.nodes), inOrder(snapshot.nodes)],
    ['running', inOrder(realSnapshot.running), inOrder(snapshot.running)],
    ['classes', inOrder(realSnapshot.classes), inOrder(snapshot.classes)],
    [
      'heads',
      await Promise.all(heads.map((one) => queuedHeads(sql, one))),
      heads.map((one) => loads.queuedHeads(tables, one)),
    ],
    [
      'assigned',
      byExecution((await assignedTo(sql, [nodes[0] ?? 0])).get(nodes[0] ?? 0) ?? []),
      byExecution(loads.assignedTo(tables, nodes[0] ?? 0)),
    ],
    [
      'unknown executions',
      await unknownExecutions(sql, executions),
      loads.unknownExecutions(tables, executions),
    ],
    ['nodes', nodes.map((id) => plain(realNodes.get(id))), nodes.map((id) => plain(ourNodes.get(id)))],
    ['due nodes', (await dueNodes(sql, SHARDS)).length, loads.dueNodes(tables, SHARDS).length],
    [
      'reaching',
      await nodesReaching(sql, ground.workspaces.slice(0, 1)),
      loads.nodesReaching(tables, ground.workspaces.slice(0, 1)),
    ],
    ['live', await liveIngests(sql, page), loads.liveIngests(tables, page)],
    ['deferred', await deferredIngests(sql, deferred), loads.deferredIngests(tables, deferred)],
    [
      'ingests of jobs',
      await ingestsOfJobs(sql, { owner, jobIds }),
      loads.ingestsOfJobs(tables, { owner, jobIds }),
    ],
    ['sources', inOrder(await sourcesAt(sql, places)), inOrder(loads.sourcesAt(tables, places))],
    ['strikes', withoutWorkspaces(strikes), withoutWorkspaces(ours)],
    ['executions', await runningExecutions(sql, jobIds), trees.runningExecutions(tables, jobIds)],
    ['strays', await strayOwners(sql, 'job', SHARDS), trees.strayOwners(tables, 'job', SHARDS)],
    [
      'instants of jobs',
      await realInstants(real, 'job', (id) => jobIds.includes(id)),
      ourInstants(tables.jobs.rows.values(), (id) => jobIds.includes(id)),
    ],
    [
      'instants of executions',
      await realInstants(real, 'job_exe'),
      ourInstants(tables.executions.rows.values()),
    ],
    ['phases', await realPhases(real), ourPhases(tables.executions.rows.values())],
    [
      'counters',
      await realCounters(real),
      [...tables.recipes.rows.values()]
        .map(({ id, counts: c, isCompleted }) => ({
          id,
          total: c.total ?? 0,
          queued: c.QUEUED ?? 0,
          running: c.RUNNING ?? 0,
          failed: c.FAILED ?? 0,
          completed: c.COMPLETED ?? 0,
          canceled: c.CANCELED ?? 0,
          subs: c.subTotal ?? 0,
          isCompleted,
        }))
        .sort((a, b) => a.id - b.id),
    ],
  ] as const;
}

function plain(row: NodeRow | undefined) {
  return { ...row, executions: byExecution(row?.executions ?? []), reach: inOrder(row?.reach ?? []) };
}

function byExecution(executions: readonly AssignedExecution[]): AssignedExecution[] {
  return executions.toSorted((a, b) => a.executionId - b.executionId);
}

interface Instants {
  readonly id: number;
  readonly queued: number | null;
  readonly started: number | null;
  readonly ended: number | null;
}

const isInOrder = ({ queued, started, ended }: Instants) =>
  (started === null || (queued !== null && queued <= started)) &&
  (started === null || ended === null || started <= ended);

async function realInstants(
  { rows }: Twins['real'],
  table: 'job' | 'job_exe',
  isWanted: (id: number) => boolean = () => true,
) {
  const found = await rows<Instants>(`select id, queued, started, ended from ${table} order by id`);
  return found.filter(({ id }) => isWanted(id)).map((row) => ({ ...row, isInOrder: true }));
}

function ourInstants(rows: Iterable<TimedRow>, isWanted: (id: number) => boolean = () => true) {
  return [...rows]
    .filter(({ id }) => isWanted(id))
    .sort((a, b) => a.id - b.id)
    .map(({ id, queuedMs, startedMs, endedMs }) => ({
      ...{ id, queued: queuedMs === 0 ? null : queuedMs, started: startedMs, ended: endedMs },
    }))
    .map((row) => ({ ...row, isInOrder: isInOrder(row) }));
}

async function realPhases({ rows }: Twins['real']) {
  return rows(`select id, coalesce(task_results -> 'phases', '[]') as phases from job_exe order by id`);
}

function ourPhases(rows: Iterable<ExecutionRow>) {
  return [...rows].sort((a, b) => a.id - b.id).map(({ id, phases }) => ({ id, phases }));
}

type TimedRow = Pick<JobRow, 'id' | 'queuedMs' | 'startedMs' | 'endedMs'>;

function realCounters({ rows }: Twins['real']) {
  return rows(`select id, jobs_total as total, jobs_queued as queued, jobs_running as running, jobs_failed as failed,
    jobs_completed as completed, jobs_canceled as canceled, sub_recipes_total as subs, is_completed as "isCompleted"
    from recipe order by id`);
}

/** What a group answered about placements; none when it was refused. */
function placementsOf(answer: unknown): PlacementResult[] {
  if (!Array.isArray(answer)) return [];
  return answer.flat().filter((one) => one?.isOutdated !== undefined);
}

for (const seed of SEEDS) {
  t.test(`memory store: it treats the changes of seed ${seed} like the real one`, async (t) => {
    const beds = await beginTwins(t);
    const draws = new ChangeDraws(seed, beds.ground);
    let saved = 0;
    const placements: PlacementResult[] = [];
    for (let at = 0; at < GROUPS; at++) {
      const wanted = await applyBoth(beds, draws.group(), (...said) => t.same(...said));
      if (typeof wanted !== 'string') saved += 1;
      const limits = draws.typeLimits();
      if (limits === undefined) continue;
      await limitTypeInBoth(beds, limits);
      const isDrawn = ({ id, status }: JobRow) => status === 'QUEUED' && draws.jobs.includes(id);
      const queued = beds.memory.tables.jobs.where(isDrawn);
      const placed = await applyBoth(beds, [draws.placement(queued)], (...said) => t.same(...said));
      placements.push(...placementsOf(placed));
      const atOnce = await applyBoth(beds, draws.placedJob(), (...said) => t.same(...said));
      placements.push(...placementsOf(atOnce));
    }
    for (const [what, real, ours] of await loaded(beds, draws)) t.same(ours, real, what);
    t.ok(saved > GROUPS / 5, `${saved} groups were saved`);
    const outdated = placements.filter((one) => one.isOutdated);
    t.ok(outdated.length > 0, `${outdated.length} of ${placements.length} placements knew old limits`);
  });
}

/** What must hold of every commit, whatever else goes wrong. */

import type { Change } from '../../../src/domain/changes.ts';
import type { JobStatus } from '../../../src/domain/job/job.ts';
import { NEXT } from '../../../src/domain/job/job-machine.ts';
import { AHEAD_TIMES_MAX, SHORT_MS_MAX } from '../../../src/domain/scheduling/work-ahead.ts';
import type { Turn } from '../../../src/kernel/mod.ts';
import type { KeyedRequest } from '../requests/keyed-requests.ts';
import type { RowChange } from '../store/table.ts';
import type {
  ConditionRow,
  Counter,
  ExecutionRow,
  IngestRow,
  JobRow,
  NodeDbRow,
  ReachRow,
  RecipeRow,
  ScanDbRow,
  Tables,
} from '../store/tables.ts';
import type { World } from '../world.ts';
import { Broken } from './broken.ts';
import { checkKeys } from './key-laws.ts';
import { OwnerLaws } from './owner-laws.ts';
import { PlacementLaws } from './placement-laws.ts';
import { PurgeLaws } from './purge-laws.ts';
import { RequestLaws } from './request-laws.ts';
import { StartLaws } from './start-laws.ts';
import { WayLaws } from './way-laws.ts';

/** What a node gave or reached so long ago may still be somebody's knowledge. */
const KNOWLEDGE_MS = 25_000;

/** A reading of the database's clock that was long under way tells it no better, and what was said by it comes late. */
const AHEAD_MS_MAX = 15_000;

const INGEST_ENDS: readonly IngestRow['status'][] = ['INGESTED', 'DUPLICATE'];

export class CommitLaws {
  commits = 0;
  readonly purges = new PurgeLaws();
  readonly owners: OwnerLaws;
  readonly starts: StartLaws;
  readonly ways: WayLaws;
  readonly placements: PlacementLaws;
  readonly #world: World;
  /** Until when somebody may still know what is true no more, by row. */
  readonly #shortTypes = new Set<number>();
  readonly #gaveMs = new Map<
    number,
    { readonly resources: NodeDbRow['resources']; readonly untilMs: number }[]
  >();
  readonly #reachedMs = new Map<string, number>();
  #broken: Broken | undefined;
  #hash = 0;

  constructor(world: World) {
    this.#world = world;
    const requests = new RequestLaws(world);
    const fail = (law: string, what: string) => this.#fail(law, what);
    this.owners = new OwnerLaws(world, fail);
    this.starts = new StartLaws(world, fail);
    this.ways = new WayLaws(world, fail);
    this.placements = new PlacementLaws(world, fail);
    world.store.onCommit = (changes, turns) => {
      this.purges.note(changes, turns.length > 0, fail);
      if (turns.length > 0) this.purges.checkAlone(world.store, changes, fail);
      this.#check(changes);
      requests.check(changes, fail);
      this.placements.check(changes, turns);
      this.#moves(changes, turns);
    };
  }

  get trace(): string {
    return (this.#hash >>> 0).toString(16);
  }

  checkKeys(requests: readonly KeyedRequest[]): void {
    checkKeys(this.#world, requests, this.purges, (law, what) => this.#fail(law, what));
  }

  throwIfBroken(): void {
    this.owners.look();
    this.starts.look();
    this.placements.look();
    if (this.#broken !== undefined) throw this.#broken;
  }

  #fail(law: string, what: string): void {
    this.#broken ??= new Broken(law, what, this.#world.time.nowMs);
  }

  #check(changes: readonly RowChange[]): void {
    this.commits += 1;
    const recipes = new Set<number>();
    // What the same commit starts was decided by what nodes gave and reached before it.
    for (const { table, before, after } of changes) {
      if (after === undefined) continue;
      if (table === 'node') this.#node(before as NodeDbRow | undefined, after as NodeDbRow);
      else if (table === 'node_workspace') this.#reach(before as ReachRow | undefined, after as ReachRow);
    }
    for (const { table, before, after } of changes) {
      this.#note(`${table}/${(after ?? before)?.id}`);
      if (after === undefined && table !== 'ingest') continue;
      if (table === 'job') this.#job(before as JobRow | undefined, after as JobRow, recipes);
      else if (table === 'job_exe')
        this.#execution(before as ExecutionRow | undefined, after as ExecutionRow);
      else if (table === 'ingest')
        this.#ingest(before as IngestRow | undefined, after as IngestRow | undefined);
      else if (table === 'recipe') {
        recipes.add((after as RecipeRow).id);
        this.#recipe(before as RecipeRow | undefined, after as RecipeRow);
      } else if (table === 'recipe_condition')
        this.#condition(before as ConditionRow | undefined, after as ConditionRow);
      else if (table === 'scan') this.#scan(before as ScanDbRow, after as ScanDbRow);
    }
    if (changes.some(({ table }) => table === 'purge')) return;
    for (const id of recipes) this.#recount(id);
  }

  #note(text: string): void {
    for (let at = 0; at < text.length; at++)
      this.#hash = Math.imul(this.#hash ^ text.charCodeAt(at), 0x01000193);
    this.#hash ^= Math.floor(this.#world.time.nowMs * 1_000);
  }

  /** Whatever the clocks of those who wrote them. Queued at 0: never. */
  #inOrder(what: string, { queuedMs, startedMs, endedMs }: JobRow | ExecutionRow): void {
    const instants = [queuedMs, startedMs, endedMs].filter((ms) => ms !== null && ms !== 0) as number[];
    if (instants.some((ms, at) => ms < (instants[at - 1] ?? 0)))
      this.#fail('queued <= started <= ended', `${what}: ${instants.join(' ')}`);
  }

  /** Coordinators go by their last reading, as do requests that they take before the next one. */
  #onServerClock({ id, changedMs }: JobRow): void {
    const { serverClock, clockReadings, time } = this.#world;
    const aheadMs = changedMs - serverClock.latestMs;
    if (aheadMs <= AHEAD_MS_MAX) return;
    if (aheadMs > AHEAD_MS_MAX + clockReadings.longestMs(time.nowMs, time.nowMs - AHEAD_MS_MAX))
      this.#fail("instants are on the database's clock", `job ${id}: ${aheadMs} ms ahead`);
  }

  /** What an agent tells of its tasks, on whatever clock it has. */
  #phases({ id, phases, startedMs, endedMs }: ExecutionRow): void {
    const instants = phases.flatMap((one) => [one.startedMs, ...(one.endedMs === null ? [] : [one.endedMs])]);
    const all = [startedMs, ...instants, endedMs ?? Number.POSITIVE_INFINITY];
    if (all.some((ms, at) => ms < (all[at - 1] ?? 0)))
      this.#fail('tasks run between the start and the end of their execution', `${id}: ${all.join(' ')}`);
    const { runs, clocksDisturbedMs, serverClock } = this.#world;
    const run = runs.get(id);
    const main = phases.find(({ phase }) => phase === 'main');
    if (run === undefined || main?.endedMs == null || serverClock.isStepped) return;
    if (clocksDisturbedMs > run.beganMs - AHEAD_MS_MAX) return;
    const [toldMs, ranMs] = [main.endedMs - main.startedMs, run.endedMs - run.beganMs];
    if (Math.abs(toldMs - ranMs) > AHEAD_MS_MAX)
      this.#fail('tasks are as long as they ran', `execution ${id}: ${toldMs} ms, not ${ranMs}`);
  }

  #job(before: JobRow | undefined, after: JobRow, recipes: Set<number>): void {
    for (const id of after.recipeIds) recipes.add(id);
    this.#inOrder(`job ${after.id}`, after);
    this.#onServerClock(after);
    if (before === undefined) return;
    if (after.changedMs < before.changedMs)
      this.#fail(
        'instants of one job are in order',
        `job ${after.id}: ${before.changedMs}, then ${after.changedMs}`,
      );
    if (after.exeNum < before.exeNum) this.#fail('executions are counted up', `job ${after.id}`);
  }

  /** Each step of each job by itself: a turn may have moved one on twice. */
  #moves(changes: readonly RowChange[], turns: readonly Turn<Change>[]): void {
    const statuses = new Map<number, JobStatus>();
    const exeNums = new Map<number, number>();
    const begun = new Set<number>();
    for (const { table, before, after } of changes) {
      if (table === 'job' && before !== undefined && !statuses.has(before.id as number)) {
        statuses.set(before.id as number, (before as JobRow).status);
        exeNums.set(before.id as number, (before as JobRow).exeNum);
      }
      if (table === 'job_exe' && before === undefined) begun.add(after?.id as number);
    }
    for (const change of turns.flatMap((turn) => turn.changes)) {
      if (change.type === 'createJobs') {
        for (const { id, status, queueing } of change.jobs) {
          statuses.set(id, status);
          exeNums.set(id, queueing?.exeNum ?? 0);
        }
      } else if (change.type === 'moveJobs') {
        for (const move of change.moves) {
          if (move.kind === 'queue') exeNums.set(move.jobId, move.queueing.exeNum);
          this.#step(statuses, move.jobId, move.kind === 'queue' ? 'QUEUED' : move.to);
        }
      } else if (change.type === 'startExecutions' || change.type === 'placeJobs') {
        for (const { executionId, jobId, exeNum } of change.starts) {
          if (!begun.has(executionId)) continue;
          this.#step(statuses, jobId, 'RUNNING');
          const present = exeNums.get(jobId);
          if (exeNum !== (present ?? this.#world.store.tables.jobs.at(jobId).exeNum))
            this.#fail(
              'executions are of the present try',
              `execution ${executionId}: ${exeNum}, not ${present}`,
            );
        }
      }
    }
  }

  #step(statuses: Map<number, JobStatus>, jobId: number, to: JobStatus): void {
    const from = statuses.get(jobId);
    const next: readonly JobStatus[] = from === undefined ? [] : NEXT[from];
    // Own jobs of strikes and scans are never done: they are queued again whatever became of them.
    const { strikes, scans } = this.#world.store.tables;
    const isOwn =
      strikes.where((one) => one.jobId === jobId).length > 0 ||
      scans.where((one) => one.jobId === jobId || one.dryRunJobId === jobId).length > 0;
    // A canceled job that waits for others again may find them in trouble.
    const isFolded = from === 'CANCELED' && to === 'BLOCKED';
    if (from !== undefined && !next.includes(to) && !isFolded && !isOwn)
      this.#fail('terminal states are never left', `job ${jobId}: ${from} -> ${to}`);
    statuses.set(jobId, to);
  }

  #execution(before: ExecutionRow | undefined, after: ExecutionRow): void {
    const { tables } = this.#world.store;
    this.#inOrder(`execution ${after.id}`, after);
    this.#phases(after);
    if (isShort(after)) this.#shortTypes.add(after.jobTypeId);
    if (before !== undefined) {
      if (before.status !== 'RUNNING')
        this.#fail(
          'terminal states are never left',
          `execution ${after.id}: ${before.status} -> ${after.status}`,
        );
      return;
    }
    const job = tables.jobs.at(after.jobId);
    // One commit may begin it, end it and queue its job again, or queue its job again while it runs.
    if (tables.executions.at(after.id).status !== 'RUNNING') return;
    const live = tables.executions
      .withKey(job.id)
      .filter((one) => one.status === 'RUNNING' && one.exeNum === job.exeNum);
    if (live.length > 1)
      this.#fail('no two live executions of a job', `job ${job.id}: ${live.map((one) => one.id).join()}`);
    this.#promised(after);
    this.#reaches(after, job);
  }

  /**
   * What one that starts takes fits, with everything that runs on the node, into what it gives, or gave just now. One
   * that takes nothing may start beside tasks that outlast a node's shrinking. Short types are promised a multiple.
   */
  #promised({ id, nodeId, jobTypeId, resources: taken }: ExecutionRow): void {
    const { store, time } = this.#world;
    const held: Record<string, number> = {};
    for (const one of store.tables.executions.rows.values()) {
      if (one.nodeId !== nodeId || one.status !== 'RUNNING') continue;
      // Sent ahead behind it by the same commit.
      if (one.id > id && this.#shortTypes.has(one.jobTypeId)) continue;
      for (const name in taken)
        if ((taken[name] ?? 0) > 0) held[name] = (held[name] ?? 0) + (one.resources[name] ?? 0);
    }
    const gave = (this.#gaveMs.get(nodeId) ?? []).filter((one) => one.untilMs >= time.nowMs);
    const given = [store.tables.nodes.at(nodeId).resources, ...gave.map((one) => one.resources)];
    const { takesWorkAhead } = store.tables.nodes.at(nodeId);
    const times = takesWorkAhead && this.#shortTypes.has(jobTypeId) ? 1 + AHEAD_TIMES_MAX : 1;
    if (!given.some((resources) => fits(held, resources, times)))
      this.#fail('no node is promised more than it has', `node ${nodeId}: ${JSON.stringify(held)}`);
  }

  #reaches(execution: ExecutionRow, job: JobRow): void {
    const { store, time } = this.#world;
    const { tables } = store;
    for (const workspaceId of this.#workspacesOf(job)) {
      const id = `${execution.nodeId}/${workspaceId}`;
      const isReached = tables.reach.get(id)?.isReachable === true;
      if (!isReached && (this.#reachedMs.get(id) ?? -1) < time.nowMs)
        this.#fail(
          'nothing is started where its workspace cannot be reached',
          `execution ${execution.id} of a job of ${job.owner.kind}/${job.owner.key} on ${id}`,
        );
    }
  }

  #workspacesOf(job: JobRow): readonly number[] {
    const { tables } = this.#world.store;
    if (job.classKey !== null) return tables.classes.at(job.classKey).workspaceIds;
    const strike = tables.strikes.where((one) => one.jobId === job.id)[0];
    if (strike !== undefined) return [strike.workspaceId];
    const isScan = (one: ScanDbRow) => one.jobId === job.id || one.dryRunJobId === job.id;
    const scan = tables.scans.where(isScan)[0];
    if (scan !== undefined) return [scan.workspaceId];
    const ingest = tables.ingests.where((one) => one.jobId === job.id)[0];
    return ingest === undefined ? [] : [ingest.workspaceId, ingest.newWorkspaceId ?? ingest.workspaceId];
  }

  #ingest(before: IngestRow | undefined, after: IngestRow | undefined): void {
    if (before === undefined || !INGEST_ENDS.includes(before.status)) return;
    // It went with its source.
    if (after === undefined) return;
    if (after.status !== before.status)
      this.#fail(
        'terminal states are never left',
        `ingest ${before.id}: ${before.status} -> ${after.status}`,
      );
  }

  #recipe(before: RecipeRow | undefined, after: RecipeRow): void {
    if (before?.isSuperseded === true && !after.isSuperseded)
      this.#fail('terminal states are never left', `recipe ${after.id} was superseded`);
    if (before?.isCompleted === true && !after.isCompleted)
      this.#fail('terminal states are never left', `recipe ${after.id} was completed`);
    const open = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED', 'CANCELED'] as const;
    if (after.isCompleted && open.some((status) => (after.counts[status] ?? 0) > 0))
      this.#fail(
        'a completed recipe has nothing open',
        `recipe ${after.id}: ${JSON.stringify(after.counts)}`,
      );
    if (after.isCompleted && (after.counts.subTotal ?? 0) !== (after.counts.subCompleted ?? 0))
      this.#fail('a completed recipe has nothing open', `recipe ${after.id}: recipes inside`);
  }

  /** What is counted goes with a step of the cursor: no page counts twice. */
  #scan(before: ScanDbRow, after: ScanDbRow): void {
    if (before.run === null || after.run !== before.run) return;
    const counted = (scan: ScanDbRow) => (scan.counts?.matched ?? 0) + (scan.counts?.unmatched ?? 0);
    if (counted(after) > counted(before) && after.cursor <= before.cursor)
      this.#fail('a scan counts each file once', `scan ${after.id}: again after ${after.cursor}`);
  }

  #condition(before: ConditionRow | undefined, after: ConditionRow): void {
    if (before?.isProcessed === true)
      this.#fail('terminal states are never left', `condition ${after.id} was processed`);
  }

  #node(before: NodeDbRow | undefined, after: NodeDbRow): void {
    if (before === undefined || before.resources === after.resources) return;
    const known = this.#gaveMs.get(after.id) ?? [];
    const untilMs = this.#world.time.nowMs + KNOWLEDGE_MS;
    const fresh = known.filter((one) => one.untilMs >= this.#world.time.nowMs);
    this.#gaveMs.set(after.id, [...fresh, { resources: before.resources, untilMs }]);
  }

  #reach(before: ReachRow | undefined, after: ReachRow): void {
    if (before?.isReachable === true && !after.isReachable)
      this.#reachedMs.set(after.id, this.#world.time.nowMs + KNOWLEDGE_MS);
  }

  /** Counters equal a recount. */
  #recount(id: number): void {
    const { tables } = this.#world.store;
    const recipe = tables.recipes.get(id);
    if (recipe === undefined) return;
    const counts: Partial<Record<Counter, number>> = {};
    const add = (name: Counter) => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    for (const holder of [id, ...below(tables, id)]) {
      const inner = tables.recipes.at(holder);
      if (holder !== id) add('subTotal');
      if (holder !== id && inner.isCompleted) add('subCompleted');
      for (const { jobId } of tables.recipeNodes.withKey(holder)) {
        if (jobId === null) continue;
        add('total');
        add(tables.jobs.at(jobId).status);
      }
    }
    const names = new Set([...Object.keys(counts), ...Object.keys(recipe.counts)]) as Set<Counter>;
    for (const name of names) {
      if ((counts[name] ?? 0) !== (recipe.counts[name] ?? 0))
        this.#fail(
          'counters equal a recount',
          `recipe ${id}: ${name} is ${recipe.counts[name]}, not ${counts[name]}`,
        );
    }
  }
}

/** All recipes that a recipe holds, those that were carried over among them. */
function below(tables: Tables, recipeId: number): number[] {
  const inside = tables.recipeNodes.withKey(recipeId).flatMap(({ subRecipeId }) => subRecipeId ?? []);
  return inside.flatMap((id) => [id, ...below(tables, id)]);
}

/** In the law's own words, for sums of fractions drift. */
function isShort({ phases }: ExecutionRow): boolean {
  const [first] = phases;
  const endedMs = phases.at(-1)?.endedMs ?? null;
  return first !== undefined && endedMs !== null && endedMs - first.startedMs < SHORT_MS_MAX;
}

type Amounts = Readonly<Record<string, number>>;

function fits(wanted: Amounts, given: Amounts, times: number): boolean {
  return Object.entries(wanted).every(([name, amount]) => amount <= times * (given[name] ?? 0) + 1e-6);
}

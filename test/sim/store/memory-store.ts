/**
 * The simulated database: takes groups of turns like the real one, in one transaction, with leases checked and
 * guards applied. Held to the real one by test/conformance/store.ts.
 */
import type { Change, ChangeType } from '../../../src/domain/changes.ts';
import type { Turn } from '../../../src/kernel/mod.ts';
import { Fenced } from '../../../src/lib/commit-errors.ts';
import { BatchCounts } from '../../../src/store/batch/counts.ts';
import { Group } from '../../../src/store/sql/group.ts';
import { type KeyTaken, keyTaken, writeAnswers } from './answer-rows.ts';
import { ChangeRows } from './change-rows.ts';
import { countBatches, createBatches, refuseDeletedBatches, writeBatches } from './save/batches.ts';
import { unpublishProducts, writeFiles } from './save/files.ts';
import { type Arrivals, readArrivals, stepIngests, writeArrivals } from './save/ingests.ts';
import {
  checkJobInputs,
  endExecutions,
  type LockedRows,
  type NewJobTypes,
  pendingJobs,
  type StoredPhases,
  storedPhases,
  writeJobs,
  writeSharing,
} from './save/jobs.ts';
import { writeNodes } from './save/nodes.ts';
import { checkInputs, createRecipes, updateRecipes, writeRecipeNodes } from './save/recipes.ts';
import { writeJobRequests } from './save/requests.ts';
import type { RowChange } from './table.ts';
import { Tables } from './tables.ts';
import { violated } from './violated.ts';

/** What it knows how to save. Other changes are none of the simulation's. */
export const SAVED: readonly ChangeType[] = [
  ...(['createEvents', 'ensureClasses', 'createRecipes', 'createConditions', 'createJobs'] as const),
  ...(['createRecipeNodes', 'setRecipeInputs', 'processConditions', 'moveJobs'] as const),
  ...(['startExecutions', 'placeJobs', 'endExecutions', 'createProducts', 'createSourceFiles'] as const),
  ...(['supersedeFiles', 'completeRecipes', 'recordArrivals', 'startIngests', 'endIngests'] as const),
  ...(['requeueIngests', 'progressIngests', 'editStrike', 'editScan', 'saveNode'] as const),
  ...(['markListing'] as const),
  ...(['supersedeRecipes', 'shareJobs', 'supersedeJobs', 'unpublishProducts'] as const),
  ...(['createBatches', 'supersedeBatches', 'advanceBatch', 'editBatch'] as const),
  ...(['saveReach', 'claimWorkspaces', 'releaseClaims'] as const),
  ...(['saveScheduler', 'saveUnmet', 'parseSources'] as const),
  ...(['createJobRequests', 'advanceJobRequest', 'stampJobs', 'keepAnswers'] as const),
];

export class MemoryStore {
  readonly tables = new Tables();
  readonly stream = new ChangeRows();
  /** Called with every commit that changed something, before anybody hears of it. */
  onCommit: (changes: readonly RowChange[], turns: readonly Turn<Change>[]) => void = () => {};
  /** Seeded bugs may stand here. */
  lockedRows: LockedRows = (rows) => rows;
  newJobTypes: NewJobTypes = (types) => types;
  storedPhases: StoredPhases = storedPhases;
  keyTaken: KeyTaken = keyTaken;
  readonly #epochOf: (shard: number) => number;

  /** `epochOf`: what the lease's row says. */
  constructor(epochOf: (shard: number) => number) {
    this.#epochOf = epochOf;
  }

  /** A transaction that is none of an actor's turns: all of `work` or, when it throws, nothing. */
  transact<T>(work: (tables: Tables) => T): T {
    let result: T;
    try {
      result = work(this.tables);
    } catch (error) {
      this.tables.rollback();
      throw error;
    }
    this.#committed([]);
    return result;
  }

  /** Throws TurnRefused or Fenced; then nothing was saved. */
  apply(turns: readonly Turn<Change>[]): readonly (readonly unknown[])[] {
    const lost = turns.filter((turn) => this.#epochOf(turn.shard) !== turn.epoch).map((turn) => turn.shard);
    if (lost.length > 0) throw new Fenced([...new Set(lost)]);
    const group = new Group(turns);
    for (const { change } of group.all) {
      if (!SAVED.includes(change.type)) throw new Error(`the simulated store cannot save ${change.type}`);
    }
    try {
      applyGroup(this.tables, group, this);
    } catch (error) {
      this.tables.rollback();
      throw error;
    }
    this.#committed(turns);
    return group.results;
  }

  #committed(turns: readonly Turn<Change>[]): void {
    const changes = this.tables.commit();
    if (changes.length === 0) return;
    this.stream.committed(changes);
    this.onCommit(changes, turns);
  }
}

/** In the order of the real store: src/store/commit.ts. */
function applyGroup(
  tables: Tables,
  group: Group,
  store: Pick<MemoryStore, 'lockedRows' | 'newJobTypes' | 'storedPhases' | 'keyTaken'>,
): void {
  const arrivals: Arrivals = readArrivals(tables, group);
  const { storedPhases, keyTaken } = store;
  const guards = { lock: store.lockedRows, readTypes: store.newJobTypes };
  const jobs = pendingJobs(tables, group, arrivals, guards);
  refuseDeletedBatches(tables, group);
  group.throwIfRefused();
  for (const event of [...arrivals.events, ...group.items('createEvents', (change) => change.events)]) {
    if (!tables.events.insert(event)) violated('event_pkey');
  }
  for (const jobClass of group.items('ensureClasses', (change) => change.classes)) {
    tables.classes.insert({ ...jobClass, id: jobClass.key });
  }
  createBatches(tables, group);
  const batches = new BatchCounts();
  batches.addJobs(jobs);
  const recipes = createRecipes(tables, group, jobs, batches);
  group.throwIfRefused();
  writeJobs(tables, jobs);
  writeSharing(tables, group);
  writeRecipeNodes(tables, group);
  endExecutions(tables, group, storedPhases);
  writeFiles(tables, group);
  checkJobInputs(tables, jobs);
  checkInputs(tables, group);
  writeArrivals(tables, arrivals);
  stepIngests(tables, group);
  unpublishProducts(tables, group);
  updateRecipes(tables, group, recipes, batches);
  countBatches(tables, batches);
  writeBatches(tables, group);
  writeJobRequests(tables, group);
  writeNodes(tables, group);
  writeAnswers(tables, group, keyTaken);
}

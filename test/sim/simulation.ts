/** One seed, from its beginning to rest: faults and faults for a while, then calm until nothing is left to do. */

import type { Seams } from './coordinator/coordinator.ts';
import { CALM, drawFaultRates, type FaultRates } from './fault-schedule.ts';
import { Faults } from './faults.ts';
import { Broken } from './invariants/broken.ts';
import { CommitLaws } from './invariants/commit-laws.ts';
import { checkRest, restlessness } from './invariants/rest-laws.ts';
import { People } from './people.ts';
import { isBucket } from './scenario.ts';
import type { Seeded } from './seeded.ts';
import type { SimTime } from './sim-time.ts';
import { World } from './world.ts';

export interface SimOptions {
  readonly seams?: Seams;
  /** How long things go wrong, milliseconds of simulated time; drawn from the seed when absent. */
  readonly stormMs?: number;
  /** Replaces what the seed draws. */
  readonly faultRates?: FaultRates;
  /** How long the world may take to come to rest. */
  readonly restMsMax?: number;
}

export interface SimReport {
  readonly seed: number;
  readonly simulatedMs: number;
  readonly steps: number;
  readonly faults: number;
  readonly files: number;
  readonly jobs: number;
  readonly commits: number;
  readonly faultCounts: ReadonlyMap<string, number>;
  /** What came about, by kind: seeds that pass because nothing happens prove nothing. */
  readonly reached: ReadonlyMap<string, number>;
  /** How long it took to come to rest once the faults were over. */
  readonly restMs: number;
  /** The longest that a shard waited for an owner while somebody could take it. */
  readonly longestOwnerlessMs: number;
  /** The longest that a coordinator took to start while it reached the database. */
  readonly longestStartMs: number;
  /** Identifies the run: equal seeds give equal traces. */
  readonly trace: string;
}

const REST_MS_MAX = 400_000;
const LOOK_MS = 2_000;

/** Throws Broken at the first law that does not hold. */
export async function simulate(seed: number, options: SimOptions = {}): Promise<SimReport> {
  const world = new World(seed, options.seams);
  const { random, time, cables } = world;
  const laws = new CommitLaws(world);
  const faults = new Faults(world);
  const people = new People(world);
  const faultRates = options.faultRates ?? drawFaultRates(world);
  const stormMs = options.stormMs ?? random.int(10_000, 90_000);
  const afterEach = (): void => {
    laws.throwIfBroken();
    const [trouble] = world.troubles;
    if (trouble !== undefined)
      throw new Broken(trouble.law ?? 'an actor threw', `${trouble.event}: ${trouble.text}`, time.nowMs);
  };
  people.begin();
  world.start();
  await time.run(3_000, afterEach);
  cables.faultRates = faultRates;
  let isStorm = true;
  again(
    random,
    time,
    faultRates.eventEveryMs,
    () => isStorm,
    () => people.act(),
  );
  again(
    random,
    time,
    faultRates.faultEveryMs,
    () => isStorm,
    () => faults.strike(),
  );
  again(
    world.clocks,
    time,
    faultRates.clockEveryMs,
    () => isStorm,
    () => faults.stepClock(),
  );
  again(
    world.starts,
    time,
    faultRates.keyEveryMs,
    () => isStorm,
    () => people.keyed.act(),
  );
  again(
    world.starts,
    time,
    faultRates.startEveryMs,
    () => isStorm,
    () => faults.start(),
  );
  again(
    world.ofLimits,
    time,
    faultRates.limitEveryMs,
    () => isStorm,
    () => people.limits.act(),
  );
  again(
    world.boots,
    time,
    faultRates.powerEveryMs,
    () => isStorm,
    () => faults.losePower(),
  );
  if (world.ways !== undefined)
    again(
      world.ways.random,
      time,
      faultRates.wayEveryMs,
      () => isStorm,
      () => faults.way(),
    );
  await time.run(stormMs, afterEach);
  isStorm = false;
  cables.faultRates = CALM;
  world.loseHost();
  world.heal();
  const endMs = time.nowMs + (options.restMsMax ?? REST_MS_MAX);
  const leftToDo = () => restlessness(world) ?? people.keyed.open;
  for (let left = leftToDo(); left !== undefined; left = leftToDo()) {
    if (time.nowMs > endMs) throw new Broken('nothing is stuck', left, time.nowMs);
    people.heal();
    await time.run(LOOK_MS, afterEach);
    world.heal();
  }
  checkRest(world, people, laws.purges);
  laws.ways.checkRest();
  laws.checkKeys(people.keyed.requests);
  laws.throwIfBroken();
  return {
    ...{ seed, simulatedMs: time.nowMs, steps: time.steps, faults: faults.total, files: world.drops.length },
    ...{ jobs: world.store.tables.jobs.rows.size, commits: laws.commits, faultCounts: faults.counts },
    reached: new Map([
      ...reachedIn(world),
      ['messages that had to arrive', laws.ways.checked],
      ['requests with a key', people.keyed.requests.length],
      ['limits of types that changed', people.limits.count],
      ['placements refused as outdated', laws.placements.outdatedCount],
      ['changes that were read', world.changeReaders.count],
      ...(['waited', 'given back'] as const).map((how): [string, number] => [
        `launches that were sent ahead and ${how}`,
        world.waits.filter((one) => one === how).length,
      ]),
      ...['launches', 'taskUpdates', 'ingestUpdates'].map((type): [string, number] => [
        `${type} in one message`,
        world.together.filter((one) => one === type).length,
      ]),
    ]),
    restMs: time.nowMs - endMs + (options.restMsMax ?? REST_MS_MAX),
    longestOwnerlessMs: laws.owners.longestMs,
    longestStartMs: laws.starts.longestMs,
    trace: laws.trace,
  };
}

function reachedIn({ store: { tables } }: World): ReadonlyMap<string, number> {
  const { recipes, batches, scans, ingests } = tables;
  const ofScans = ingests.where((one) => one.owner.kind === 'scan' && one.status === 'INGESTED');
  const ofBuckets = ingests.where((one) => isBucket(one.workspaceId) && one.status === 'INGESTED');
  const done = batches.where((one) => one.isCreationDone);
  const runs = scans.where((one) => tables.jobs.at(one.jobId).exeNum > 0);
  return new Map([
    ['files of scans', ofScans.length],
    ['scans that were begun again', runs.filter((one) => tables.jobs.at(one.jobId).exeNum > 1).length],
    ['files of buckets', ofBuckets.length],
    ['reprocessed recipes', recipes.where((one) => one.supersededRecipeId !== null).length],
    ['recipes of batches', recipes.where((one) => one.batchId !== null).length],
    ['purges', tables.purges.rows.size],
    ['requests for many jobs', tables.jobRequests.rows.size],
    ['batches of datasets', done.filter((one) => one.supersededBatchId === null).length],
    ['batches of batches', done.filter((one) => one.supersededBatchId !== null).length],
  ]);
}

function again(random: Seeded, time: SimTime, everyMs: number, isOn: () => boolean, run: () => void): void {
  if (!Number.isFinite(everyMs)) return;
  time.after(2 * everyMs * random.next(), () => {
    if (!isOn()) return;
    run();
    again(random, time, everyMs, isOn, run);
  });
}

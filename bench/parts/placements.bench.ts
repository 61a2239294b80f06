/**
 * Placements a second that the scheduler decides: 1,000 simulated nodes, a long queue of jobs of 200 types, a tenth of
 * them paused and a tenth asking for what no node has, with better priority than all others. What is placed ends some
 * passes later. Rows are simulated: what a commit of placements costs is measured by `commit` and `noop-jobs`.
 *
 * Beside it the same queue without the types that can't be placed: nothing should be lost to them. Then what the
 * scheduler holds in memory for the whole queue, announced to it job by job.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  classesToRead,
  noteEnded,
  noteHead,
  noteQueued,
  runPass,
  type SchedulerState,
  settlePlacements,
  stateOf,
} from '../../src/domain/scheduling/scheduler-state.ts';
import type { SchedulingClass } from '../../src/domain/scheduling/scheduling-class.ts';
import type { QueuedJob } from '../../src/domain/scheduling/snapshot.ts';
import { makeClass, makeNode, makeSnapshot } from '../../test/domain/scheduling/cluster.ts';
import { runBench } from '../harness/bench.ts';
import { median, ratios } from '../harness/figures.ts';
import { OWN_METER, rate } from '../harness/meter.ts';
import type { Sample } from '../harness/results/result.ts';

const TYPES = 200;
const NODES = 1_000;
const HEAD = 1_000;
const HEADS_AT_ONCE = 8;
/** Passes that an execution lasts. */
const LASTS = 4;
const NOW_MS = 1_000_000_000;

type Plight = 'placeable' | 'paused' | 'unsatisfiable';

interface Type {
  readonly class: SchedulingClass;
  readonly plight: Plight;
}

function typesOf(count: number, hasBlocked: boolean): Type[] {
  return Array.from({ length: count }, (_, at): Type => {
    const blocked: Plight | undefined =
      at % 10 === 0 ? 'paused' : at % 10 === 1 ? 'unsatisfiable' : undefined;
    const plight = (hasBlocked ? blocked : undefined) ?? 'placeable';
    const cpus = plight === 'unsatisfiable' ? 1_000 : 1 + (at % 3);
    return { plight, class: makeClass({ jobTypeId: at + 1, resources: { cpus, mem: 128 + at } }) };
  });
}

/** The queue as rows have it: jobs of each type in their order, made as they are read. */
class Queue {
  readonly types: readonly Type[];
  readonly #each: number;
  readonly #read = new Map<string, number>();

  constructor(jobs: number, types: readonly Type[]) {
    this.types = types;
    this.#each = Math.ceil(jobs / types.length);
  }

  /** What can be placed of it. */
  get placeable(): number {
    return this.types.filter(({ plight }) => plight === 'placeable').length * this.#each;
  }

  job({ class: jobClass, plight }: Type, at: number): QueuedJob {
    const jobId = jobClass.jobTypeId * this.#each + at;
    const priority = plight === 'placeable' ? 100 : 1;
    return { jobId, exeNum: 1, priority, queuedMs: jobId, owner: { kind: 'job', key: jobId } };
  }

  /** The next of a class. */
  head(jobClass: SchedulingClass): { class: SchedulingClass; jobs: QueuedJob[]; isWhole: boolean } {
    const type = this.types[jobClass.jobTypeId - 1] as Type;
    const from = this.#read.get(jobClass.key) ?? 0;
    const length = Math.min(HEAD, this.#each - from);
    this.#read.set(jobClass.key, from + length);
    const jobs = Array.from({ length }, (_, at) => this.job(type, from + at));
    return { class: jobClass, jobs, isWhole: from + length >= this.#each };
  }

  snapshot() {
    const limit = { isPaused: true, maxScheduled: null, unmet: null };
    return makeSnapshot({
      types: this.types
        .filter(({ plight }) => plight === 'paused')
        .map((type) => ({ jobTypeId: type.class.jobTypeId, ...limit })),
      nodes: Array.from({ length: NODES }, (_, at) =>
        makeNode({ nodeId: at + 1, total: { cpus: 16, mem: 65_536, disk: 1_000_000 } }),
      ),
    });
  }
}

/** All that can be placed is, pass by pass. Throws when the scheduler stops before. */
function drain(state: SchedulerState, queue: Queue): void {
  const wanted = queue.placeable;
  const running: (readonly number[])[] = [];
  let placedInAll = 0;
  let executionId = 0;
  for (let idle = 0; placedInAll < wanted; ) {
    for (const jobClass of classesToRead(state, HEADS_AT_ONCE)) noteHead(state, queue.head(jobClass));
    const { placed } = runPass(state, NOW_MS, () => {
      executionId += 1;
      return executionId;
    });
    settlePlacements(state, placed, new Set(placed.map((one) => one.executionId)));
    placedInAll += placed.length;
    running.push(placed.map((one) => one.executionId));
    for (const one of running.length > LASTS ? (running.shift() ?? []) : []) noteEnded(state, one);
    idle = placed.length === 0 ? idle + 1 : 0;
    if (idle > TYPES) throw new Error(`${placedInAll} of ${wanted} were placed`);
  }
}

/** The state as rows give it: classes are known, their heads are not. */
function stateOfRows(queue: Queue): SchedulerState {
  return stateOf({ ...queue.snapshot(), classes: queue.types.map((type) => type.class) });
}

async function measure(jobs: number, hasBlocked: boolean): Promise<Sample> {
  const queue = new Queue(jobs, typesOf(TYPES, hasBlocked));
  const state = stateOfRows(queue);
  return rate(queue.placeable, OWN_METER, () => drain(state, queue));
}

/** The collector, so that garbage is not counted: Node only has it for those who ask when they start it, or here. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Bytes of the heap a queued job, all of them announced. */
function bytesEach(jobs: number): number {
  const queue = new Queue(jobs, typesOf(TYPES, true));
  const state = stateOf(queue.snapshot());
  const collect = collector();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const type of queue.types) {
    for (let at = 0; at < jobs / TYPES; at++) noteQueued(state, type.class, queue.job(type, at), NOW_MS);
  }
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  if (state.classes.size !== TYPES) throw new Error(`${state.classes.size} classes`);
  return bytes / jobs;
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 4_000, 1_000_000);
  const blocked = 'a fifth cannot be placed';
  const rows = await bench.compare({
    ...{ title: `${NODES} nodes, ${jobs} jobs of ${TYPES} types`, unit: 'placements/s', each: 'placement' },
    subjects: [
      { name: blocked, remark: 'and comes first', work: () => measure(jobs, true) },
      { name: 'all can be placed', work: () => measure(jobs, false) },
    ],
  });
  const bytes = bytesEach(jobs);
  bench.add({
    ...{ kind: 'figures', title: 'Memory', columns: ['', ''] },
    rows: [['bytes a queued job, all announced', bytes]],
  });
  const [first, other] = rows.map((row) => row.samples.map(({ value }) => value));
  const least = (text: string, measured: number, wanted: number, unit: string) =>
    bench.aim({ text, measured, wanted, bound: 'least', unit });
  least('placements a second', median(first ?? []), 20_000, 'placements/s');
  least(`${blocked} / all can be`, median(ratios(first ?? [], other ?? [])), 0.9, 'x');
  bench.aim({ text: 'memory a queued job', measured: bytes, wanted: 500, bound: 'most', unit: 'bytes' });
});

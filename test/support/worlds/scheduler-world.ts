/** The real scheduler actor: rows are a snapshot and heads of classes that the test gives. */

import { schedulerActor } from '../../../src/actors/scheduler/scheduler.actor.ts';
import { SCHEDULER } from '../../../src/actors/scheduler/scheduler.messages.ts';
import type { SchedulerPorts } from '../../../src/actors/scheduler/scheduler.ports.ts';
import { isPausing } from '../../../src/domain/job/retry.ts';
import type { SchedulingClass } from '../../../src/domain/scheduling/scheduling-class.ts';
import type { ClassHead, QueuedJob, SchedulerSnapshot } from '../../../src/domain/scheduling/snapshot.ts';
import { makeClass, makeJob, makeSnapshot } from '../../domain/scheduling/cluster.ts';
import { ActorWorld } from './actor-world.ts';

export class SchedulerWorld extends ActorWorld {
  snapshot: SchedulerSnapshot = makeSnapshot();
  readonly heads = new Map<string, ClassHead>();
  /** Jobs whose rows refuse to be placed. */
  readonly refused = new Set<number>();
  /** The limit in the row of every type: placements that were decided by another one are refused. */
  limitInRows: number | null = null;
  readonly applied: unknown[] = [];
  asked = 0;
  /** Tests replace these to simulate failures. */
  read = async (): Promise<SchedulerSnapshot> => this.snapshot;
  readHead = async (key: string): Promise<ClassHead | undefined> => this.heads.get(key);

  constructor() {
    const held: { self?: SchedulerWorld } = {};
    const self = (): SchedulerWorld => held.self as SchedulerWorld;
    const ports: SchedulerPorts = {
      loadScheduler: () => {
        self().asked += 1;
        return self().read();
      },
      queuedHeads: async ({ classKey, nowMs }) => {
        const head = await self().readHead(classKey);
        if (head === undefined) return undefined;
        return { ...head, jobs: head.jobs.filter((job) => !isPausing(job.notBeforeMs ?? 0, nowMs)) };
      },
      applySettings: async (settings) => void self().applied.push(settings),
    };
    super('scheduler', { def: schedulerActor, ports, others: ['node'] });
    held.self = this;
    this.answer = (change) => {
      if (change.type === 'saveScheduler') {
        const settings = { ...this.snapshot.settings, ...change.patch };
        this.snapshot = { ...this.snapshot, settings };
      }
      if (change.type !== 'placeJobs') return undefined;
      const current = change.starts.filter(({ maxScheduled }) => maxScheduled === this.limitInRows);
      this.#unqueue(current.map((start) => start.jobId));
      const placed = current.filter((start) => !this.refused.has(start.jobId));
      return {
        placedExecutionIds: placed.map((start) => start.executionId),
        isOutdated: current.length < change.starts.length,
      };
    };
  }

  #unqueue(jobIds: readonly number[]): void {
    for (const [key, head] of this.heads) {
      this.heads.set(key, { ...head, jobs: head.jobs.filter((job) => !jobIds.includes(job.jobId)) });
    }
  }

  async say(message: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<void> {
    this.tell(SCHEDULER.key, message);
    await this.clock.advance(1);
  }

  /** Adds queued jobs to the rows, and announces them to the scheduler. */
  queue(jobs: readonly Partial<QueuedJob>[], jobClass: SchedulingClass = makeClass()): Promise<void> {
    const made = jobs.map(makeJob);
    const before = this.heads.get(jobClass.key)?.jobs ?? [];
    this.heads.set(jobClass.key, { class: jobClass, jobs: [...before, ...made], isWhole: true });
    const others = this.snapshot.classes.filter((one) => one.key !== jobClass.key);
    this.snapshot = { ...this.snapshot, classes: [...others, jobClass] };
    return this.say({ type: 'queued', jobs: made.map((job) => ({ ...job, class: jobClass })) });
  }

  /** Says that the jobs are about to be queued. */
  hint(jobs: readonly Partial<QueuedJob>[], jobClass: SchedulingClass = makeClass()): Promise<void> {
    return this.say({
      type: 'queueing',
      jobs: jobs.map(makeJob).map((job) => ({ ...job, class: jobClass })),
    });
  }

  /** Launched jobs, in order. */
  launched(to?: string): number[] {
    type Launched = { jobId: number };
    return this.heard('launch', to).flatMap((one) =>
      (one.executions as Launched[]).map((each) => each.jobId),
    );
  }

  /** The last execution of the job that was placed. */
  executionOf(jobId: number): number {
    const starts = this.changes('placeJobs').flatMap((change) => change.starts);
    return starts.findLast((start) => start.jobId === jobId)?.executionId ?? 0;
  }
}

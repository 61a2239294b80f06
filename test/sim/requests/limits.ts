/**
 * People who pause and limit job types before they queue jobs, pause nodes, and take it back. Their draws are their
 * own. Changes of types are saved as the interface saves them: not by an actor, and the scheduler is told afterwards.
 */
import { SCHEDULER } from '../../../src/actors/scheduler/scheduler.messages.ts';
import { JOB_REVISION, NODES } from '../scenario.ts';
import type { Seeded } from '../seeded.ts';
import type { JobTypeRow } from '../store/tables.ts';
import type { World } from '../world.ts';

/** The share of changes of types after which nobody tells the scheduler: who made the change has died. */
const UNTOLD = 0.6;
const MAX_SCHEDULED_MOST = 2;
/** Jobs that are queued after something was paused or limited, and how soon. */
const JOBS_AFTER = 4;
const JOBS_WITHIN_MS = 4_000;
/** How long messages to the scheduler are lost around the pause of a node. */
const UNHEARD_MS = [300, 2_500] as const;

type Limits = Pick<JobTypeRow, 'isPaused' | 'maxScheduled'>;

const UNLIMITED: Limits = { isPaused: false, maxScheduled: null };

export class DrawnLimits {
  /** Changes of types. */
  count = 0;
  readonly #world: World;
  readonly #random: Seeded;
  readonly #queueJob: () => void;

  /** `queueJob`: queues a job of `JOB_REVISION`. */
  constructor(world: World, queueJob: () => void) {
    this.#world = world;
    this.#queueJob = queueJob;
    this.#random = world.ofLimits;
  }

  act(): void {
    if (this.#random.chance(0.4)) this.#pauseNode();
    else this.#editType();
  }

  /** Nothing stays paused or limited. */
  heal(): void {
    for (const { id } of this.#limited) this.#save(id, UNLIMITED);
  }

  get #limited(): JobTypeRow[] {
    return this.#world.store.tables.jobTypes.where((one) => one.isPaused || one.maxScheduled !== null);
  }

  #editType(): void {
    const random = this.#random;
    const limited = random.pick(this.#limited);
    if (limited !== undefined && random.chance(0.5)) {
      this.#save(limited.id, UNLIMITED);
      return;
    }
    const id = random.chance(0.7) ? JOB_REVISION.jobTypeId : this.#busyType();
    this.#save(id, this.#limits());
    if (id === JOB_REVISION.jobTypeId) this.#queueJobs(0);
  }

  #queueJobs(afterMs: number): void {
    for (let at = 0; at < JOBS_AFTER; at++)
      this.#world.time.after(afterMs + this.#random.next() * JOBS_WITHIN_MS, () => this.#queueJob());
  }

  #limits(): Limits {
    const random = this.#random;
    return random.chance(0.4)
      ? { isPaused: true, maxScheduled: null }
      : { isPaused: false, maxScheduled: random.int(1, MAX_SCHEDULED_MOST) };
  }

  /** One that has jobs to place or that run, if there is one. */
  #busyType(): number {
    const { jobs, jobTypes } = this.#world.store.tables;
    const waiting = jobs.where(
      ({ classKey, status }) => classKey !== null && (status === 'QUEUED' || status === 'RUNNING'),
    );
    const ids = [...jobTypes.rows.keys()] as number[];
    return this.#random.pick(waiting)?.jobTypeId ?? this.#random.pick(ids) ?? 0;
  }

  #save(id: number, limits: Limits): void {
    const { store, serving } = this.#world;
    store.transact((tables) => tables.jobTypes.patch(id, limits));
    this.count += 1;
    if (this.#random.chance(UNTOLD)) return;
    this.#random.pick(serving)?.system.tell(SCHEDULER, { type: 'typesChanged' });
  }

  #pauseNode(): void {
    const { cables, store, time } = this.#world;
    const paused = this.#random.pick(store.tables.nodes.where((one) => one.isPaused));
    if (paused !== undefined && this.#random.chance(0.7)) {
      this.#editNode(paused.id, false);
      return;
    }
    const unheardMs = this.#random.int(...UNHEARD_MS);
    cables.muffle('scheduler');
    time.after(unheardMs, () => cables.unmuffle('scheduler'));
    this.#editNode(this.#random.pick(NODES) ?? 1, true);
    this.#queueJobs(unheardMs);
  }

  #editNode(id: number, isPaused: boolean): void {
    this.#world.ask('node', id, { type: 'edit', isPaused }).catch(() => undefined);
  }
}

/** Changes of requests for many jobs, drawn right and wrong among all others. */
import type { Change } from '../../src/domain/changes.ts';
import type { JobChoice, NewJobRequest } from '../../src/domain/job/job-request.ts';
import { ChangeDraws } from './store.ts';

/** Positions that jobs are stamped with, and that requests are looked at from. */
export const POSITIONS_MAX = 12;

export const ANY: JobChoice = {
  ...{ startedMs: null, endedMs: null, status: null, jobIds: [], jobTypeIds: [], jobTypeNames: [] },
  ...{ batchIds: [], recipeIds: [], errorCategories: [], errorIds: [], isSuperseded: null },
};

export class RequestDraws extends ChangeDraws {
  readonly requests: number[] = [];

  protected override ways(): (() => Change[])[] {
    return [
      ...super.ways(),
      () => this.#create(),
      () => this.#create(),
      () => this.#advance(),
      () => this.#advance(),
      () => this.#stamp(),
      () => this.#stamp(),
      () => this.#stamp(),
      () => this.#carryOver(),
    ];
  }

  choice(): JobChoice {
    const { random } = this;
    const some = (from: readonly number[], chance: number): number[] =>
      random.chance(chance) ? [...new Set([this.one(from), this.one(from), this.one(from)])] : [];
    const { jobType } = this.ground;
    return {
      ...ANY,
      jobIds: some(this.jobs, 0.5),
      jobTypeIds: some([jobType, 99], 0.3),
      jobTypeNames: random.chance(0.2) ? [random.pick(['type-a', 'type-b', 'none']) ?? 'none'] : [],
      recipeIds: some(this.recipes, 0.2),
      batchIds: some([1, 2], 0.2),
      status: random.chance(0.3) ? (random.pick(['QUEUED', 'RUNNING', 'CANCELED'] as const) ?? null) : null,
      isSuperseded: random.chance(0.1) ? random.chance(0.5) : null,
    };
  }

  #create(): Change[] {
    const id = this.newId();
    this.requests.push(id);
    const request: NewJobRequest = {
      ...{ id, shard: this.random.int(0, 63), action: this.random.chance(0.5) ? 'cancel' : 'requeue' },
      ...{
        choice: this.choice(),
        priority: this.random.chance(0.3) ? 4 : null,
        revision: null,
        atMs: this.atMs,
      },
    };
    return [{ type: 'createJobRequests', requests: [request] }];
  }

  /** A job lives on in another recipe, of a batch or of none. */
  #carryOver(): Change[] {
    const [jobId, liveRecipeId] = [this.one(this.jobs), this.one(this.recipes)];
    const liveBatchId = this.random.pick([1, 2, null]) ?? null;
    const shared = { jobId, liveRecipeId, liveBatchId, recipeIds: [], batchIds: [], atMs: this.atMs };
    return [{ type: 'shareJobs', jobs: [shared] }];
  }

  /** Some jobs come into a backlog again, or leave one that they were never in. */
  #advance(): Change[] {
    const { random, atMs } = this;
    const requestId = this.random.pick(this.requests);
    if (requestId === undefined) return [];
    const beforeId = random.pick([null, 0, this.one(this.jobs)]) ?? null;
    const jobIds = [...new Set([this.one(this.jobs), this.one(this.jobs)])];
    const added = random.chance(0.7) ? jobIds.map((jobId) => ({ jobId, isChosen: random.chance(0.5) })) : [];
    const settled = random.chance(0.5) ? [this.one(this.jobs), 99] : [];
    const isDone = random.chance(0.2);
    return [{ type: 'advanceJobRequest', requestId, beforeId, isDone, added, settled, atMs }];
  }

  /** Beside a move of the job, which may be refused, or alone. */
  #stamp(): Change[] {
    const jobId = this.one(this.jobs);
    const stamp: Change = { type: 'stampJobs', jobIds: [jobId], position: this.random.int(1, POSITIONS_MAX) };
    const guard = {
      jobId,
      from: ['QUEUED', 'RUNNING', 'FAILED', 'PENDING', 'BLOCKED'],
      exeNum: null,
    } as const;
    const move = { kind: 'status', ...guard, to: 'CANCELED', atMs: this.atMs } as const;
    return this.random.chance(0.3) ? [stamp] : [{ type: 'moveJobs', moves: [move] }, stamp];
  }
}

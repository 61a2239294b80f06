/** People who cancel and requeue many jobs at a time, and what they may rely on once they are answered. */
import type { JobChoice, JobRequestAction, NewJobRequest } from '../../../src/domain/job/job-request.ts';
import { hinderOwners } from '../hearing.ts';
import { JOB_REVISION } from '../scenario.ts';
import type { SentRequest } from '../sent.ts';
import type { JobRow } from '../store/tables.ts';
import type { World } from '../world.ts';

const JOBS_MAX = 6;

const ANY: JobChoice = {
  ...{ startedMs: null, endedMs: null, status: null, jobIds: [], jobTypeIds: [], jobTypeNames: [] },
  ...{ batchIds: [], recipeIds: [], errorCategories: [], errorIds: [], isSuperseded: null },
};

export class DrawnJobRequests {
  readonly #world: World;
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Often a few jobs that somebody has asked about before. */
  act(): void {
    const { random } = this.#world;
    if (random.chance(0.6)) {
      this.#changeMind();
      return;
    }
    const action = random.pick(['cancel', 'requeue'] as const) ?? 'cancel';
    this.#send(action, this.#choice(action));
    if (random.chance(0.5)) {
      const other = action === 'cancel' ? 'requeue' : 'cancel';
      this.#world.time.after(random.next() * 3_000, () => this.#send(other, this.#choice(other)));
    }
  }

  /**
   * Somebody thinks better of it, while the owners hear badly. Jobs that have failed or were canceled stay so until
   * then; live ones may end by themselves.
   */
  #changeMind(): void {
    const { random, store, time } = this.#world;
    const [first, other] = random.chance(0.75)
      ? (['requeue', 'cancel'] as const)
      : (['cancel', 'requeue'] as const);
    const statuses = first === 'requeue' ? ['FAILED', 'CANCELED'] : ['QUEUED', 'RUNNING'];
    const isMeant = ({ owner, status, isSuperseded }: JobRow) =>
      ['job', 'recipe'].includes(owner.kind) && !isSuperseded && statuses.includes(status);
    const meant = store.tables.jobs.where(isMeant);
    const drawn = Array.from({ length: JOBS_MAX }, () => random.pick(meant)?.id ?? 0);
    const jobIds = [...new Set(drawn)].filter((id) => id > 0);
    if (jobIds.length === 0) return;
    const choice = { ...ANY, jobIds };
    // Those who hear late are asked again after ten seconds: then what comes late comes after the contrary.
    const isLate = hinderOwners(this.#world);
    const otherAfterMs = isLate ? random.int(9_800, 12_000) : random.next() * 4_000;
    this.#send(first, choice);
    time.after(otherAfterMs, () => this.#send(other, choice));
  }

  #choice(action: JobRequestAction): JobChoice {
    const { random, store } = this.#world;
    const { tables } = store;
    const isMeant = (one: JobRow) => ['job', 'recipe'].includes(one.owner.kind);
    const jobs = tables.jobs.where(isMeant);
    const before = random.pick(this.#world.sentRequests)?.request.choice.jobIds ?? [];
    const some = random.chance(0.5) ? before : [];
    const drawn = Array.from({ length: random.int(1, JOBS_MAX) }, () => random.pick(jobs)?.id ?? 0);
    const jobIds = [...new Set([...some, ...drawn])].filter((id) => id > 0);
    const status = action === 'requeue' && random.chance(0.5) ? 'CANCELED' : null;
    const draw = random.next();
    if (draw < 0.7 && jobIds.length > 0) return { ...ANY, status, jobIds };
    if (draw < 0.8) return { ...ANY, status, jobTypeIds: [JOB_REVISION.jobTypeId] };
    const batch = random.pick([...tables.batches.rows.values()]);
    if (draw < 0.9 && batch !== undefined) return { ...ANY, status, batchIds: [batch.id] };
    const recipe = random.pick([...tables.recipes.rows.values()]);
    if (recipe !== undefined) return { ...ANY, status, recipeIds: [recipe.id] };
    return { ...ANY, status: status ?? 'RUNNING' };
  }

  #send(action: JobRequestAction, choice: JobChoice): void {
    const world = this.#world;
    const [id = 0] = world.nextId();
    const request: NewJobRequest = {
      ...{ id, shard: world.shardOf('job_request', id), action, choice },
      priority: action === 'requeue' && world.random.chance(0.3) ? 2 : null,
      revision: null,
      atMs: Math.floor(world.serverClock.nowMs()),
    };
    this.#count += 1;
    const sent: SentRequest = { request, sentAt: this.#count, answeredAt: undefined };
    world.sentRequests.push(sent);
    world.ask('job_request', id, { type: 'begin', request }, true).then(
      () => {
        this.#count += 1;
        sent.answeredAt = this.#count;
      },
      () => undefined,
    );
  }
}

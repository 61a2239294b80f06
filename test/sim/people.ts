/** What people and senders do in a simulated world: files, jobs, and requests of all kinds. */
import { SCHEDULER } from '../../src/actors/scheduler/scheduler.messages.ts';
import { newStandaloneJob } from '../../src/domain/job/queueing.ts';
import type { AnyMessage } from '../../src/kernel/mod.ts';
import { hasElapsed } from '../../src/lib/elapsed.ts';
import { muffleSome } from './hearing.ts';
import { DrawnJobRequests } from './requests/job-requests.ts';
import { DrawnKeyedRequests } from './requests/keyed-requests.ts';
import { DrawnLimits } from './requests/limits.ts';
import { DrawnRecipeRequests } from './requests/recipe-requests.ts';
import { DrawnScanRequests } from './requests/scan-requests.ts';
import { JOB_REVISION, NODES, STRIKE } from './scenario.ts';
import { fileInfoOf } from './store/load/loads.ts';
import { workspaceIds } from './store/load/tree-loads.ts';
import { beginPurge } from './store/purge/rows.ts';
import type { ExecutionRow, FileRow, JobRow } from './store/tables.ts';
import { ARRIVAL_WORKSPACES, SCANNED_WORKSPACES, type World } from './world.ts';

/** Tasks that take longer are ended. */
const PATIENCE_MS = 40_000;
/** How often somebody continues with what is being purged, and for how long. */
const CLINGS = 5;
const CLING_MS_MAX = 6_000;

interface Habit {
  readonly weight: number;
  readonly run: () => void;
}

export class People {
  readonly #world: World;
  /** Jobs whose queueing was answered. */
  readonly acceptedJobs = new Set<number>();
  /** Batches whose beginning was answered. */
  readonly acceptedBatches = new Set<number>();
  /** Recipes whose start was answered. */
  readonly acceptedRecipes = new Set<number>();
  readonly keyed: DrawnKeyedRequests;
  readonly limits: DrawnLimits;
  readonly #draws: readonly Habit[];
  readonly #scans: DrawnScanRequests;
  readonly #recipes: DrawnRecipeRequests;
  readonly #jobRequests: DrawnJobRequests;

  constructor(world: World) {
    this.#world = world;
    this.#recipes = new DrawnRecipeRequests(world, this);
    this.#jobRequests = new DrawnJobRequests(world);
    this.keyed = new DrawnKeyedRequests(world);
    this.limits = new DrawnLimits(world, () => this.#queueJob());
    this.#scans = new DrawnScanRequests(world, (kind, id, message) => this.#ask(kind, id, message));
    this.#draws = this.#habits();
  }

  /** What is there before anything goes wrong. */
  begin(): void {
    for (const workspaceId of [...ARRIVAL_WORKSPACES, ...SCANNED_WORKSPACES]) {
      if (this.#world.random.chance(0.6)) this.#world.drop(workspaceId, `first-${workspaceId}.txt`);
    }
  }

  act(): void {
    const { random } = this.#world;
    let draw = random.next() * this.#draws.reduce((sum, { weight }) => sum + weight, 0);
    for (const { weight, run } of this.#draws) {
      draw -= weight;
      if (draw < 0) {
        run();
        return;
      }
    }
  }

  /** How likely each thing is; every seed has a mind for one of them. */
  #habits(): readonly Habit[] {
    const { random } = this.#world;
    const habits: Habit[] = [
      { weight: 30, run: () => this.#send() },
      { weight: 14, run: () => this.#scans.act() },
      { weight: 22, run: () => this.#recipes.act() },
      { weight: 16, run: () => this.#jobRequests.act() },
      { weight: 8, run: () => this.#purge() },
      { weight: 14, run: () => this.#queueJob() },
      { weight: 13, run: () => this.#drawn('cancelJobs') },
      { weight: 6, run: () => this.#drawn('requeueJobs') },
      { weight: 4, run: () => this.#edit('strike', random.pick(Object.values(STRIKE)) ?? 1) },
      { weight: 4, run: () => this.#edit('node', random.pick(NODES) ?? 1) },
      { weight: 2, run: () => this.#retire(random.pick(NODES) ?? 1) },
      { weight: 2, run: () => this.#pauseScheduler() },
    ];
    const liked = random.int(0, 5);
    return habits.map((one, at) => (at === liked ? { ...one, weight: 2.5 * one.weight } : one));
  }

  /** Whatever somebody paused continues. */
  heal(): void {
    const { tables } = this.#world.store;
    for (const one of tables.strikes.rows.values()) {
      if (one.isPaused) this.#ask('strike', one.id, { type: 'edit', isPaused: false });
    }
    for (const one of tables.nodes.rows.values()) {
      if (one.isPaused || !one.isActive)
        this.#ask('node', one.id, { type: 'edit', isPaused: false, isActive: true });
    }
    if (tables.settings.at(1).isPaused) this.#schedule(false);
    this.limits.heal();
    this.#scans.heal();
    this.#endEndless();
  }

  /** Nobody waits for a task for ever. */
  #endEndless(): void {
    const { store, serverClock } = this.#world;
    const nowMs = serverClock.nowMs();
    const isEndless = (one: ExecutionRow) =>
      one.status === 'RUNNING' && hasElapsed(one.startedMs, PATIENCE_MS, nowMs);
    for (const { jobId, exeNum } of store.tables.executions.where(isEndless)) {
      const { id, owner, status, exeNum: current } = store.tables.jobs.at(jobId);
      const isMeant = status === 'RUNNING' && exeNum === current && ['job', 'recipe'].includes(owner.kind);
      if (isMeant) this.#ask(owner.kind, owner.key, { type: 'cancelJobs', jobIds: [id] });
    }
  }

  #ask<Message extends AnyMessage>(kind: string, id: number, message: Message): void {
    this.#world.ask(kind, id, message).catch(() => undefined);
  }

  /** One file in four comes under a name that was there before. */
  #send(): void {
    const { random, drops } = this.#world;
    const workspaceId = random.pick([...ARRIVAL_WORKSPACES, ...SCANNED_WORKSPACES]) ?? 1;
    const before = drops.filter((one) => one.workspaceId === workspaceId);
    const again = random.chance(0.25) ? random.pick(before) : undefined;
    const count = again === undefined ? random.int(1, 2) : 1;
    for (let at = 0; at < count; at++) {
      this.#world.drop(workspaceId, again?.path ?? `file-${drops.length + 1}.txt`);
    }
  }

  #queueJob(): void {
    const world = this.#world;
    const [jobId = 0, eventId = 0] = world.nextId(2);
    const atMs = Math.floor(world.serverClock.nowMs());
    const { job, class: jobClass } = newStandaloneJob({
      ...{
        jobId,
        shard: world.shardOf('job', jobId),
        eventId,
        revision: JOB_REVISION,
        configuration: null,
        atMs,
      },
      ...{ input: { files: {}, json: {} }, files: new Map(), ...this.#input() },
      workspaces: workspaceIds(world.store.tables),
    });
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    world.ask('job', jobId, { type: 'queue', event, job, class: jobClass }, true).then(
      () => this.acceptedJobs.add(jobId),
      () => undefined,
    );
  }

  /** Some jobs take a source. */
  #input() {
    const { random, store } = this.#world;
    const isUsable = (one: FileRow) => one.fileType === 'SOURCE' && !one.isDeleted;
    const file = random.chance(0.4) ? random.pick(store.tables.files.where(isUsable)) : undefined;
    if (file === undefined) return {};
    return { input: { files: { IN: [file.id] }, json: {} }, files: new Map([[file.id, fileInfoOf(file)]]) };
  }

  #purge(): void {
    const world = this.#world;
    const file = world.random.pick(world.store.tables.files.where((one) => one.fileType === 'SOURCE'));
    const [id = 0] = world.nextId();
    if (file === undefined) return;
    const purge = { id, shard: world.shardOf('purge', id), fileId: file.id };
    if (!beginPurge(world.store, { ...purge, deletesSourceBytes: world.random.chance(0.5) })) return;
    world.tell('purge', id, { type: 'wake' });
    for (let at = 0; at < CLINGS; at++)
      world.time.after(world.random.next() * CLING_MS_MAX, () => this.#cling());
  }

  /** Somebody continues with what is being purged. */
  #cling(): void {
    const { store, random } = this.#world;
    const { purges, purgeJobs, purgeTrees, jobs } = store.tables;
    const purge = random.pick(purges.where((one) => one.phase !== 'done'));
    if (purge === undefined) return;
    const tree = random.pick(purgeTrees.withKey(purge.id));
    if (tree !== undefined && random.chance(0.5)) {
      this.#recipes.reprocess(tree.key);
      return;
    }
    const job = jobs.get(random.pick(purgeJobs.withKey(purge.id))?.key ?? 0);
    if (job !== undefined)
      this.#ask(job.owner.kind, job.owner.key, { type: 'requeueJobs', jobIds: [job.id] });
  }

  /** Asks for jobs in recipes and without; ingests are left alone. */
  #drawn(type: 'cancelJobs' | 'requeueJobs'): void {
    const { store, random } = this.#world;
    const isMeant = (one: JobRow) => ['job', 'recipe'].includes(one.owner.kind);
    const running = store.tables.jobs.where((one) => isMeant(one) && one.status === 'RUNNING');
    const isOfRunning = type === 'cancelJobs' && running.length > 0 && random.chance(0.7);
    const alone = running.filter(({ owner }) => owner.kind === 'job');
    const oldest = random.chance(0.6) ? this.#longestOf(random.chance(0.6) ? alone : running) : undefined;
    const job = isOfRunning
      ? (oldest ?? random.pick(running))
      : random.pick(store.tables.jobs.where(isMeant));
    if (job === undefined) return;
    if (type === 'cancelJobs') muffleSome(this.#world, 'node');
    this.#ask(job.owner.kind, job.owner.key, { type, jobIds: [job.id] });
  }

  /** The one that has run for longest: it may never end. */
  #longestOf(running: readonly JobRow[]): JobRow | undefined {
    const { executions } = this.#world.store.tables;
    const startedMs = ({ id }: JobRow) => executions.withKey(id).at(-1)?.startedMs ?? 0;
    return running.toSorted((a, b) => startedMs(a) - startedMs(b))[0];
  }

  #edit(kind: 'strike' | 'node', id: number): void {
    this.#ask(kind, id, { type: 'edit', isPaused: this.#world.random.chance(0.3) });
  }

  #retire(id: number): void {
    this.#ask('node', id, { type: 'edit', isActive: this.#world.random.chance(0.6) });
  }

  #pauseScheduler(): void {
    this.#schedule(this.#world.random.chance(0.3));
  }

  #schedule(isPaused: boolean): void {
    const [asked] = this.#world.serving;
    asked?.system
      .ask(SCHEDULER, { type: 'edit', patch: { isPaused } }, { deadlineMs: 10_000 })
      .catch(() => undefined);
  }
}

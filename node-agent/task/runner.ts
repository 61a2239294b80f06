/**
 * All executions of user jobs on this agent. They are accepted durably, run, reported, and cleaned up when their report
 * is acknowledged and their output is shipped. One execution never has two live tasks.
 */
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { LOG_LIMIT_DEFAULT } from '../../src/domain/job/job-config.ts';
import type { Amounts, HeldExecution, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../src/domain/node/coordinator-messages.ts';
import { executorOf } from '../../src/domain/scheduling/scheduling-class.ts';
import { executionFolder } from '../../src/domain/task/task-paths.ts';
import { traceFields } from '../../src/domain/trace.ts';
import type { Logger } from '../../src/observe/log.ts';
import { atMost, type Clock } from '../clock.ts';
import type { Spool, SpooledUpdate } from '../data/spool.ts';
import { DocumentReader } from '../documents/document-reader.ts';
import type { Executor, TaskIdentity } from '../executor/executor.ts';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { NodeWork } from '../offers.ts';
import type { Workspaces } from '../workspaces.ts';
import { Execution, type TaskReport } from './execution.ts';
import { DiskWatch } from './full-disk.ts';
import { discardProducts } from './hooks/post.ts';
import { needsFolder } from './hooks/pre.ts';
import { LaunchQueue } from './launch-queue.ts';
import type { LaunchRecords } from './launch-records.ts';
import type { PathAsker } from './own-paths.ts';
import { taskFolder } from './task-folder.ts';
import type { TaskFolders } from './task-folders.ts';
import { readSpec, type StoredLaunch, withoutSecrets } from './task-spec.ts';

const MIB = 1024 * 1024;
// limit: executions that read and write files at once.
const STAGING_MAX = 16;
// limit: ended executions that are remembered, so that a late repeat of a launch on the same session is not run again.
const ENDED_MAX = 10_000;
/** How long an acknowledged execution is kept for output that is not acknowledged. */
const SHIP_MS_MAX = 10 * 60_000;

/** How long a launch waits for the slot of the task before it, so that it can use the same one. */
const RELEASE_MS_MAX = 500;

/** How long a start waits to find running tasks before the agent reports what it holds. */
const LOCATE_MS_MAX = 5_000;

export interface RunnerOptions {
  /** Folder of the executions' folders; exists. */
  readonly folder: string;
  readonly folders: TaskFolders;
  readonly launches: LaunchRecords;
  readonly spool: Spool;
  readonly executors: readonly Executor[];
  /** Chooses the executor, by name, for a new launch. */
  readonly choose: (launch: Launch) => string;
  readonly workspaces: Workspaces;
  readonly paths: PathAsker;
  readonly logs: TaskLogs;
  readonly clock: Clock;
  readonly log: Logger;
  /** What the agent offers to all tasks together. */
  readonly offered: () => Amounts;
}

interface Held {
  readonly stored: StoredLaunch;
  readonly task: TaskIdentity;
  readonly executor: Executor | undefined;
  execution: Execution | undefined;
  /** The launch, with its secrets if it was received by this run of the agent. */
  launch: Launch;
}

export class TaskRunner {
  readonly #options: RunnerOptions;
  readonly #held = new Map<number, Held>();
  readonly #ended = new LRUCache<number, true>({ max: ENDED_MAX });
  readonly #staging = pLimit(STAGING_MAX);
  readonly #documents: DocumentReader;
  readonly #disk: DiskWatch;
  readonly #running = new Set<Promise<void>>();
  readonly #queue: LaunchQueue;
  #isStopped = false;
  #isDraining = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#documents = new DocumentReader(options.clock);
    this.#disk = new DiskWatch(options.folder, options.clock);
    this.#queue = new LaunchQueue({
      offered: options.offered,
      start: (launch) => this.#start(launch),
      giveBack: (launch) => this.#end(launch, GIVEN_BACK),
      after: (delayMs, call) => options.clock.after(delayMs, call),
    });
  }

  /** Continues tasks of earlier runs of the agent, and removes unknown folders. */
  async resume(): Promise<void> {
    const { launches, spool, folders, logs, clock, executors } = this.#options;
    const reported = new Set([...spool.pending()].map(({ executionId }) => executionId));
    for (const stored of launches.all()) {
      const held = this.#hold(stored, stored.launch);
      await held.executor?.reclaim(held.task);
      if (!reported.has(held.task.executionId)) {
        this.#begin(held, undefined, Promise.resolve());
        continue;
      }
      await logs.follow(held.task);
      await logs.end(held.task.executionId);
      await this.#release(held);
    }
    const held = new Set(this.#held.keys());
    for (const executor of executors) await executor.removeLeftovers(held);
    const located = [...this.#held.values()].map(({ execution }) => execution?.located);
    // An engine that does not answer delays only its own tasks, not the agent.
    await atMost(clock, LOCATE_MS_MAX, Promise.all(located));
    await folders.resume((executionId) => this.#held.has(executionId));
  }

  /** Executions that were accepted or refused, and whose ends are not acknowledged. */
  holds(): HeldExecution[] {
    const held = [...this.#held].map(([executionId, { execution }]) => ({
      executionId,
      phase: execution?.phase ?? ('ended' as const),
      needsLaunch: execution?.needsLaunch ?? false,
    }));
    const refused = [...this.#options.spool.pending()]
      .filter(({ type, executionId }) => type === 'taskUpdate' && !this.#held.has(executionId))
      .map(({ executionId }) => ({ executionId, phase: 'ended' as const, needsLaunch: false }));
    const waiting = [...this.#queue.executionIds()].map((executionId) => ({
      executionId,
      phase: 'pull' as const,
      needsLaunch: false,
    }));
    return [...held, ...refused, ...waiting];
  }

  /** The work besides the tasks themselves. */
  work(): NodeWork {
    const phases = [...this.#held.values()].map(({ execution }) => execution?.phase ?? 'ended');
    return {
      pulls: phases.filter((phase) => phase === 'pull').length,
      endedCount: phases.filter((phase) => phase === 'ended').length,
      removals: this.#options.folders.removalCount,
    };
  }

  get launches(): LaunchRecords {
    return this.#options.launches;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How many executions have not ended. */
  get activeCount(): number {
    return this.#running.size;
  }

  /** How many launches wait for room. */
  get waitingCount(): number {
    return this.#queue.size;
  }

  /**
   * Called when a session begins. Acknowledged executions have ended in the coordinator's rows. If one is launched
   * again, the database was restored to an earlier time, and the work is done again.
   */
  connected(): void {
    this.#ended.clear();
  }

  /**
   * Accepts and runs, as soon as there is room. A repeat changes nothing. A launch that waits is in memory only: an
   * agent that is killed meanwhile gets it again.
   */
  launch(launch: Launch): void {
    const known = this.#held.get(launch.executionId);
    if (known !== undefined) {
      known.launch = launch;
      known.execution?.supply(launch);
      return;
    }
    if (this.#isStopped || this.#ended.has(launch.executionId)) return;
    if (!isReadable(launch)) {
      this.#ended.set(launch.executionId, true);
      this.#record(refusal(launch, 'the agent cannot read the launch'));
      return;
    }
    if (this.#isDraining) this.#end(launch, GIVEN_BACK);
    else this.#queue.add(launch);
  }

  /** Nothing starts before the launch is recorded. */
  #start(launch: Launch): void {
    const { launches, log } = this.#options;
    const stored = withoutSecrets(launch, launches.bootId, this.#options.choose(launch));
    const held = this.#hold(stored, launch);
    const isRecorded = launches.keep(stored);
    this.#begin(held, launch, isRecorded);
    const fields = { executionId: launch.executionId, jobId: launch.jobId };
    isRecorded.then(
      () => log.debug('task_accepted', fields),
      (error: unknown) => log.error('launch_not_recorded', { ...fields, error }),
    );
  }

  /** Reports an execution that was not started. */
  #end(launch: Launch, how: Pick<TaskReport, 'outcome' | 'neverBegan'>): void {
    const { executionId, jobId, exeNum, owner } = launch;
    this.#ended.set(executionId, true);
    this.#record({ ...NOTHING, executionId, jobId, exeNum, owner, ...how });
  }

  #record(report: TaskReport): void {
    this.#options.spool
      .record(report)
      .catch((error: unknown) =>
        this.#options.log.error('report_not_recorded', { executionId: report.executionId, error }),
      );
  }

  kill(executionId: number): void {
    const waiting = this.#queue.remove(executionId);
    if (waiting !== undefined) this.#end(waiting, { outcome: 'CANCELED' });
    this.#held.get(executionId)?.execution?.cancel();
  }

  /** Gives back launches that wait, and those that come from now on. */
  drain(): void {
    this.#isDraining = true;
    this.#queue.giveBackAll();
  }

  /** Handles acknowledged reports: their executions are forgotten once their output is shipped. */
  async acknowledged(updates: readonly SpooledUpdate[], discardIds: ReadonlySet<number>): Promise<void> {
    const tasks = updates.filter((update): update is TaskUpdate => update.type === 'taskUpdate');
    await Promise.all(
      tasks.map(async (update) => {
        if (discardIds.has(update.executionId)) await this.#discard(update);
        await this.#forget(update);
      }),
    );
  }

  /** Stops handling tasks without ending them; resolves when nothing is in the middle of a step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.clear();
    for (const { execution } of this.#held.values()) execution?.abandon();
    await Promise.all(this.#running);
    await this.#options.folders.stop();
    for (const executor of this.#options.executors) await executor.close?.();
    await this.#documents.close();
  }

  #hold(stored: StoredLaunch, launch: Launch): Held {
    const { executionId, jobId, exeNum, jobTypeName, jobTypeVersion, containerImage, logLimitMib } =
      stored.launch;
    const task = {
      executionId,
      jobId,
      exeNum,
      jobTypeName,
      jobTypeVersion,
      image: containerImage,
      folder: taskFolder(executionFolder(this.#options.folder, executionId)),
      logBytesMax: (logLimitMib ?? LOG_LIMIT_DEFAULT) * MIB,
    };
    const wanted = stored.executor ?? executorOf(containerImage);
    const executor = this.#options.executors.find(({ name }) => name === wanted);
    const held: Held = { stored, task, executor, execution: undefined, launch };
    this.#held.set(executionId, held);
    return held;
  }

  #begin(held: Held, launch: Launch | undefined, isRecorded: Promise<void>): void {
    const { executionId } = held.task;
    this.#queue.begun(executionId, held.stored.launch.resources);
    const running = this.#run(held, launch, isRecorded).finally(() => {
      this.#running.delete(running);
      this.#freeRoom(executionId);
    });
    this.#running.add(running);
  }

  /** A repeat changes nothing. */
  #freeRoom(executionId: number): void {
    if (!this.#isStopped) this.#queue.ended(executionId);
  }

  async #run(held: Held, launch: Launch | undefined, isRecorded: Promise<void>): Promise<void> {
    const { stored, task, executor } = held;
    const { workspaces, paths, folders, logs, clock, log, launches, spool } = this.#options;
    const { bootId } = launches;
    let report: TaskReport | undefined;
    if (executor === undefined) {
      report = refusal(stored.launch, `no executor runs ${task.image} here`);
    } else {
      const [documents, staging, disk] = [this.#documents, this.#staging, this.#disk];
      const trace = traceFields(stored.launch.environment.TRACEPARENT);
      const ownLog = trace === undefined ? log : log.child(trace);
      const shared = { workspaces, paths, folders, documents, logs, clock, log: ownLog, bootId };
      const ports = { ...shared, executor, staging, disk, isRecorded };
      held.execution = new Execution(task, stored, launch, ports);
      report = await held.execution.run();
    }
    if (report === undefined) return;
    // The report is in the spool before anything is released: a crash in between finds the task again and reports it.
    await spool.record(report);
    // For the coordinator its room is free from now on, and removing a container may take longer than launches wait.
    clock.after(RELEASE_MS_MAX, () => this.#freeRoom(task.executionId));
    await this.#release(held);
  }

  /** Never rejects: a failed release must end neither the agent nor its start. */
  async #release({ task, executor }: Held): Promise<void> {
    try {
      await executor?.release(task);
    } catch (error) {
      this.#options.log.error('task_grants_not_returned', {
        executionId: task.executionId,
        error,
      });
    }
  }

  async #discard(update: TaskUpdate): Promise<void> {
    const held = this.#held.get(update.executionId);
    if (held === undefined) return;
    const { workspaces, log, clock } = this.#options;
    const spec = readSpec(held.launch);
    await discardProducts({ spec, task: held.task, workspaces, log, clock }, update.outputs);
  }

  async #forget({ executionId, spoolId }: TaskUpdate): Promise<void> {
    const { launches, spool, logs, clock } = this.#options;
    const held = this.#held.get(executionId);
    if (held !== undefined) {
      if (!logs.isShipped(executionId)) await atMost(clock, SHIP_MS_MAX, logs.shipped(executionId));
      if (this.#isStopped) return; // it is acknowledged again after the next start
      logs.forget(executionId);
    }
    // The launch before the report: in the other order a crash between them would run the task again.
    launches.forget(executionId);
    spool.forget(spoolId);
    this.#held.delete(executionId);
    this.#ended.set(executionId, true);
    if (held === undefined || !needsFolder(held.executor, held.launch)) return;
    await this.#options.folders.remove(executionId);
  }
}

const GIVEN_BACK = { outcome: 'CANCELED', neverBegan: true } as const;

const NOTHING = {
  type: 'taskUpdate',
  phases: [],
  outputs: [],
  jsonOutputs: '{}',
  parsedInputs: [],
} as const;

function isReadable(launch: Launch): boolean {
  try {
    readSpec(launch);
    return true;
  } catch {
    return false;
  }
}

function refusal(launch: Launch, detail: string): TaskReport {
  const { executionId, jobId, exeNum, owner } = launch;
  const error = { name: 'task-launch', isBuiltin: true, detail };
  return { ...NOTHING, executionId, jobId, exeNum, owner, outcome: 'FAILED', error };
}

/**
 * One execution on this agent: its phases pull, pre, main and post, one after another, and its report. The agent may be
 * killed at any moment and continue the execution later: completed phases are found again, an interrupted phase is
 * repeated.
 */

import type { LimitFunction } from 'p-limit';
import { AppError } from '../../src/domain/errors.ts';
import type { PhaseTime, TaskOutcome, TaskPhase, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../../src/observe/log.ts';
import { type Clock, pause } from '../clock.ts';
import type { DocumentReader } from '../documents/document-reader.ts';
import type { Executor, MainRun, TaskIdentity } from '../executor/executor.ts';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { Workspaces } from '../workspaces.ts';
import type { DiskWatch, WatchedMain } from './full-disk.ts';
import { failureOf, type MainRequest, watchMain } from './hooks/main.ts';
import { captureOutputs, type PostRequest, type TaskProducts, withdrawEarlier } from './hooks/post.ts';
import { needsFolder, prepareTask } from './hooks/pre.ts';
import { mainTask } from './main-task.ts';
import type { PathAsker } from './own-paths.ts';
import { stderrTail } from './stderr-tail.ts';
import { type BuiltinError, DeclaredFailure, TaskFailure, withDetail } from './task-failure.ts';
import type { TaskFolders } from './task-folders.ts';
import { readSpec, type StoredLaunch, type TaskSpec } from './task-spec.ts';

const PULL_MS_MAX = 30 * 60_000;
const STAGE_MS_MAX = 60 * 60_000;
/** The time limit for removing products of an earlier run. */
const WITHDRAW_MS_MAX = 60_000;
/** How long an execution waits for the secrets that a restart of the agent has lost. */
const SECRETS_MS_MAX = 15 * 60_000;

export interface ExecutionPorts {
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly paths: PathAsker;
  readonly folders: TaskFolders;
  readonly documents: DocumentReader;
  readonly logs: TaskLogs;
  readonly clock: Clock;
  readonly log: Logger;
  /** Watches the disk of the task folders. */
  readonly disk: DiskWatch;
  /** Limits how many executions read and write files at once. */
  readonly staging: LimitFunction;
  readonly bootId: string;
  /** Resolves when the launch is recorded, before which nothing may start, because a killed agent would not find it. */
  readonly isRecorded: Promise<void>;
}

export type TaskReport = Omit<TaskUpdate, 'spoolId'>;

const NOTHING: TaskProducts = { outputs: [], jsonOutputs: '{}', parsedInputs: [] };

/** Thrown when the agent stops; its next start continues the execution. */
class Abandoned extends Error {}

export class Execution {
  readonly task: TaskIdentity;
  readonly #ports: ExecutionPorts;
  readonly #stored: StoredLaunch;
  readonly #canceled = new AbortController();
  readonly #abandoned = new AbortController();
  /** The signal of the present phase with its time limit: aborts on the limit, a cancel or a stop. */
  #limited: AbortController | undefined;
  #phase: TaskPhase = 'pull';
  #phases: PhaseTime[] = [];
  #launch: Launch;
  #lacks: { settings: boolean; credentials: boolean };
  #onSupplied: () => void = () => undefined;
  #hasMain = false;
  /** Facts for the report, known once the main task has ended. */
  #facts: Pick<TaskUpdate, 'used' | 'imageDigest' | 'logCut'> = {};
  /** `Clock.bootMs` when the main task started. */
  #mainStartedBootMs = 0;
  /** Whether it was accepted by this run of the agent, so that no earlier progress exists. */
  readonly #isFresh: boolean;
  #onLocated: () => void = () => undefined;
  /** Resolves when the progress under an earlier run of the agent is known. */
  readonly located: Promise<void> = new Promise((resolve) => {
    this.#onLocated = resolve;
  });

  /** `launch`: with its secrets, if the coordinator sent it to this run of the agent. */
  constructor(task: TaskIdentity, stored: StoredLaunch, launch: Launch | undefined, ports: ExecutionPorts) {
    this.task = task;
    this.#stored = stored;
    this.#isFresh = launch !== undefined;
    this.#launch = launch ?? stored.launch;
    this.#lacks = {
      settings: launch === undefined && stored.lacksSettings,
      credentials: launch === undefined && stored.lacksCredentials,
    };
    this.#ports = ports;
  }

  get phase(): TaskPhase {
    return this.#phase;
  }

  get needsLaunch(): boolean {
    return this.#lacks.credentials || (this.#lacks.settings && !this.#hasMain);
  }

  get spec(): TaskSpec {
    return readSpec(this.#launch);
  }

  /** Takes the secrets from a repeated launch. */
  supply(launch: Launch): void {
    if (!this.#lacks.settings && !this.#lacks.credentials) return;
    this.#launch = launch;
    this.#lacks = { settings: false, credentials: false };
    this.#onSupplied();
  }

  cancel(): void {
    this.#stop(this.#canceled, new Error('canceled'));
  }

  /** Stops handling it; the task continues to run. */
  abandon(): void {
    this.#stop(this.#abandoned, new Abandoned());
  }

  #stop(how: AbortController, reason: Error): void {
    how.abort(reason);
    this.#limited?.abort(reason);
  }

  /** Resolves with the report, or undefined if it was abandoned. Never rejects. */
  async run(): Promise<TaskReport | undefined> {
    try {
      const products = await this.#unlessAbandoned(this.#runPhases());
      return this.#report('COMPLETED', products, undefined);
    } catch (error) {
      if (this.#abandoned.signal.aborted) return undefined;
      await this.#withdrawEarlier();
      if (this.#abandoned.signal.aborted) return undefined;
      if (this.#canceled.signal.aborted) return this.#report('CANCELED', NOTHING, undefined);
      const failure = toFailure(error);
      const fields = { executionId: this.task.executionId, phase: this.#phase, error: failure.errorName };
      // The task's output is in its own log.
      this.#ports.log.info('task_failed', { ...fields, detail: failure.message.split('\n', 1)[0] });
      if (failure.errorName === 'unknown')
        this.#ports.log.warn('task_failed_unexpectedly', { ...fields, cause: error });
      return this.#report('FAILED', NOTHING, failure);
    } finally {
      this.#phase = 'ended';
      this.#onLocated();
    }
  }

  async #runPhases(): Promise<TaskProducts> {
    if (this.#stored.bootId !== this.#ports.bootId) {
      throw new TaskFailure('docker-terminated', 'the host was restarted');
    }
    const run = (await this.#findMain()) ?? (await this.#startMain());
    if (needsFolder(this.#ports.executor, this.#launch)) {
      await this.#ports.logs.follow(this.task, this.#isFresh);
    }
    await this.#main(run);
    return this.#post();
  }

  /** The main task of an earlier run of the agent. */
  async #findMain(): Promise<MainRun | undefined> {
    if (this.#isFresh) return undefined;
    const run = await this.#ports.executor.find(this.task).finally(this.#onLocated);
    if (run === undefined) return undefined;
    this.#phase = 'main';
    this.#hasMain = true;
    const note = readNote(run.note);
    this.#phases = [...(note?.phases ?? [])];
    this.#mainStartedBootMs = note?.startedBootMs ?? this.#ports.clock.bootMs();
    return run;
  }

  async #startMain(): Promise<MainRun> {
    const { executor, workspaces, folders, staging } = this.#ports;
    await this.#timed('pull', PULL_MS_MAX, 'pull-timeout', (signal) =>
      executor.pull(this.task.image, signal),
    );
    this.#phase = 'pre';
    await this.#secrets(() => this.#lacks.settings || this.#lacks.credentials);
    const { spec, task } = this;
    const inputMounts = await this.#timed('pre', STAGE_MS_MAX, 'pre-timeout', (signal) =>
      staging(() => prepareTask({ spec, task, executor, workspaces, folders, signal })),
    );
    // The folder was created in parallel, which takes as long as the pull.
    await this.#ports.isRecorded;
    this.#abandoned.signal.throwIfAborted();
    this.#canceled.signal.throwIfAborted();
    this.#phase = 'main';
    this.#mainStartedBootMs = this.#ports.clock.bootMs();
    const note: RunNote = { phases: this.#phases, startedBootMs: this.#mainStartedBootMs };
    const paths = executor.paths(task.folder);
    const run = await executor.start(
      mainTask({ spec, task, paths, inputMounts, note: JSON.stringify(note) }),
    );
    this.#hasMain = true;
    return run;
  }

  async #main(run: MainRun): Promise<void> {
    const { clock, logs, disk, folders } = this.#ports;
    this.#phase = 'main';
    const { spec, task } = this;
    const elapsedMs = clock.bootMs() - this.#mainStartedBootMs;
    const request = { spec, task, clock, canceled: this.#canceled.signal, isFresh: this.#isFresh, elapsedMs };
    const watched = disk.begin(this.#isFresh);
    const { result, failure } = await this.#watch(request, run, watched).finally(() => watched.end());
    const { used, areLogsClosed = false } = result.end;
    if (areLogsClosed) folders.closeLogs(task.executionId);
    this.#facts = { used, imageDigest: run.imageDigest };
    if (needsFolder(this.#ports.executor, this.#launch)) {
      const logCut = await logs.end(task.executionId, result.end.logCut);
      this.#facts = { ...this.#facts, logCut };
      const diskBytes = await folders.sizeOf(task.executionId);
      if (used !== undefined) this.#facts = { ...this.#facts, used: { ...used, diskBytes } };
    }
    this.#phases.push({
      phase: 'main',
      startedMs: result.startedMs,
      endedMs: result.end.endedMs,
      exitCode: result.end.how === 'exited' ? result.end.exitCode : undefined,
      timedOut: result.stopped === 'timeout',
    });
    if (result.stopped === 'canceled') this.cancel();
    this.#canceled.signal.throwIfAborted();
    if (failure !== undefined) throw this.#withStderr(failure);
  }

  /** The disk is checked as soon as the end is known, because shipping the remaining output may take long. */
  async #watch(request: MainRequest, run: MainRun, watched: WatchedMain) {
    const result = await watchMain(request, run);
    const failure = failureOf(result, request.spec);
    return { result, failure: failure && (await watched.explained(failure)) };
  }

  /** Adds the last error output of the task, unless it is unknown which parts are secret. */
  #withStderr(failure: TaskFailure | DeclaredFailure): TaskFailure | DeclaredFailure {
    if (this.#lacks.settings || !needsFolder(this.#ports.executor, this.#launch)) return failure;
    const secrets = this.#launch.settings.filter(({ isSecret }) => isSecret).map(({ value }) => value);
    const tail = stderrTail(this.task.folder.stderr, secrets);
    if (tail === '') return withDetail(failure, `${failure.message}; standard error shows nothing`);
    return withDetail(failure, `${failure.message}; standard error ends with:\n${tail}`);
  }

  async #post(): Promise<TaskProducts> {
    this.#phase = 'post';
    await this.#secrets(() => this.#lacks.credentials);
    return this.#timed('post', STAGE_MS_MAX, 'post-timeout', (signal) =>
      this.#ports.staging(() => captureOutputs(this.#postRequest(signal))),
    );
  }

  #postRequest(signal: AbortSignal): PostRequest {
    const { executor, workspaces, paths, folders, documents, log, clock } = this.#ports;
    const { spec, task } = this;
    return { spec, task, executor, workspaces, paths, folders, documents, log, clock, signal };
  }

  /** An earlier run of the agent may have stored products at their own paths, where they would be in the way. */
  async #withdrawEarlier(): Promise<void> {
    const { executor, log, clock, staging } = this.#ports;
    const { executionId } = this.task;
    if (this.#isFresh || !this.#launch.ownProductPaths || !needsFolder(executor, this.#launch)) return;
    const limited = new AbortController();
    const cancelTimeout = clock.after(WITHDRAW_MS_MAX, () => limited.abort(new Error('time limit')));
    const onAbandoned = (): void => limited.abort(new Abandoned());
    this.#abandoned.signal.addEventListener('abort', onAbandoned);
    try {
      await staging(() => withdrawEarlier(this.#postRequest(limited.signal)));
    } catch (error) {
      log.warn('earlier_products_not_removed', { executionId, error });
    } finally {
      cancelTimeout();
      this.#abandoned.signal.removeEventListener('abort', onAbandoned);
    }
  }

  /** Waits until the coordinator has sent the launch again. */
  async #secrets(areMissing: () => boolean): Promise<void> {
    if (!areMissing()) return;
    const supplied = new Promise<void>((resolve) => {
      this.#onSupplied = resolve;
    });
    await Promise.race([supplied, pause(this.#ports.clock, SECRETS_MS_MAX, this.#canceled.signal)]);
    this.#canceled.signal.throwIfAborted();
    if (areMissing())
      throw new TaskFailure('scheduler-lost', 'the launch was not sent again after a restart');
  }

  /** Runs one phase with its time limit and records its times. */
  async #timed<T>(
    phase: 'pull' | 'pre' | 'post',
    limitMs: number,
    timeoutError: BuiltinError,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#ports;
    this.#abandoned.signal.throwIfAborted();
    // One controller for all three: AbortSignal.any keeps signals by weak references, which took 30 us a task, and more
    // in garbage collection (no-op jobs, 2026-11-22).
    const limited = new AbortController();
    this.#limited = limited;
    if (this.#canceled.signal.aborted) limited.abort(this.#canceled.signal.reason);
    let timedOut = false;
    const cancelTimeout = clock.after(limitMs, () => {
      timedOut = true;
      limited.abort(new Error('time limit'));
    });
    const startedMs = clock.nowMs();
    try {
      return await work(limited.signal);
    } catch (error) {
      if (!timedOut) throw error;
      throw new TaskFailure(timeoutError, `the ${phase} phase took more than ${limitMs / 60_000} minutes`);
    } finally {
      cancelTimeout();
      this.#limited = undefined;
      this.#phases.push({ phase, startedMs, endedMs: clock.nowMs(), timedOut });
    }
  }

  #unlessAbandoned<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#abandoned;
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
      work.then(resolve, reject);
    });
  }

  #report(
    outcome: TaskOutcome,
    products: TaskProducts,
    failure: TaskFailure | DeclaredFailure | undefined,
  ): TaskReport {
    const { executionId, jobId, exeNum, owner } = this.#launch;
    const error = failure && {
      name: failure.errorName,
      isBuiltin: failure.isBuiltin,
      detail: failure.message,
    };
    return {
      type: 'taskUpdate',
      executionId,
      jobId,
      exeNum,
      owner,
      outcome,
      error,
      phases: this.#phases,
      outputs: products.outputs,
      jsonOutputs: products.jsonOutputs,
      parsedInputs: products.parsedInputs,
      ...this.#facts,
    };
  }
}

/** Stored by an executor with a run, for an agent that finds it again. */
interface RunNote {
  readonly phases: readonly PhaseTime[];
  /**
   * `Clock.bootMs` when the main task started. A run does not outlive its host, so a run that is found is of this boot.
   */
  readonly startedBootMs: number;
}

/** Undefined if it cannot be parsed; the task's phase times are then lost, and its time limit starts again. */
function readNote(text: string): RunNote | undefined {
  try {
    const { phases, startedBootMs } = JSON.parse(text) as RunNote;
    return Array.isArray(phases) && Number.isFinite(startedBootMs) ? { phases, startedBootMs } : undefined;
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown): TaskFailure | DeclaredFailure {
  if (error instanceof TaskFailure || error instanceof DeclaredFailure) return error;
  const code = error instanceof AppError ? error.code : (error as NodeJS.ErrnoException | null)?.code;
  const detail = error instanceof Error ? error.message.slice(0, 500) : 'unknown failure';
  if (code === 'FILESYSTEM_IO' || code === 'WORKSPACE_UNAVAILABLE' || /^E[A-Z]+$/.test(String(code))) {
    return new TaskFailure('filesystem-io', detail);
  }
  return new TaskFailure('unknown', detail);
}

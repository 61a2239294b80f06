/** Tasks of a simulated agent: recorded, run once, their products stored before their end is reported, durably. */
import { LaunchQueue } from '../../../node-agent/task/launch-queue.ts';
import type { HeldExecution, TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../../src/domain/node/coordinator-messages.ts';
import type { FaultRates } from '../fault-schedule.ts';
import type { SimProcess } from '../sim-process.ts';
import type { HeldTask, OnRun, SimHost } from './host.ts';

const FAILURES = [
  { name: 'docker-terminated', isBuiltin: true },
  { name: 'filesystem-io', isBuiltin: true },
  { name: 'bad-data', isBuiltin: false },
];

/** How long launches wait where tasks are short: less than others take, so that some are given back. */
const IMPATIENT_MS = 40;

export interface WorkParts {
  readonly host: SimHost;
  readonly process: SimProcess;
  readonly faultRates: () => FaultRates;
  /** Something new is in the spool. */
  readonly recorded: () => void;
  /** An execution is begun. */
  readonly began: (executionId: number) => void;
  readonly ran?: OnRun | undefined;
}

export interface TaskWorkParts extends WorkParts {
  /** It is of a version that lets launches wait for room. */
  readonly letsWait: boolean;
  /** A launch had to wait for room, or was given back. */
  readonly waited?: ((how: 'waited' | 'given back') => void) | undefined;
}

export class TaskWork {
  readonly #parts: TaskWorkParts;
  readonly #queue: LaunchQueue;
  /** Being written down; whether they were killed meanwhile. */
  readonly #accepting = new Map<number, boolean>();
  readonly #ending = new Set<number>();
  readonly #ended = new Set<number>();
  /** Launches are synced before their tasks begin: whoever gives them does not compare boots. */
  #isSynced = true;
  #welcomes = 0;

  constructor(parts: TaskWorkParts) {
    const { host, process } = parts;
    this.#parts = parts;
    this.#queue = new LaunchQueue({
      offered: () => host.resources,
      start: (launch) => this.#start(launch),
      giveBack: (launch) => this.#giveBack(launch, true),
      after: (delayMs, call) => process.timer(delayMs, call),
      ...(host.hasShortTasks && { waitMs: IMPATIENT_MS }),
    });
  }

  resume(): void {
    const { host } = this.#parts;
    for (const task of host.tasks.values()) {
      if (task.isReported) continue;
      this.#queue.begun(task.launch.executionId, task.launch.resources);
      if (task.bootId === host.bootId) this.#watch(task);
      else this.#end(task);
    }
  }

  /** As node-agent/task/launch-records.ts has it; false: the agent has to greet again, under another id. */
  welcomed(comparesBoots: boolean): boolean {
    const { host, process } = this.#parts;
    this.#welcomes += 1;
    this.#isSynced = !comparesBoots;
    if (comparesBoots || host.unsyncedBootId === undefined) return true;
    const isLater = host.hasLost;
    if (isLater) host.changeAgentId();
    const welcome = this.#welcomes;
    process.timer(isLater ? 0 : 1 + host.random.next() * 5, () => {
      host.sync();
      if (welcome === this.#welcomes) host.unsyncedBootId = undefined;
    });
    return !isLater;
  }

  /** A session begins: what was acknowledged has ended in the rows that it gives orders by, or is to be done again. */
  connected(): void {
    this.#ended.clear();
  }

  holds(): HeldExecution[] {
    const waiting = [...this.#queue.executionIds()].map((executionId) => ({
      ...({ executionId, phase: 'pull', needsLaunch: false } as const),
    }));
    const held = [...this.#parts.host.tasks].map(([executionId, task]) => ({
      executionId,
      phase: task.isReported ? ('ended' as const) : ('main' as const),
      needsLaunch: false,
    }));
    return [...held, ...waiting];
  }

  launch(launch: Launch): void {
    const { host, letsWait, waited } = this.#parts;
    const { executionId } = launch;
    host.isOtherIdUntried = false;
    if (host.tasks.has(executionId) || this.#accepting.has(executionId) || this.#ended.has(executionId))
      return;
    if (!letsWait) {
      this.#start(launch);
      return;
    }
    const before = this.#queue.size;
    this.#queue.add(launch);
    if (this.#queue.size > before) waited?.('waited');
  }

  #start(launch: Launch): void {
    const { host, process } = this.#parts;
    const { executionId } = launch;
    const isSynced = this.#isSynced;
    this.#queue.begun(executionId, launch.resources);
    this.#accepting.set(executionId, false);
    process.timer(1 + host.random.next() * 5, () => {
      const isKilled = this.#accepting.get(executionId) === true;
      this.#accepting.delete(executionId);
      const beganMs = process.time.nowMs;
      const endsMs = beganMs + host.lengthOf(launch);
      const startedMs = process.nowMs();
      const task: HeldTask = {
        ...{ launch, startedMs, beganMs, endsMs, isCanceled: false, isReported: false },
        bootId: host.bootId,
      };
      host.tasks.set(executionId, task);
      this.#keep(executionId, isSynced);
      this.#parts.began(executionId);
      this.#watch(task);
      if (isKilled) this.kill(executionId);
      host.onBegun();
    });
  }

  /** The launch is recorded. The boot is noted, durably, before the first one that is not synced. */
  #keep(executionId: number, isSynced: boolean): void {
    const { host } = this.#parts;
    if (!isSynced && host.unsyncedBootId !== host.bootId) {
      host.unsyncedBootId = host.bootId;
      host.sync();
    }
    host.recorded(() => host.tasks.delete(executionId));
    if (isSynced) host.sync();
  }

  kill(executionId: number): void {
    const waiting = this.#queue.remove(executionId);
    if (waiting !== undefined) this.#giveBack(waiting, false);
    if (this.#accepting.has(executionId)) this.#accepting.set(executionId, true);
    const task = this.#parts.host.tasks.get(executionId);
    if (task === undefined || task.isReported || this.#ending.has(executionId)) return;
    task.isCanceled = true;
    this.#end(task);
  }

  /** It waited, and ends without having begun: somebody canceled it, or it waited too long. */
  #giveBack({ executionId, jobId, exeNum, owner }: Launch, neverBegan: boolean): void {
    const { host, recorded, waited } = this.#parts;
    if (neverBegan) waited?.('given back');
    this.#ended.add(executionId);
    const spoolId = host.nextSpoolId();
    host.sync();
    host.spool.set(spoolId, {
      ...{ type: 'taskUpdate', spoolId, executionId, jobId, exeNum, owner, phases: [], outputs: [] },
      ...{ outcome: 'CANCELED', jsonOutputs: '{}', parsedInputs: [], ...(neverBegan && { neverBegan }) },
    });
    recorded();
  }

  /** Its products will be registered by nobody. */
  discard({ outputs }: TaskUpdate): void {
    const { host } = this.#parts;
    for (const { workspaceUuid, path } of outputs) {
      if (host.reaches(workspaceUuid)) host.disks.directory(workspaceUuid).remove(path);
    }
  }

  acknowledged(executionId: number): void {
    const { host } = this.#parts;
    const task = host.tasks.get(executionId);
    if (task !== undefined) host.recorded(() => host.tasks.set(executionId, task));
    host.tasks.delete(executionId);
    this.#ended.add(executionId);
  }

  #watch(task: HeldTask): void {
    const { process } = this.#parts;
    process.timer(task.isCanceled ? 0 : task.endsMs - process.time.nowMs, () => this.#end(task));
  }

  /** The products are stored, then its end becomes durable, then it is reported. The agent may die in between. */
  #end(task: HeldTask): void {
    const { host, process, faultRates } = this.#parts;
    const { executionId } = task.launch;
    if (task.isReported || this.#ending.has(executionId) || host.tasks.get(executionId) !== task) return;
    this.#ending.add(executionId);
    const isLost = task.bootId !== host.bootId;
    if (isLost) task.isCanceled = false;
    const isFailed = !isLost && !task.isCanceled && host.random.chance(faultRates().taskFails);
    const [target] = task.launch.outputs;
    const canStore = target !== undefined && host.reaches(target.workspaceUuid) && !host.isFull;
    const ownError = isFailed ? host.random.pick(FAILURES) : canStore ? undefined : FAILURES[1];
    const error = isLost ? FAILURES[0] : ownError;
    const path = `${task.launch.productDirectory}/out.txt`;
    const isStored = error === undefined && !task.isCanceled && target !== undefined;
    if (isStored) {
      const sha256 = `product-${task.launch.executionId}`;
      host.disks.write(target.workspaceUuid, path, { size: 10, mtimeMs: process.nowMs(), sha256 });
      host.onWrite();
    }
    process.timer(1 + host.random.next() * 20, () => {
      this.#ending.delete(executionId);
      task.isReported = true;
      this.#queue.ended(executionId);
      this.#record(task, { isStored, error, path });
    });
  }

  #record(
    { launch, startedMs, beganMs, isCanceled }: HeldTask,
    end: { isStored: boolean; error: { name: string; isBuiltin: boolean } | undefined; path: string },
  ): void {
    const { host, process, recorded, ran } = this.#parts;
    const { executionId, jobId, exeNum, owner } = launch;
    ran?.(executionId, { beganMs, endedMs: process.time.nowMs });
    const workspaceUuid = launch.outputs[0]?.workspaceUuid ?? '';
    const spoolId = host.nextSpoolId();
    const output = {
      ...{ output: 'OUT', workspaceUuid, path: end.path, fileName: 'out.txt', size: 10, metadata: '' },
      ...{ mediaType: 'text/plain', sha256: `product-${executionId}` },
    };
    const main = {
      phase: 'main',
      startedMs,
      endedMs: process.nowMs(),
      exitCode: 0,
      timedOut: false,
    } as const;
    host.sync();
    host.spool.set(spoolId, {
      ...{ type: 'taskUpdate', spoolId, executionId, jobId, exeNum, owner, phases: [main] },
      outcome: end.isStored ? 'COMPLETED' : isCanceled ? 'CANCELED' : 'FAILED',
      error: end.isStored || isCanceled || end.error === undefined ? undefined : { ...end.error, detail: '' },
      outputs: end.isStored ? [output] : [],
      ...{ jsonOutputs: '{}', parsedInputs: [] },
    });
    recorded();
  }
}

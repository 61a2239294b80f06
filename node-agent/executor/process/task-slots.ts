/**
 * Slots for process tasks: each is an unprivileged user id and a control group, used by one task at a time. Remaining
 * processes of a task are killed before its slot is used again. Without root there are no user ids, and without a
 * writable control group no limits: a slot then distinguishes a task's processes only by their session.
 */
import { type Cgroups, type GroupLimits, probeCgroups, type TaskGroup } from '../cgroup.ts';
import { findProcesses, hasVariable, type ProcessName, signalAll } from '../proc.ts';
import type { MountStep } from '../spawner/spawn-order.ts';
import { NO_FOLDERS, type TemporaryFolders } from './temporary-folders.ts';

export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/** A user and group id, or undefined: the task runs as the agent's own user. */
export interface TaskSlot {
  readonly number: number;
  readonly userId: number | undefined;
  readonly group: TaskGroup | undefined;
}

export class TaskSlots {
  readonly cgroups: Cgroups | undefined;
  readonly #users: UserRange | undefined;
  /** Folders for temporary files; set before any slot is used. */
  temporary: TemporaryFolders = NO_FOLDERS;
  readonly #open = new Map<number, TaskSlot>();
  readonly #free: number[] = [];
  readonly #lent = new Map<number, number>();
  #next = 0;

  private constructor(cgroups: Cgroups | undefined, users: UserRange | undefined) {
    this.cgroups = cgroups;
    this.#users = users;
  }

  /** `name` is unique to this agent on the host. `users` is used only by root. */
  static async open(name: string, users: UserRange): Promise<TaskSlots> {
    const isRoot = process.getuid?.() === 0;
    return new TaskSlots(await probeCgroups(name), isRoot ? users : undefined);
  }

  get hasUsers(): boolean {
    return this.#users !== undefined;
  }

  numberOfUser(userId: number): number | undefined {
    const users = this.#users;
    if (users === undefined || userId < users.first || userId >= users.first + users.count) return undefined;
    return userId - users.first;
  }

  /** The user id of an execution; undefined if it runs as the agent's user. */
  userOf(executionId: number): number | undefined {
    const number = this.#lent.get(executionId);
    return number === undefined || this.#users === undefined ? undefined : this.#users.first + number;
  }

  /** How many tasks may hold a slot at once. */
  get countMax(): number {
    return this.#users?.count ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Assigns a free slot to an execution, the same one as long as it holds it. undefined if all are in use. Rejects if
   * the slot has no folders yet, and none can be created.
   */
  async lend(executionId: number): Promise<TaskSlot | undefined> {
    const held = this.#lent.get(executionId);
    if (held !== undefined) return this.#slot(held);
    for (;;) {
      const number = this.#free.pop() ?? this.#nextUnlent();
      if (number >= this.countMax) return undefined;
      this.#lent.set(executionId, number);
      if (await this.temporary.open(number)) return this.#slot(number);
      // The slot is not used any more; the next start of the agent tries again to empty it.
      this.#lent.delete(executionId);
    }
  }

  /** After a restart: the execution already holds this slot. */
  async adopt(executionId: number, number: number): Promise<TaskSlot> {
    this.#lent.set(executionId, number);
    this.temporary.adopt(number);
    const index = this.#free.indexOf(number);
    if (index >= 0) this.#free.splice(index, 1);
    return this.#slot(number);
  }

  /** The mounts for the supervisor of the execution's task. */
  async mounts(
    executionId: number,
    program: readonly string[],
    sharedMemoryMib: number,
  ): Promise<readonly MountStep[]> {
    const number = this.#lent.get(executionId);
    return number === undefined ? [] : this.temporary.mounts(number, program, sharedMemoryMib);
  }

  /**
   * Removes the leftovers of the task, which has ended, and frees the slot. If something cannot be removed, the slot is
   * not used again. Repeatable. `release` is called before the slot is free; `isSpent`: something is left that
   * disappears only with the supervisor.
   */
  async giveBack(
    executionId: number,
    supervisorPid?: number,
    release: (isSpent: boolean) => void = () => undefined,
  ): Promise<void> {
    const number = this.#lent.get(executionId);
    if (number === undefined) return release(false);
    const userId = this.userOf(executionId);
    const { isClear, isSpent } =
      userId === undefined
        ? { isClear: true, isSpent: false }
        : await this.temporary.clear(number, { userId, supervisorPid });
    release(isSpent);
    this.#lent.delete(executionId);
    if (isClear) this.#free.push(number);
  }

  /** Removes control groups without tasks. */
  async close(): Promise<void> {
    await this.cgroups?.close();
  }

  #nextUnlent(): number {
    const lent = new Set(this.#lent.values());
    while (lent.has(this.#next)) this.#next += 1;
    const number = this.#next;
    this.#next += 1;
    return number;
  }

  async #slot(number: number): Promise<TaskSlot> {
    const known = this.#open.get(number);
    if (known !== undefined) return known;
    const users = this.#users;
    const slot = {
      number,
      userId: users === undefined ? undefined : users.first + number,
      group: await this.cgroups?.open(`task-${number}`),
    };
    this.#open.set(number, slot);
    return slot;
  }
}

/** Sets the limits of a task's group; does nothing without a group. */
export function limitSlot(slot: TaskSlot, limits: GroupLimits): void {
  slot.group?.limit(limits);
}

/** How a task's processes are recognized. */
export interface TaskTrace {
  readonly supervisor: ProcessName;
  /** A variable (`NAME=value`) that only this task's processes have. */
  readonly variable: string;
  /** A process that waits in the task's place for the next one. */
  readonly standbyPid?: number | undefined;
}

/**
 * Processes of the task in the slot, without its supervisor and the waiting fork. Without a group and a user of its
 * own, a process that leaves the session and drops the variable is not found.
 */
async function taskPids(slot: TaskSlot, { supervisor, variable, standbyPid }: TaskTrace): Promise<number[]> {
  const isTasks = (pid: number): boolean => pid !== supervisor.pid && pid !== standbyPid;
  if (slot.group !== undefined) return slot.group.pids().filter(isTasks);
  return findProcesses(({ pid, session }, uid) => {
    if (!isTasks(pid)) return false;
    if (slot.userId !== undefined) return uid === slot.userId;
    return session === supervisor.pid || (uid === process.getuid?.() && hasVariable(pid, variable));
  });
}

export async function signalTask(
  slot: TaskSlot,
  trace: TaskTrace,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  signalAll(await taskPids(slot, trace), signal);
}

// limit: a process may fork between being listed and being killed; each round catches those that the previous one
// missed.
const KILL_ROUNDS_MAX = 50;

/** Kills processes of the task until none is left. False if one remains (the kernel cannot end it). */
export async function endTask(slot: TaskSlot, trace: TaskTrace, wait: () => Promise<void>): Promise<boolean> {
  for (let round = 0; round < KILL_ROUNDS_MAX; round += 1) {
    const pids = await taskPids(slot, trace);
    if (pids.length === 0) return true;
    signalAll(pids, 'SIGKILL');
    await wait();
  }
  return false;
}

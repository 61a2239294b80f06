/**
 * Runs a task as a plain process in a private directory, with a clean environment, and in control groups if the host
 * allows that. If the agent is root, the task has a user id of its own; otherwise it runs as the agent's user. The task
 * sees the host's file system (as far as its user may read it), network and process list, and its disk use is not
 * limited.
 */
import { chmodSync } from 'node:fs';
import { access, chmod, chown, constants, mkdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { TaskPaths } from '../../../src/domain/task/task-paths.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { type Clock, pause } from '../../clock.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import type { TaskFolder } from '../../task/task-folder.ts';
import { combined, type GroupFigures } from '../cgroup.ts';
import {
  type Executor,
  type FolderKind,
  KILLED_CODE,
  type MainEnd,
  type MainRun,
  type MainTask,
  type TaskIdentity,
} from '../executor.ts';
import type { Spawned, Spawner } from '../spawner/spawner.ts';
import {
  beginSupervised,
  endOfTaken,
  exitOf,
  findSupervisor,
  type Supervised,
  supervisorGone,
} from '../spawner/supervisor.ts';
import {
  endTask,
  limitSlot,
  signalTask,
  type TaskSlot,
  type TaskSlots,
  type TaskTrace,
} from './task-slots.ts';
import { namesOf } from './temporary-folders.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const PROCESSES_MAX = 1_024;
const SHARED_MEMORY_MIB = 64;
const MIB = 1024 * 1024;
const LEFTOVER_WAIT_MS = 20;
// limit: programs that are remembered.
const PROGRAMS_MAX = 100;
/** How long a program that was found is not searched for again: most tasks run the same few. */
const FOUND_MS = 1_000;

export interface ProcessExecutorOptions {
  readonly profile: string;
  readonly slots: TaskSlots;
  readonly spawner: Spawner;
  readonly log: Logger;
  readonly clock: Clock;
}

interface Context extends ProcessExecutorOptions {
  /** Tasks that this run of the agent has started and not released, by execution. */
  readonly spawned: Map<number, Spawned>;
  /** By program and search path. */
  readonly programs: LRUCache<string, FoundProgram>;
}

interface FoundProgram {
  /** The first one is the path at which it was found; absolute, unless the command gives a relative path. */
  readonly names: readonly string[];
  /** `Clock.bootMs`. */
  readonly foundMs: number;
}

export function createProcessExecutor(options: ProcessExecutorOptions): Executor {
  const { slots } = options;
  const programs = new LRUCache<string, FoundProgram>({ max: PROGRAMS_MAX });
  const context = { ...options, spawned: new Map<number, Spawned>(), programs };
  return {
    name: `process:${options.profile}`,
    unavailable: async () => unavailable(options.spawner),
    paths,
    pull: async () => undefined,
    reclaim: (task) => reclaim(slots, task),
    // Remaining processes of a slot are ended before it is used again.
    removeLeftovers: () => slots.temporary.removeLeftovers(),
    folderKind: async (task) => {
      const { userId } = await slotOf(slots, task);
      return userId === undefined ? undefined : foldersOfUser(userId);
    },
    prepare: (task) => prepare(slots, task),
    usesFolder: true,
    mountsFiles: false,
    makeReadOnly: (task, path) => setReadOnly(slots, task, path, 0o440),
    // Without separate users the agent's user must still be able to remove it.
    makeFolderReadOnly: (task, path) => setReadOnly(slots, task, path, slots.hasUsers ? 0o550 : 0o700),
    start: (task) => start(context, task),
    find: (task) => find(context, task),
    owns: (task, file) => {
      const user = slots.userOf(task.executionId);
      return user === undefined || file.uid === user;
    },
    release: (task) => release(context, task),
  };
}

function unavailable(spawner: Spawner): string | undefined {
  if (process.platform !== 'linux') return 'the process executor needs Linux';
  return spawner.obstacle;
}

function paths(folder: TaskFolder): TaskPaths {
  return { input: folder.input, output: folder.output, inputMetadata: folder.inputMetadata };
}

async function slotOf(slots: TaskSlots, task: TaskIdentity): Promise<TaskSlot> {
  const slot = await slots.lend(task.executionId);
  if (slot === undefined) throw new TaskFailure('resource-starvation', 'no user id is free for the task');
  return slot;
}

/** The folder belongs to the agent, and its group, the task, may enter; the task owns only what it writes to. */
async function prepare(slots: TaskSlots, task: TaskIdentity): Promise<void> {
  const { userId } = await slotOf(slots, task);
  await makeDirectories(task.folder, userId);
}

/** The user may enter a folder, but not list it. */
async function makeDirectories({ root, output, work }: TaskFolder, userId?: number): Promise<void> {
  const owned = async (path: string): Promise<void> => {
    await mkdir(path, { mode: 0o700 });
    if (userId !== undefined) await chown(path, userId, userId);
  };
  const passable = userId === undefined ? [] : [chown(root, 0, userId), chmod(root, 0o710)];
  // Concurrently: nothing runs as that user yet.
  await Promise.all([owned(output), owned(work), ...passable]);
}

export function foldersOfUser(userId: number): FolderKind {
  const directories = ({ output, work }: TaskFolder) => [output, work];
  return {
    name: `user ${userId}`,
    make: (folder) => makeDirectories(folder, userId),
    directories,
    changeable: directories,
    emptied: () => [],
  };
}

async function setReadOnly(slots: TaskSlots, task: TaskIdentity, path: string, mode: number): Promise<void> {
  const { userId } = await slotOf(slots, task);
  if (userId !== undefined) await chown(path, 0, userId);
  await chmod(path, mode);
}

/** After a restart: the folder's group shows the user, and so the slot, of the task. */
async function reclaim(slots: TaskSlots, task: TaskIdentity): Promise<void> {
  const facts = await stat(task.folder.root).catch(() => undefined);
  const number = facts === undefined ? undefined : slots.numberOfUser(facts.gid);
  if (number !== undefined) await slots.adopt(task.executionId, number);
}

/** The slot is used again with its supervisor, unless something is left that only disappears with the supervisor. */
async function release({ spawned, slots }: Context, { executionId, folder }: TaskIdentity): Promise<void> {
  const run = spawned.get(executionId);
  if (slots.userOf(executionId) !== undefined) close(folder);
  spawned.delete(executionId);
  await slots.giveBack(executionId, run?.pid, (isSpent) => run?.release(isSpent));
}

/** Closes the folder, because the next task of the same user may begin before it is removed, and must not enter it. */
function close({ root }: TaskFolder): void {
  try {
    chmodSync(root, 0o700);
  } catch {
    // The folder does not exist.
  }
}

async function start(context: Context, task: MainTask): Promise<MainRun> {
  const known = context.spawned.has(task.executionId) && (await find(context, task));
  if (known) return known;
  const slot = await slotOf(context.slots, task);
  if (task.mounts.length > 0) {
    throw new TaskFailure('missing-mount', 'mounts need a container: the process executor has none');
  }
  const program = await programOf(context, task);
  limitSlot(slot, {
    memoryBytes: Math.ceil(task.resources.mem ?? 128) * MIB,
    processesMax: PROCESSES_MAX,
    cpus: task.resources.cpus ?? 0.25,
  });
  const measured = slot.group?.measure(true);
  const spawned = await beginSupervised(context.spawner, {
    folder: task.folder.root,
    controlGroups: slot.group?.directories ?? [],
    userId: slot.userId,
    mounts: await mountsOf(context, task, program),
    argv: [program[0] as string, ...task.argv.slice(1)],
    environment: environmentOf(task),
    note: task.note,
  });
  context.spawned.set(task.executionId, spawned);
  const { pid, startedMs, exited } = spawned;
  return follow(context, {
    task,
    slot,
    supervisor: { pid, startTicks: '', startedMs, note: task.note },
    exited,
    measured,
  });
}

function mountsOf({ slots }: Context, task: MainTask, program: readonly string[]) {
  const sharedMemoryMib = task.resources.sharedmem || SHARED_MEMORY_MIB;
  return slots.mounts(task.executionId, program, sharedMemoryMib);
}

async function find(context: Context, task: TaskIdentity): Promise<MainRun | undefined> {
  const supervisor = await findSupervisor(context.clock, task.folder);
  if (supervisor === undefined) return undefined;
  const slot = await slotOf(context.slots, task);
  const exited = context.spawned.get(task.executionId)?.exited;
  return follow(context, { task, slot, supervisor, exited, measured: slot.group?.measure(false) });
}

interface Followed extends Supervised {
  readonly slot: TaskSlot;
  /** Absent without a control group. */
  readonly measured: (() => GroupFigures) | undefined;
}

function traceOf({ task, supervisor }: Followed): TaskTrace {
  return { supervisor, variable: `OUTPUT_DIR=${task.folder.output}` };
}

async function follow(context: Context, followed: Followed): Promise<MainRun> {
  const { slot, supervisor } = followed;
  const outOfMemoryBefore = slot.group?.outOfMemoryCount() ?? 0;
  let isOver = false;
  const ended = endOf(context, followed, outOfMemoryBefore).finally(() => {
    isOver = true; // its slot may be in use again
  });
  ended.catch(() => undefined); // the caller that started the task waits for it
  return {
    startedMs: supervisor.startedMs,
    note: supervisor.note,
    ended,
    signal: async (signal) => {
      if (!isOver) await signalTask(slot, traceOf(followed), signal);
    },
  };
}

async function endOf(context: Context, followed: Followed, oomBefore: number): Promise<MainEnd> {
  const { task, slot } = followed;
  const exit = await followed.exited;
  if (exit?.how === 'taken') return endOfTaken(context.spawned, task.executionId, () => find(context, task));
  if (exit === undefined || exit.how === 'unwatched')
    await supervisorGone(context.clock, task.folder, followed.supervisor);
  // The command has ended; its background processes are ended now, before its output is read.
  const wait = (): Promise<void> => pause(context.clock, LEFTOVER_WAIT_MS);
  const standbyPid = exit?.how === 'ended' ? exit.standbyPid : undefined;
  if (!(await endTask(slot, { ...traceOf(followed), standbyPid }, wait))) {
    context.log.error('task_processes_not_ended', { executionId: task.executionId });
  }
  const result = exitOf(exit, task.folder);
  const endedMs = result?.endedMs ?? context.clock.nowMs();
  const used = combined(followed.measured?.() ?? {}, result?.used);
  if (result === undefined) return { how: 'lost', endedMs, detail: 'its supervisor was killed', used };
  if (result.fault !== '') throw new TaskFailure('task-launch', `the task ${result.fault}`);
  const { exitCode } = result;
  const kills = exitCode === 0 ? 0 : (slot.group?.outOfMemoryCount() ?? 0);
  const isOutOfMemory = kills > oomBefore;
  return { how: 'exited', exitCode, endedMs, isOutOfMemory, isKilled: exitCode === KILLED_CODE, used };
}

/** The names of the task's program, the one to execute first. */
async function programOf(
  { programs, clock }: Context,
  { argv: [program], environment }: MainTask,
): Promise<readonly string[]> {
  if (program === undefined) throw new TaskFailure('task-launch', 'the job type has no command');
  const path = environment.PATH ?? PATH;
  const key = `${program}\0${path}`;
  const known = programs.get(key);
  const nowMs = clock.bootMs();
  if (known !== undefined && nowMs - known.foundMs < FOUND_MS) return known.names;
  const found = await findProgram(program, path);
  const names = [found, ...(await namesOf(found)).filter((name) => name !== found)];
  programs.set(key, { names, foundMs: nowMs });
  return names;
}

function environmentOf({ folder, environment }: MainTask): Record<string, string> {
  return { PATH, LANG: 'C.UTF-8', HOME: folder.work, TMPDIR: folder.work, ...environment };
}

/**
 * The path of the program. It is searched for here, so that a missing one fails the launch and is not an exit code of
 * the task.
 */
async function findProgram(program: string, path: string): Promise<string> {
  if (program.includes('/')) {
    if (!program.startsWith('/') || (await isExecutable(program))) return program;
  } else {
    for (const directory of path.split(delimiter)) {
      const candidate = join(directory, program);
      if (directory.startsWith('/') && (await isExecutable(candidate))) return candidate;
    }
  }
  throw new TaskFailure('task-launch', `the program of the command is not on this host: ${program}`);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Runs a task as a plain process in a private directory: as root under a user id of its own, in control
 * groups where the host lets us, with a scrubbed environment. What it does not isolate: the task sees the
 * host's file system (as far as its user may read it), its network and its process list; disk use is not
 * limited; without root it is the agent's user.
 */
import { access, chmod, chown, constants, mkdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Logger } from '../../src/observe/log.ts';
import { type Clock, pause } from '../clock.ts';
import { TaskFailure } from '../task/task-failure.ts';
import type { TaskFolder } from '../task/task-folder.ts';
import type { Executor, MainEnd, MainRun, MainTask, TaskIdentity, TaskPaths } from './executor.ts';
import { SETPRIV } from './shell-supervisor.ts';
import type { Exit, Spawner } from './spawner.ts';
import {
  beginSupervised,
  findSupervisor,
  readExit,
  readFault,
  type Supervisor,
  supervisorGone,
  TASK_TAKEN,
} from './supervisor.ts';
import {
  endTask,
  limitSlot,
  signalTask,
  type TaskSlot,
  type TaskSlots,
  type TaskTrace,
} from './task-slots.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const PROCESSES_MAX = 1_024;
const MIB = 1024 * 1024;
const LEFTOVER_WAIT_MS = 20;

export interface ProcessExecutorOptions {
  readonly profile: string;
  readonly slots: TaskSlots;
  readonly spawner: Spawner;
  readonly log: Logger;
  readonly clock: Clock;
}

export function createProcessExecutor(options: ProcessExecutorOptions): Executor {
  const { slots } = options;
  return {
    name: `process:${options.profile}`,
    unavailable: () => unavailable(slots),
    paths,
    pull: async () => undefined,
    reclaim: (task) => reclaim(slots, task),
    // What is left in a slot is ended before it is lent again.
    sweep: async () => undefined,
    prepare: (task) => prepare(slots, task),
    usesFolder: true,
    mountsFiles: false,
    seal: (task, path) => seal(slots, task, path, 0o440),
    // Without users of their own the agent must stay able to remove it.
    sealFolder: (task, path) => seal(slots, task, path, slots.hasUsers ? 0o550 : 0o700),
    start: (task) => start(options, task),
    find: (task) => find(options, task),
    owns: (task, file) => {
      const user = slots.userOf(task.executionId);
      return user === undefined || file.uid === user;
    },
    release: (task) => slots.giveBack(task.executionId),
  };
}

async function unavailable(slots: TaskSlots): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the process executor needs Linux';
  if (slots.hasUsers && !(await isExecutable(SETPRIV)))
    return `as root the process executor needs ${SETPRIV}`;
  return undefined;
}

function paths(folder: TaskFolder): TaskPaths {
  return { input: folder.input, output: folder.output, inputMetadata: folder.inputMetadata };
}

async function slotOf(slots: TaskSlots, task: TaskIdentity): Promise<TaskSlot> {
  const slot = await slots.lend(task.executionId);
  if (slot === undefined) throw new TaskFailure('resource-starvation', 'no user id is free for the task');
  return slot;
}

/** The folder belongs to the agent and lets its group, the task, pass; the task owns only where it writes. */
async function prepare(slots: TaskSlots, task: TaskIdentity): Promise<void> {
  const { userId } = await slotOf(slots, task);
  const { root, output, work } = task.folder;
  const own = [output, work];
  await Promise.all(own.map((path) => mkdir(path, { mode: 0o700 })));
  if (userId === undefined) return;
  await Promise.all(own.map((path) => chown(path, userId, userId)));
  await chown(root, 0, userId);
  await chmod(root, 0o710);
}

async function seal(slots: TaskSlots, task: TaskIdentity, path: string, mode: number): Promise<void> {
  const { userId } = await slotOf(slots, task);
  if (userId !== undefined) await chown(path, 0, userId);
  await chmod(path, mode);
}

/** After a restart: the folder's group says which user, and so which slot, the task has. */
async function reclaim(slots: TaskSlots, task: TaskIdentity): Promise<void> {
  const facts = await stat(task.folder.root).catch(() => undefined);
  const number = facts === undefined ? undefined : slots.numberOfUser(facts.gid);
  if (number !== undefined) await slots.adopt(task.executionId, number);
}

async function start(options: ProcessExecutorOptions, task: MainTask): Promise<MainRun> {
  const slot = await slotOf(options.slots, task);
  if (task.mounts.length > 0) {
    throw new TaskFailure('missing-mount', 'mounts need a container: the process executor has none');
  }
  const argv = await commandLine(task);
  limitSlot(slot, {
    memoryBytes: Math.ceil(task.resources.mem ?? 128) * MIB,
    processesMax: PROCESSES_MAX,
    cpus: task.resources.cpus ?? 0.25,
  });
  const { pid, exited } = await beginSupervised(options.spawner, {
    folder: task.folder.root,
    controlGroups: slot.group?.directories ?? [],
    userId: slot.userId,
    argv,
    environment: environmentOf(task),
    note: task.note,
  });
  const supervisor = { pid, startTicks: '', startedMs: options.clock.nowMs(), note: task.note };
  return follow(options, { task, slot, supervisor, exited });
}

async function find(options: ProcessExecutorOptions, task: TaskIdentity): Promise<MainRun | undefined> {
  const supervisor = await findSupervisor(options.clock, task.folder);
  if (supervisor === undefined) return undefined;
  const slot = await slotOf(options.slots, task);
  return follow(options, { task, slot, supervisor, exited: undefined });
}

interface Followed {
  readonly task: TaskIdentity;
  readonly slot: TaskSlot;
  readonly supervisor: Supervisor;
  /** Of a supervisor that this life of the agent started; an adopted one has to be polled. */
  readonly exited: Promise<Exit> | undefined;
}

function traceOf({ task, supervisor }: Followed): TaskTrace {
  return { supervisor, variable: `OUTPUT_DIR=${task.folder.output}` };
}

async function follow(options: ProcessExecutorOptions, followed: Followed): Promise<MainRun> {
  const { slot, supervisor } = followed;
  const outOfMemoryBefore = slot.group?.outOfMemoryCount() ?? 0;
  const ended = endOf(options, followed, outOfMemoryBefore);
  ended.catch(() => undefined); // whoever started the task waits for it
  return {
    startedMs: supervisor.startedMs,
    note: supervisor.note,
    ended,
    signal: (signal) => signalTask(slot, traceOf(followed), signal),
  };
}

async function endOf(
  options: ProcessExecutorOptions,
  followed: Followed,
  oomBefore: number,
): Promise<MainEnd> {
  const { task, slot } = followed;
  const exit = await followed.exited;
  if (exit === TASK_TAKEN) {
    // Another supervisor, started before the agent was killed, had just begun: that one runs the task.
    const run = await find(options, task);
    if (run === undefined)
      throw new TaskFailure('task-launch', 'the supervisor could not write to its folder');
    return run.ended;
  }
  if (exit === undefined || exit === 'unwatched')
    await supervisorGone(options.clock, task.folder, followed.supervisor);
  // The command has ended; what it left running in the background ends now, before its output is read.
  const wait = (): Promise<void> => pause(options.clock, LEFTOVER_WAIT_MS);
  if (!(await endTask(slot, traceOf(followed), wait))) {
    options.log.error('processes of a task cannot be ended', { executionId: task.executionId });
  }
  const result = readExit(task.folder);
  const endedMs = result?.endedMs ?? options.clock.nowMs();
  if (result === undefined) return { how: 'lost', endedMs, detail: 'its supervisor was killed' };
  if (result.exitCode === 125) {
    const fault = await readFault(task.folder);
    if (fault !== undefined) throw new TaskFailure('task-launch', `the task ${fault}`);
  }
  const oomNow = result.exitCode === 0 ? oomBefore : (slot.group?.outOfMemoryCount() ?? 0);
  return { how: 'exited', exitCode: result.exitCode, endedMs, isOutOfMemory: oomNow > oomBefore };
}

async function commandLine({ argv, environment }: MainTask): Promise<string[]> {
  const [program, ...rest] = argv;
  if (program === undefined) throw new TaskFailure('task-launch', 'the job type has no command');
  return [await findProgram(program, environment.PATH ?? PATH), ...rest];
}

function environmentOf({ folder, environment }: MainTask): Record<string, string> {
  return { PATH, LANG: 'C.UTF-8', HOME: folder.work, TMPDIR: folder.work, ...environment };
}

/**
 * Where the program is. Found here, so that a missing one is a launch that failed, not an exit code of the
 * task.
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
  throw new TaskFailure('task-launch', `the command's program is not on this host: ${program}`);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * The supervisor: a small process that runs one task's command and reports its exit code to the agent, or, if the agent
 * is gone, writes it to the task's folder. It outlives the agent, which finds it again by pid and start time. It
 * enforces nothing.
 *
 * Its files need no sync: they only have to survive the agent, because the task ends with the host.
 */
import type { Used } from '../../../src/domain/task/task-result.ts';
import { type Clock, pause } from '../../clock.ts';
import { TaskFailure } from '../../task/task-failure.ts';
import type { TaskFolder } from '../../task/task-folder.ts';
import { readTaskFile, readTinySync, taskFileFacts } from '../../task-file.ts';
import type { MainEnd, MainRun, TaskIdentity } from '../executor.ts';
import { isRunning, type ProcessName, parseProcessStat, readProcess } from '../proc.ts';
import type { SuperviseRequest } from './spawn-order.ts';
import { type Exit, processesUsed, type Spawned, type Spawner, SpawnFailure } from './spawner.ts';

const START_TRIES_MAX = 3;
/** Two lines: the process, and the times of the earlier phases. */
const SUPERVISOR_BYTES_MAX = 64 * 1024;
const POLL_MS = 200;
/** The time between a supervisor's creating its file and writing its lines. */
const BEGIN_WAIT_MS = 100;

/**
 * Starts a supervisor; the agent may end before it. A killed spawner may have carried out the order: then a second
 * supervisor finds that the task is taken. Throws TaskFailure.
 */
export async function beginSupervised(spawner: Spawner, request: SuperviseRequest): Promise<Spawned> {
  for (let triesLeft = START_TRIES_MAX; ; triesLeft -= 1) {
    try {
      return await spawner.start(request);
    } catch (error) {
      if (!(error instanceof SpawnFailure)) throw error;
      if (error.message === 'unwatched' && triesLeft > 1) continue;
      throw new TaskFailure('task-launch', `the supervisor could not be started: ${error.message}`);
    }
  }
}

export interface Supervisor extends ProcessName {
  readonly startedMs: number;
  /** The note of the task. */
  readonly note: string;
}

/** The supervisor of the task, running or not; undefined if none has begun. */
async function readSupervisor(folder: TaskFolder): Promise<Supervisor | undefined> {
  const facts = taskFileFacts(folder.supervisor);
  if (facts === undefined) return undefined;
  const [line = '', note = ''] = (await readTaskFile(folder.supervisor, SUPERVISOR_BYTES_MAX)).split('\n');
  // It was killed while writing, before it began the command. This process id belongs to no process.
  const { pid, startTicks } = parseProcessStat(line) ?? { pid: 0, startTicks: '' };
  return { pid, startTicks, startedMs: facts.mtimeMs, note };
}

/** As `readSupervisor`, if a supervisor may have just begun. */
export async function findSupervisor(clock: Clock, folder: TaskFolder): Promise<Supervisor | undefined> {
  const found = await readSupervisor(folder);
  if (found === undefined || found.pid !== 0) return found;
  await pause(clock, BEGIN_WAIT_MS);
  return (await readSupervisor(folder)) ?? found;
}

/**
 * Polls a supervisor whose exit is not reported to this agent. One that has just begun may not have written its
 * identity.
 */
export async function supervisorGone(
  clock: Clock,
  folder: TaskFolder,
  supervisor: Supervisor,
): Promise<void> {
  let name: ProcessName | undefined = supervisor;
  if (name.startTicks === '' && name.pid > 0) {
    name = (await readSupervisor(folder)) ?? (await readProcess(supervisor.pid));
  }
  while (name !== undefined && name.pid > 0 && (await isRunning(name))) await pause(clock, POLL_MS);
}

/** A task with a supervisor that this run of the agent has started or found. */
export interface Supervised {
  readonly task: TaskIdentity;
  readonly supervisor: Supervisor;
  /** The exit of a supervisor that this run has started; undefined for one that was found and has to be polled. */
  readonly exited: Promise<Exit> | undefined;
}

/** The end of a task that another supervisor runs, which was started before the agent was killed. */
export async function endOfTaken(
  spawned: Map<number, Spawned>,
  executionId: number,
  find: () => Promise<MainRun | undefined>,
): Promise<MainEnd> {
  spawned.delete(executionId);
  const run = await find();
  if (run === undefined) throw new TaskFailure('task-launch', 'the supervisor could not write to its folder');
  return run.ended;
}

const EXIT_BYTES_MAX = 128;
const FAULT_BYTES_MAX = 1_024;
const NOT_BEGUN = 125;

export interface TaskExit {
  readonly exitCode: number;
  readonly endedMs: number;
  /** Why the command did not begin; empty if it did. */
  readonly fault: string;
  /** Absent if the supervisor is a shell. */
  readonly used?: Used | undefined;
}

/**
 * How the command ended, as its supervisor reported or stored it; undefined while it runs, and for ever if its
 * supervisor was killed.
 */
export function exitOf(reported: Exit | undefined, folder: TaskFolder): TaskExit | undefined {
  if (reported?.how === 'ended') return reported;
  const text = readTinySync(folder.exit, 0, EXIT_BYTES_MAX)?.toString() ?? '';
  const facts = taskFileFacts(folder.exit);
  if (facts === undefined || !/^\d+( \d+){0,4}\n$/.test(text)) return undefined;
  const [exitCode = 0, ...figures] = text.trim().split(' ').map(Number);
  const used = figures.length === 0 ? undefined : processesUsed(figures);
  const fault = exitCode === NOT_BEGUN ? readTinySync(folder.fault, 0, FAULT_BYTES_MAX) : undefined;
  return { exitCode, endedMs: facts.mtimeMs, fault: fault?.toString().trim() ?? '', used };
}

/**
 * The supervisor: a small shell that runs one task's command and writes its exit code to the task's folder.
 * It outlives the agent, which finds it again by pid and start time. It enforces nothing.
 *
 * Its files need no sync: they only have to survive the agent, and when the host goes down the task is gone
 * as well.
 */
import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { TaskFolder } from '../task/task-folder.ts';
import { readTinySync } from '../tiny-file.ts';
import { type ProcessName, parseProcessStat } from './proc.ts';
import type { Spawned, Spawner } from './spawner.ts';

/**
 * $1 the folder, $2 control groups to enter (our own paths, without blanks), then the command as arguments.
 * `set -C` makes the first redirection exclusive: of two supervisors for one task, one runs it. Only
 * built-ins are used, so a task costs one fork and its own exec. `read … < /proc/self/stat` is done by the
 * shell itself: its own line.
 */
const SCRIPT = `
set -Cu
umask 077
folder=$1 groups=$2
shift 2
read -r self < /proc/self/stat || exit 111
echo "$self" 2>/dev/null > "$folder/supervisor" || exit 111
(
  for group in $groups; do
    echo 0 >| "$group/cgroup.procs" || { echo "cannot enter its control group" >| "$folder/fault"; exit 125; }
  done
  cd "$folder/work" || { echo "cannot enter its working directory" >| "$folder/fault"; exit 125; }
  ulimit -c 0
  umask 022
  exec "$@"
) < /dev/null >> "$folder/stdout" 2>> "$folder/stderr"
echo $? >| "$folder/exit"
`;

/** Exit code of a supervisor that found the task taken by another one. */
export const TASK_TAKEN = 111;

export interface SuperviseRequest {
  readonly folder: TaskFolder;
  readonly controlGroups: readonly string[];
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a supervisor in a session of its own. The agent may end before it. Throws SpawnFailure. */
export function supervise(spawner: Spawner, request: SuperviseRequest): Promise<Spawned> {
  const { folder, controlGroups, argv, environment } = request;
  return spawner.start({
    program: '/bin/sh',
    argv: ['-c', SCRIPT, 'millrace-task', folder.root, controlGroups.join(' '), ...argv],
    environment,
  });
}

export interface Supervisor extends ProcessName {
  readonly startedMs: number;
}

/** Who supervises (or supervised) the task; undefined when nobody has begun. */
export async function readSupervisor(folder: TaskFolder): Promise<Supervisor | undefined> {
  const line = await readFile(folder.supervisor, 'utf8').catch(() => undefined);
  if (line === undefined) return undefined;
  const facts = await stat(folder.supervisor);
  // A shell killed while it wrote: it had not begun the command, and what is no process never runs.
  const { pid, startTicks } = parseProcessStat(line) ?? { pid: 0, startTicks: '' };
  return { pid, startTicks, startedMs: facts.mtimeMs };
}

const EXIT_BYTES_MAX = 8;

export interface TaskExit {
  readonly exitCode: number;
  readonly endedMs: number;
}

/**
 * How the command ended; undefined while it runs, and for ever when its supervisor was killed.
 */
export function readExit(folder: TaskFolder): TaskExit | undefined {
  const text = readTinySync(folder.exit, 0, EXIT_BYTES_MAX)?.toString() ?? '';
  const facts = statSync(folder.exit, { throwIfNoEntry: false });
  if (facts === undefined || !/^\d+\n$/.test(text)) return undefined;
  return { exitCode: Number(text), endedMs: facts.mtimeMs };
}

/** Why the command did not begin, for an exit code of 125. */
export async function readFault(folder: TaskFolder): Promise<string | undefined> {
  return (await readFile(folder.fault, 'utf8').catch(() => undefined))?.trim();
}

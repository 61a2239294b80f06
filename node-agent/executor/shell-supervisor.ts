/**
 * The supervisor as a small shell: what is started for an order where the host has no Perl. Without knowledge of
 * processes or folders beyond their names.
 */
import type { SpawnOrder } from './spawn-order.ts';

/** Exit code of a supervisor that found the task taken by another one. */
export const TASK_TAKEN = 111;

export const SETPRIV = '/usr/bin/setpriv';
const ENV = '/usr/bin/env';

/**
 * $1 the folder, $2 a line to keep, $3 control groups to enter (our own paths, without blanks), then the command.
 * `set -C` makes the first redirection exclusive: of two supervisors for one task, one runs it. Only
 * built-ins are used, so a task costs one fork and its own exec. `read … < /proc/self/stat` is done by the
 * shell itself: its own line.
 */
const SCRIPT = `
set -Cu
umask 077
folder=$1 note=$2 groups=$3
shift 3
read -r self < /proc/self/stat || exit ${TASK_TAKEN}
printf '%s\\n' "$self" "$note" 2>/dev/null > "$folder/supervisor" || exit ${TASK_TAKEN}
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

/**
 * Variables that change what a program of ours would load or do, and names that a shell does not pass on: the
 * supervisor must not see them, so they are set after the user has been changed. The list is glibc's for
 * programs that are not to trust their caller.
 */
const HELD_BACK = new Set(
  [
    'GLIBC_TUNABLES GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN LOCPATH NIS_PATH NLSPATH',
    'RESOLV_HOST_CONF RES_OPTIONS TZDIR ENV IFS PS4 SHELLOPTS POSIXLY_CORRECT',
  ].flatMap((names) => names.split(' ')),
);
const HELD_BACK_PREFIX = /^(LD_|MALLOC_|BASH)/;
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function isHeldBack(name: string): boolean {
  return HELD_BACK.has(name) || HELD_BACK_PREFIX.test(name) || !SHELL_NAME.test(name);
}

export interface ShellSupervisor {
  readonly program: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function shellSupervisor(order: SpawnOrder): ShellSupervisor {
  const { folder, note, controlGroups, environment } = order;
  const given = Object.entries(environment).filter(([name]) => !isHeldBack(name));
  return {
    program: '/bin/sh',
    argv: ['-c', SCRIPT, 'millrace-task', folder, note, controlGroups.join(' '), ...commandOf(order)],
    environment: Object.fromEntries(given),
  };
}

/** The command behind what takes privileges away and sets the variables that were held back. */
function commandOf({ userId, argv, environment }: SpawnOrder): readonly string[] {
  const late = Object.entries(environment).filter(([name]) => isHeldBack(name));
  const command =
    late.length === 0 ? argv : [ENV, ...late.map(([name, value]) => `${name}=${value}`), ...argv];
  if (userId === undefined) return command;
  const user = ['--reuid', `${userId}`, '--regid', `${userId}`, '--clear-groups'];
  return [
    SETPRIV,
    ...user,
    '--no-new-privs',
    '--bounding-set',
    '-all',
    '--inh-caps',
    '-all',
    '--',
    ...command,
  ];
}

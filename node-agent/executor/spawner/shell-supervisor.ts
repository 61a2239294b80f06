/** The supervisor as a small shell, for hosts without Perl. */
import type { SpawnOrder } from './spawn-order.ts';

/** Exit code of a supervisor that found the task taken by another one. */
export const TASK_TAKEN = 111;

export const SETPRIV = '/usr/bin/setpriv';
const SHELL = '/bin/sh';
const UNSHARE = '/usr/bin/unshare';
/** The shell continues in its own namespaces; mounts of the host still appear and disappear in them. */
const NAMESPACES = ['--mount', '--ipc', '--propagation', 'slave', '--'];
const ENV = '/usr/bin/env';

/**
 * $1 the folder, $2 a line to store, $3 control groups to enter (our own paths, without blanks), $4 the number of words
 * about mounts (three for each: see MountStep), these words, then the command. Programs for mounting are named with
 * their path, because PATH is the task's. `set -C` makes the first redirection exclusive: of two supervisors for one
 * task, one runs it. Only built-ins are used, so a task costs one fork and one exec. The shell itself reads its own
 * line with `read … < /proc/self/stat`.
 */
const SCRIPT = `
set -Cu
umask 077
folder=$1 note=$2 groups=$3 words=$4
shift 4
read -r self < /proc/self/stat || exit ${TASK_TAKEN}
printf '%s\\n' "$self" "$note" 2>/dev/null > "$folder/supervisor" || exit ${TASK_TAKEN}
(
  umask 022
  while [ "$words" -gt 0 ]; do
    case $1 in
      folder) [ -d "$3" ] || /bin/mkdir "$3";;
      file) [ -e "$3" ] || : > "$3";;
      tmpfs) /bin/mount -t tmpfs -o "nosuid,nodev,$2" tmpfs "$3";;
      bind) /bin/mount --rbind "$2" "$3";;
    esac 2>/dev/null || { echo "cannot have temporary folders of its own: $1 $3" >| "$folder/fault"; exit 125; }
    shift 3
    words=$((words - 3))
  done
  for group in $groups; do
    echo 0 >| "$group/cgroup.procs" || { echo "cannot enter its control group" >| "$folder/fault"; exit 125; }
  done
  cd "$folder/work" || { echo "cannot enter its working directory" >| "$folder/fault"; exit 125; }
  ulimit -c 0
  exec "$@"
) < /dev/null >> "$folder/stdout" 2>> "$folder/stderr"
echo $? >| "$folder/exit"
`;

/**
 * Variables that change what our own programs load or do, and names that a shell does not pass on. The supervisor must
 * not have them, so they are set after the user has been changed. The list is glibc's for programs that must not trust
 * their caller.
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
  const { folder, note, controlGroups, mounts, environment } = order;
  const given = Object.entries(environment).filter(([name]) => !isHeldBack(name));
  const words = mounts.flatMap(({ kind, source, target }) => [kind, source, target]);
  const place = [folder, note, controlGroups.join(' '), `${words.length}`, ...words];
  const argv = ['-c', SCRIPT, 'millrace-task', ...place, ...commandOf(order)];
  const isApart = mounts.length > 0;
  return {
    program: isApart ? UNSHARE : SHELL,
    argv: isApart ? [...NAMESPACES, SHELL, ...argv] : argv,
    environment: Object.fromEntries(given),
  };
}

/** A command that exits with 0 if a supervisor may have its own mounts. */
export function namespaceProbe(): readonly [string, ...string[]] {
  return [UNSHARE, ...NAMESPACES, SHELL, '-c', 'exec /bin/mount -t tmpfs -o size=1m tmpfs /tmp'];
}

/** The command, preceded by dropping privileges and setting the held-back variables. */
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

/*
 * The program of the spawner (see spawner.ts): forks supervisors for the agent that started it, gives them orders, and
 * reports when they end. It never outlives that agent; a supervisor does until its task has ended.
 *
 * A supervisor runs one task after another, of one user and in the same control groups. A fork of its own stands by: it
 * has entered those groups before it is needed, because entering one waits for all processors. The fork reads the
 * order, becomes the task's user and executes its command. So a task takes one fork and one exec, and its secrets never
 * enter the supervisor, which waits for the end, reports it, and has the next one stand by. The supervisor itself stays
 * out of the groups: where a task leaves no memory to its group, it would wait there for ever.
 *
 * The supervisor writes how a task ended to disk only when its pipe of orders has ended: the agent, which records ends,
 * is then gone.
 *
 * A supervisor whose order lists mounts has namespaces of its own for mounts and for System V and POSIX message
 * objects, made once, before its first task: its tasks share no temporary folder and no such object with anybody else.
 *
 * Argument: `probe` only finds out whether supervisors may have namespaces: the answer is `yes`, or `no` and a reason.
 * Orders come on standard input, each a length (32 bits, the highest byte first) and as many bytes: strings, each after
 * its own length; spawn-order.ts has their order. Answers are lines. Memory that is needed until the process ends is
 * never freed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_BEGUN = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127, TEXT_MAX = 4096, LISTS = 3 };

struct text {
  char *at;
  size_t length;
};

/* The strings of an order, in this order; the words of the command and the variables follow. */
enum { SUPERVISOR, GROUPS, USER, MOUNTS, ID, FOLDER, NOTE, WORDS, FIXED };

struct supervisor {
  long number;
  pid_t pid;
  int orders;
  int is_dismissed;
  struct supervisor *next;
};

static struct supervisor *supervisors;
static int ends;
static pid_t agent;
static char *title;
static size_t title_length;

/* What shows the objects of the namespace that this process is in. Kernels may do without any of them. */
static const char *queues = "";
static int lists[LISTS] = {-1, -1, -1};

static void end(int code) { _exit(code); }

static char *formatted(const char *form, ...) {
  char *text;
  va_list values;
  va_start(values, form);
  if (vasprintf(&text, form, values) < 0) end(1);
  va_end(values);
  return text;
}

/* Writes a line to the agent, atomically up to 4,096 bytes. If the agent is gone, the line is lost. */
static void answer(const char *form, ...) {
  char line[TEXT_MAX];
  va_list values;
  va_start(values, form);
  int length = vsnprintf(line, sizeof line - 1, form, values);
  va_end(values);
  if (length > (int)sizeof line - 2) length = sizeof line - 2;
  line[length] = '\n';
  if (write(STDOUT_FILENO, line, length + 1) < 0) return;
}

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static uint32_t number_at(const char *bytes) {
  const unsigned char *at = (const unsigned char *)bytes;
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Closes descriptors that were inherited from the agent's parent, so that no task gets them. */
static void close_inherited(void) {
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0) return;
  for (int number = sysconf(_SC_OPEN_MAX) - 1; number > STDERR_FILENO; number--) close(number);
}

static sigset_t signals(const int *numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (; *numbers != 0; numbers++) sigaddset(&set, *numbers);
  return set;
}

/* The strings of a complete order; `count` says how many. Each ends with NUL afterwards. */
static struct text *strings_of(char *order, size_t *count) {
  size_t length = number_at(order), room = 64, at = 4;
  struct text *strings = malloc(room * sizeof *strings);
  *count = 0;
  while (strings != NULL && at + 4 <= length + 4) {
    if (*count + 1 == room) strings = realloc(strings, (room *= 2) * sizeof *strings);
    if (strings == NULL) break;
    size_t bytes = number_at(order + at);
    strings[(*count)++] = (struct text){order + at + 4, bytes};
    at += 4 + bytes;
  }
  if (strings == NULL) end(1);
  for (size_t n = 0; n < *count; n++) strings[n].at[strings[n].length] = '\0';
  return strings;
}

static void watch_ipc(void) {
  static const char *const names[LISTS] = {"/proc/sysvipc/msg", "/proc/sysvipc/sem", "/proc/sysvipc/shm"};
  for (int n = 0; n < LISTS; n++) {
    if (lists[n] >= 0) close(lists[n]);
    lists[n] = open(names[n], O_RDONLY | O_CLOEXEC);
  }
  if (*queues != '\0' && mount("", queues, "mqueue", MS_NOSUID | MS_NODEV, NULL) != 0) queues = "";
}

/* Whether the namespace still contains message objects. */
static int is_ipc_used(void) {
  for (int n = 0; n < LISTS; n++) {
    char lines[TEXT_MAX];
    if (lists[n] < 0) continue;
    ssize_t length = pread(lists[n], lines, sizeof lines, 0);
    char *first = length > 0 ? memchr(lines, '\n', length) : NULL;
    if (first != NULL && first + 1 < lines + length) return 1; /* the first one has titles */
  }
  DIR *folder = *queues == '\0' ? NULL : opendir(queues);
  if (folder == NULL) return 0;
  struct dirent *entry;
  int is_used = 0;
  while (!is_used && (entry = readdir(folder)) != NULL) is_used = entry->d_name[0] != '.';
  closedir(folder);
  return is_used;
}

/* The objects of the former namespace disappear with its last process. */
static void renew_ipc(void) {
  unshare(CLONE_NEWIPC);
  if (*queues != '\0') umount2(queues, MNT_DETACH);
  watch_ipc();
}

static int is_made(const char *kind, const char *source, const char *target) {
  if (strcmp(kind, "mqueue") == 0) {
    queues = strdup(target);
    return queues != NULL;
  }
  if (strcmp(kind, "folder") == 0) return mkdir(target, 0755) == 0 || errno == EEXIST;
  if (strcmp(kind, "file") == 0) {
    int file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return file >= 0 && close(file) == 0;
  }
  if (strcmp(kind, "tmpfs") == 0) return mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, source) == 0;
  return mount(source, target, "", MS_BIND | MS_REC, NULL) == 0;
}

/*
 * Enters new namespaces with these mounts: strings that end with NUL, three for each (MountStep in spawn-order.ts).
 * Changes of the host's mounts still reach them; their own mounts do not reach the host. Returns the failure, or NULL.
 */
static char *leave_namespaces(struct text mounts) {
  const char *cannot = "cannot have temporary folders of its own";
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) return formatted("%s: unshare: %s", cannot, strerror(errno));
  if (mount("", "/", "", MS_SLAVE | MS_REC, NULL) != 0) return formatted("%s: %s", cannot, strerror(errno));
  for (char *at = mounts.at; at < mounts.at + mounts.length;) {
    char *kind = at, *source = kind + strlen(kind) + 1, *target = source + strlen(source) + 1;
    if (!is_made(kind, source, target)) return formatted("%s: %s %s: %s", cannot, kind, target, strerror(errno));
    at = target + strlen(target) + 1;
  }
  watch_ipc();
  return NULL;
}

/* Drops the rights that neither a task nor the fork that stands by may have. Returns the failure, or NULL. */
static char *give_up_rights(uid_t user) {
  const char *cannot = "cannot be made unprivileged";
  if (setgroups(0, NULL) != 0) return formatted("%s: setgroups: %s", cannot, strerror(errno));
  if (setresgid(user, user, user) != 0) return formatted("%s: setresgid: %s", cannot, strerror(errno));
  for (int capability = 0; capability <= 64; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (capability > 0 && errno == EINVAL) break; /* there is none of that number */
    return formatted("%s: %s", cannot, strerror(errno));
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return formatted("%s: prctl: %s", cannot, strerror(errno));
  if (getgroups(0, NULL) != 0 || getgid() != user || getegid() != user) return formatted("%s", cannot);
  return NULL;
}

/* The report of the fork to its supervisor: the order's id and folder, then why the command did not begin. */
static void say(int said, const char *id, const char *folder) {
  size_t lengths[] = {strlen(id), strlen(folder)};
  char *bytes = malloc(2 * sizeof(size_t) + lengths[0] + lengths[1]);
  if (bytes == NULL) end(1);
  memcpy(bytes, lengths, sizeof lengths);
  memcpy(bytes + sizeof lengths, id, lengths[0]);
  memcpy(bytes + sizeof lengths + lengths[0], folder, lengths[1]);
  if (write(said, bytes, sizeof lengths + lengths[0] + lengths[1]) < 0) end(1);
  free(bytes);
}

static void refuse(int said, const char *reason) {
  if (write(said, reason, strlen(reason)) < 0) end(1);
  end(NOT_BEGUN);
}

static void become(uid_t user, int said) {
  struct __user_cap_header_struct this_process = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  const char *cannot = "cannot be made unprivileged";
  if (setresuid(user, user, user) != 0)
    refuse(said, formatted("%s: setresuid: %s", cannot, strerror(errno)));
  if (syscall(SYS_capset, &this_process, none) != 0)
    refuse(said, formatted("%s: capset: %s", cannot, strerror(errno)));
  if (getuid() != user || geteuid() != user) refuse(said, cannot);
}

static void run(char **command, char **variables, int said) {
  environ = variables;
  execvp(command[0], command); /* as a shell does it: looks for it, and runs what is no program as a script */
  int code = errno;
  if (code == E2BIG || code == EAGAIN || code == ENOMEM)
    refuse(said, formatted("cannot be started: %s", strerror(code)));
  dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(code));
  end(code == ENOENT ? NOT_FOUND : NOT_EXECUTABLE); /* as a shell says it */
}

static char *enter_groups(char *groups) {
  char *obstacle = NULL, *rest = NULL;
  for (char *group = strtok_r(groups, " ", &rest); group != NULL; group = strtok_r(NULL, " ", &rest)) {
    char *path = formatted("%s/cgroup.procs", group);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (write(file, "0", 1) != 1) obstacle = "cannot enter its control group";
    close(file);
    free(path);
  }
  return obstacle;
}

/* Waits for an order. NULL: the pipe of orders has ended. */
static char *next_order(int orders) {
  size_t length = 0, room = 64 * 1024;
  char *order = malloc(room);
  while (order != NULL && (length < 4 || length < 4 + (size_t)number_at(order))) {
    /* One byte more than the order, for the NUL after its last string. */
    size_t wanted = length < 4 ? room : 4 + (size_t)number_at(order) + 1;
    if (wanted > room) order = realloc(order, room = wanted);
    ssize_t got = order == NULL ? -1 : read(orders, order + length, room - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return NULL;
    length += got;
  }
  return order;
}

/*
 * If two supervisors get the same task, the one that makes the file `supervisor` runs it. A folder that was used before
 * has the file of the earlier task, called `spare`. A supervisor gives that a name of its own, so that no other has it,
 * overwrites it, and only then names it `supervisor`.
 */
static int is_claimed(const char *folder, const char *lines) {
  char *path = formatted("%s/supervisor", folder), *spare = formatted("%s/spare", folder);
  char *own = formatted("%s/claim-%d", folder, getpid());
  int is_spare = rename(spare, own) == 0;
  int how = O_WRONLY | O_CLOEXEC | (is_spare ? O_NOFOLLOW : O_CREAT | O_EXCL);
  int file = open(is_spare ? own : path, how, 0600);
  struct stat facts;
  if (file < 0 || fstat(file, &facts) != 0) return 0;
  size_t length = strlen(lines), size = facts.st_size > (off_t)length ? (size_t)facts.st_size : length;
  char *bytes = malloc(size + 1);
  if (bytes == NULL) return 0;
  memset(bytes, '\n', size);
  memcpy(bytes, lines, length);
  int is_written = write(file, bytes, size) == (ssize_t)size;
  close(file);
  if (!is_written || !is_spare) return is_written;
  if (syscall(SYS_renameat2, AT_FDCWD, own, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return 1;
  /* Some file systems know no such flag. */
  return errno != EEXIST && link(own, path) == 0 && unlink(own) == 0;
}

/* The fork that stands by: waits for an order, and becomes its task. */
static void stand_by(int orders, int said, const char *self, char *groups, const char *obstacle) {
  char *group_obstacle = enter_groups(groups);
  if (obstacle == NULL) obstacle = group_obstacle;
  char *order = next_order(orders);
  if (order == NULL) end(0);
  size_t count;
  struct text *strings = strings_of(order, &count);
  if (count < FIXED) {
    say(said, "", "");
    end(0); /* dismissed */
  }
  const char *id = strings[ID].at, *folder = strings[FOLDER].at;
  if (!is_claimed(folder, formatted("%s%s\n", self, strings[NOTE].at))) {
    answer("taken %s", id);
    end(0);
  }
  say(said, id, folder);
  answer("started %s %d %lld", id, getppid(), milliseconds());
  /* Message objects of an earlier task are hidden: one of its background processes may have created them late. */
  if (obstacle == NULL && is_ipc_used() && unshare(CLONE_NEWIPC) != 0)
    obstacle = formatted("unshare: %s", strerror(errno));
  if (obstacle != NULL) refuse(said, obstacle);
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    close(stream);
    char *path = formatted("%s/%s", folder, stream == STDOUT_FILENO ? "stdout" : "stderr");
    if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) != stream)
      refuse(said, formatted("cannot write its output: %s", strerror(errno)));
  }
  if (chdir(formatted("%s/work", folder)) != 0) refuse(said, "cannot enter its working directory");
  if (strings[USER].length > 0) become(strtoul(strings[USER].at, NULL, 10), said);
  /* Discards a SIGPIPE that answering a killed agent has raised, so that the command does not get it. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  size_t words = strtoul(strings[WORDS].at, NULL, 10), variables = count - FIXED - words;
  char **command = calloc(words + 1, sizeof *command), **environment = calloc(variables + 1, sizeof *environment);
  if (command == NULL || environment == NULL) refuse(said, "cannot be started: out of memory");
  for (size_t n = 0; n < words; n++) command[n] = strings[FIXED + n].at;
  for (size_t n = 0; n < variables; n++) environment[n] = strings[FIXED + words + n].at;
  run(command, environment, said);
}

/* Waits for the end of a process. What it and those that it waited for used, as text: microseconds of processors, the
 * KiB of the largest one, and blocks of 512 bytes that were read and written. */
static int ended(pid_t pid, char *used, size_t room) {
  int status = 0;
  struct rusage usage = {0};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR);
  long long processor_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL +
                           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  snprintf(used, room, "%lld %ld %ld %ld", processor_us, usage.ru_maxrss, usage.ru_inblock, usage.ru_oublock);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void note(const char *folder, const char *name, const char *text) {
  char *path = formatted("%s/%s", folder, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  dprintf(file, "%s\n", text);
  close(file);
}

static void supervise(int orders, struct text *strings) {
  setsid();
  sigset_t pipe_signal = signals((int[]){SIGPIPE, 0});
  sigprocmask(SIG_SETMASK, &pipe_signal, NULL);
  prctl(PR_SET_NAME, "millrace-task", 0, 0, 0);
  memset(title, 0, title_length);
  strncpy(title, "millrace-task", title_length - 1);
  close(ends);
  for (struct supervisor *other = supervisors; other != NULL; other = other->next) close(other->orders);
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
  umask(022);
  struct rlimit no_bytes = {0, 0};
  setrlimit(RLIMIT_CORE, &no_bytes);
  char *obstacle = strings[MOUNTS].length == 0 ? NULL : leave_namespaces(strings[MOUNTS]);
  if (obstacle == NULL && strings[USER].length > 0)
    obstacle = give_up_rights(strtoul(strings[USER].at, NULL, 10));
  char self[1024] = "";
  int stat = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (stat < 0 || read(stat, self, sizeof self - 1) <= 0) end(1);
  close(stat);
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0 || fcntl(said[0], F_SETFL, O_NONBLOCK) != 0) end(1);
  char *id = NULL, *folder = NULL, *fault = NULL, used[128];
  static char told[65536];
  int code = 0;
  long long ended_ms = 0;
  for (;;) {
    if (is_ipc_used()) renew_ipc();
    pid_t pid = fork();
    if (pid == 0) stand_by(orders, said[1], self, strings[GROUPS].at, obstacle);
    if (id != NULL) answer("ended %s %d %lld %d %s %s", id, code, ended_ms, pid > 0 ? pid : 0, used, fault);
    if (pid < 0) break;
    char used_now[sizeof used];
    int code_now = ended(pid, used_now, sizeof used_now);
    long long now_ms = milliseconds();
    ssize_t length = read(said[0], told, sizeof told - 1);
    size_t lengths[2];
    if (length < (ssize_t)sizeof lengths) break;
    memcpy(lengths, told, sizeof lengths);
    told[length] = '\0';
    char *at = told + sizeof lengths;
    if (lengths[0] == 0) end(0); /* dismissed */
    free(id), free(folder), free(fault);
    id = strndup(at, lengths[0]);
    folder = strndup(at + lengths[0], lengths[1]);
    fault = strdup(at + lengths[0] + lengths[1]);
    if (id == NULL || folder == NULL || fault == NULL) end(1);
    code = code_now;
    ended_ms = now_ms;
    memcpy(used, used_now, sizeof used);
  }
  /* The agent is gone, and may not have recorded the last end. */
  if (id != NULL && *fault != '\0') note(folder, "fault", fault);
  if (id != NULL) note(folder, "exit", formatted("%d %s", code, used));
  end(0);
}

static struct supervisor *open_supervisor(long number, struct text *strings) {
  int orders[2];
  struct supervisor *made = calloc(1, sizeof *made);
  if (made == NULL || pipe2(orders, O_CLOEXEC) != 0) return NULL;
  pid_t pid = fork();
  if (pid == 0) {
    close(orders[1]);
    supervise(orders[0], strings);
  }
  close(orders[0]);
  if (pid < 0) {
    close(orders[1]);
    return NULL;
  }
  *made = (struct supervisor){number, pid, orders[1], 0, supervisors};
  supervisors = made;
  return made;
}

static void supervisors_ended(void) {
  struct signalfd_siginfo told[16];
  while (read(ends, told, sizeof told) > 0);
  pid_t pid;
  while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
    for (struct supervisor **at = &supervisors; *at != NULL; at = &(*at)->next) {
      struct supervisor *found = *at;
      if (found->pid != pid) continue;
      if (!found->is_dismissed) close(found->orders);
      answer("gone %ld", found->number);
      *at = found->next;
      free(found);
      break;
    }
  }
}

/* `order`: complete, of `length` bytes, with room for one more. */
static void give(char *order, size_t length) {
  static long newest = 0;
  size_t count;
  char *copy = malloc(length + 1);
  /* The agent has been killed: its successor gives the order again. */
  if (copy == NULL || getppid() != agent) end(0);
  memcpy(copy, order, length);
  struct text *strings = strings_of(copy, &count);
  if (count > ID) {
    long number = strtol(strings[SUPERVISOR].at, NULL, 10);
    struct supervisor *found = supervisors;
    if (number > newest) {
      newest = number;
      found = open_supervisor(number, strings);
      if (found == NULL) answer("gone %ld", number);
    } else
      while (found != NULL && found->number != number) found = found->next;
    /* A supervisor that is not found was reported as gone before. */
    if (found != NULL && !found->is_dismissed) {
      for (size_t written = 0; written < length;) {
        ssize_t now = write(found->orders, order + written, length - written);
        if (now < 0 && errno != EINTR) break;
        if (now > 0) written += now;
      }
      if (strings[ID].length == 0) {
        close(found->orders);
        found->is_dismissed = 1;
      }
    }
  }
  memset(copy, 0, length); /* its variables may be secret */
  free(copy);
  free(strings);
}

int main(int count, char **arguments) {
  close_inherited();
  title = arguments[0];
  title_length = arguments[count - 1] + strlen(arguments[count - 1]) + 1 - arguments[0];
  if (count > 1 && strcmp(arguments[1], "probe") == 0) {
    char mounts[] = "tmpfs\0size=1m\0/tmp";
    char *obstacle = leave_namespaces((struct text){mounts, sizeof mounts});
    if (obstacle == NULL) answer("yes");
    else answer("no %s", obstacle);
    return 0;
  }
  /* Signals of a terminal are meant for the agent, which may take a while to end its work. */
  sigset_t held = signals((int[]){SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGCHLD, 0});
  sigset_t child = signals((int[]){SIGCHLD, 0});
  sigprocmask(SIG_SETMASK, &held, NULL);
  ends = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ends < 0) return 1;
  agent = getppid();
  answer("ready");
  size_t length = 0, room = 64 * 1024;
  char *received = malloc(room);
  struct pollfd waits[] = {{STDIN_FILENO, POLLIN, 0}, {ends, POLLIN, 0}};
  while (received != NULL) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[1].revents != 0) supervisors_ended();
    if (waits[0].revents == 0) continue;
    if (room - length < room / 2) received = realloc(received, room *= 2);
    ssize_t got = received == NULL ? -1 : read(STDIN_FILENO, received + length, room - length);
    if (got <= 0) break;
    length += got;
    size_t at = 0;
    while (length - at >= 4 && length - at >= 4 + (size_t)number_at(received + at)) {
      size_t bytes = 4 + (size_t)number_at(received + at);
      give(received + at, bytes);
      at += bytes;
    }
    memmove(received, received + at, length -= at);
  }
  /* Waits for dismissed supervisors, so that no process is left in their control groups. */
  for (struct supervisor *each = supervisors; each != NULL; each = each->next)
    if (each->is_dismissed) waitpid(each->pid, NULL, 0);
  return 0;
}

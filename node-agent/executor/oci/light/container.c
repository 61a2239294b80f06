/*
 * Runs one container to its end, in the foreground: what `runc run` does, for the one kind of container that the agent
 * has. A program of its own takes a tenth of the processor time, because it is one fork and one exec.
 *
 * Argument: the folder of the container. Its file `order` has the filter of system calls and a list of steps
 * (light-order.ts). This process stays outside, as the agent's user: it makes and limits the control groups, opens what
 * is mounted from the host, maps the users, and writes to `state` what the agent finds the container by. It copies what
 * the program writes, and exits as the container did. The other one is born into the container's namespaces. It waits
 * until it is in its control groups, puts the files together as the container's own root, gives up all rights, and
 * becomes the program, so that the program has process id 1. What fails is written to `fault`, before anything of the
 * image has run.
 *
 * An image may contain anything, and its own files are what is mounted on. So no path in the image is ever given to the
 * kernel as a whole: each name is opened by itself, and links are followed here, within the root. Mounts go to what was
 * opened in this way, and come from descriptors that were opened before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAULT = 125, FIELDS = 5, DEPTH_MAX = 256, LINKS_MAX = 40, TEXT_MAX = 4096, RULES_MAX = 32, STREAMS = 2,
       USER_FIELDS = 7 };

/* From <sys/mount.h>, which cannot be included together with the kernel's own <linux/mount.h>. */
#define MNT_DETACH 2

/* A step: its name, and its fields in the order that light-order.ts gives them. */
struct step {
  const char *name;
  char *fields[FIELDS];
  int file; /* what was opened for it before the container began */
};

struct list {
  char **words;
  size_t count;
};

static struct step *steps;
static size_t step_count;
static struct list program, variables;
static struct sock_fprog filter;
static int faults = -1;
static pid_t inside = -1; /* the container's process, as the one outside knows it; 0 in itself */

static void remove_groups(void);

static _Noreturn void fail(const char *form, ...) {
  char text[TEXT_MAX];
  int error = errno;
  va_list values;
  va_start(values, form);
  int length = vsnprintf(text, sizeof text, form, values);
  va_end(values);
  if (length > (int)sizeof text - 1) length = sizeof text - 1;
  if (error != 0) snprintf(text + length, sizeof text - length, ": %s", strerror(error));
  if (write(faults, text, strlen(text)) >= 0) remove_groups();
  _exit(FAULT);
}

static _Noreturn void refuse(const char *form, const char *what) {
  errno = 0;
  fail(form, what);
}

static void put(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail("%s", path);
  close(file);
}

static char *contents(int folder, const char *name, size_t *length) {
  struct stat facts;
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &facts) != 0) fail("%s", name);
  char *bytes = malloc(facts.st_size + 1);
  *length = 0;
  while (bytes != NULL && *length < (size_t)facts.st_size) {
    ssize_t got = read(file, bytes + *length, facts.st_size - *length);
    if (got <= 0) fail("%s", name);
    *length += got;
  }
  if (bytes == NULL) fail("%s", name);
  bytes[*length] = '\0';
  close(file);
  return bytes;
}

static void add(struct list *list, char *word) {
  list->words = realloc(list->words, (list->count + 2) * sizeof *list->words);
  if (list->words == NULL) fail("out of memory");
  list->words[list->count++] = word;
  list->words[list->count] = NULL;
}

/*
 * The number of the filter's bytes, and these; then strings: the name of a step, the number of its fields, the fields.
 * Each string ends with NUL, and so does the number.
 */
static void read_order(int folder) {
  size_t length, room = 0;
  char *at = contents(folder, "order", &length), *end = at + length;
  size_t filter_length = strtoul(at, &at, 10);
  if (at >= end || *at != '\0' || filter_length >= (size_t)(end - at)) refuse("%s", "the order is incomplete");
  filter.filter = (struct sock_filter *)(at + 1);
  filter.len = filter_length / sizeof *filter.filter;
  at += 1 + filter_length;
  while (at < end) {
    char *words[FIELDS + 2] = {0};
    size_t wanted = 2;
    for (size_t n = 0; n < wanted; n++) {
      if (at >= end) refuse("%s", "the order is incomplete");
      words[n] = at;
      at += strlen(at) + 1;
      if (n == 1 && (wanted += strtoul(words[1], NULL, 10)) > FIELDS + 2) refuse("%s", "the order has too many fields");
    }
    if (strcmp(words[0], "word") == 0) add(&program, words[2]);
    else if (strcmp(words[0], "variable") == 0) add(&variables, words[2]);
    else {
      if (step_count == room) steps = realloc(steps, (room = room * 2 + 64) * sizeof *steps);
      if (steps == NULL) fail("out of memory");
      struct step *step = &steps[step_count++];
      step->name = words[0];
      memcpy(step->fields, words + 2, sizeof step->fields);
      step->file = -1;
    }
  }
  if (program.count == 0) refuse("%s", "the order has no program");
  if (variables.count == 0) add(&variables, "container=millrace");
}

static struct step *next_step(struct step *after, const char *name) {
  for (struct step *step = after == NULL ? steps : after + 1; step < steps + step_count; step++)
    if (strcmp(step->name, name) == 0) return step;
  return NULL;
}

static struct step *the_step(const char *name) {
  struct step *step = next_step(NULL, name);
  if (step == NULL) refuse("the order lacks %s", name);
  return step;
}

static long number(const char *text) { return strtol(text, NULL, 10); }

/* ---- Outside ---- */

/* A copy of the host's mount that belongs to no namespace, private, and with these attributes in all its parts. */
static int host_mount(const char *path, uint64_t attributes, int is_tree) {
  unsigned depth = is_tree ? AT_RECURSIVE : 0;
  struct mount_attr wanted = {attributes, 0, MS_PRIVATE, 0};
  int file = syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | depth);
  if (file < 0) fail("%s", path);
  if (syscall(SYS_mount_setattr, file, "", AT_EMPTY_PATH | depth, &wanted, sizeof wanted) != 0) fail("%s", path);
  return file;
}

static void open_sources(void) {
  for (struct step *step = NULL; (step = next_step(step, "bind")) != NULL;)
    step->file = host_mount(step->fields[0], number(step->fields[2]), 1);
  for (struct step *step = NULL; (step = next_step(step, "device")) != NULL;) {
    struct stat facts;
    step->file = host_mount(step->fields[0], MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, 0);
    dev_t device = makedev(number(step->fields[2]), number(step->fields[3]));
    if (fstat(step->file, &facts) != 0) fail("%s", step->fields[0]);
    if (!S_ISCHR(facts.st_mode) || facts.st_rdev != device) refuse("%s is another device", step->fields[0]);
  }
}

/*
 * A group that is to be made and exists may contain others. With version 2 a process is born in its group. With version
 * 1 it enters its groups itself, as a thread: that takes no lock of all processes, for which moving another process
 * waits 8 ms. Returns the group to be born in, or -1.
 */
static int make_groups(void) {
  char path[PATH_MAX];
  int born_in = -1;
  int is_unified = next_step(NULL, "devices") != NULL;
  for (struct step *step = NULL; (step = next_step(step, "group")) != NULL;) {
    const char *group = step->fields[0];
    if (strcmp(step->fields[1], "new") == 0 && mkdir(group, 0755) != 0) fail("%s", group);
    snprintf(path, sizeof path, is_unified ? "%s" : "%s/tasks", group);
    step->file = open(path, is_unified ? O_PATH | O_DIRECTORY | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
    if (step->file < 0) fail("%s", path);
    if (is_unified) born_in = step->file;
  }
  for (struct step *step = NULL; (step = next_step(step, "limit")) != NULL;) put(step->fields[0], step->fields[1]);
  return born_in;
}

/* After a failure outside. If the agent has given the container up meanwhile, nobody else knows of its groups. */
static void remove_groups(void) {
  if (inside == 0) return;
  if (inside > 0 && (kill(inside, SIGKILL) != 0 || waitpid(inside, NULL, 0) < 0)) return;
  for (struct step *step = NULL; (step = next_step(step, "group")) != NULL;)
    if (step->file >= 0) rmdir(step->fields[0]);
}

static void enter_groups(void) {
  for (struct step *step = NULL; (step = next_step(step, "group")) != NULL;) {
    if (next_step(NULL, "devices") == NULL && write(step->file, "0", 1) != 1) fail("%s", step->fields[0]);
    close(step->file);
  }
}

/* Version 2 limits devices by a program of the kernel: it allows the listed ones, `major:minor`, `*` for any minor. */
static void limit_devices(const char *group, char *allowed) {
  struct bpf_insn code[RULES_MAX * 5 + 8];
  size_t n = 0;
  code[n++] = (struct bpf_insn){BPF_LDX | BPF_MEM | BPF_W, 2, 1, 0, 0};
  code[n++] = (struct bpf_insn){BPF_LDX | BPF_MEM | BPF_W, 3, 1, 4, 0};
  code[n++] = (struct bpf_insn){BPF_LDX | BPF_MEM | BPF_W, 4, 1, 8, 0};
  code[n++] = (struct bpf_insn){BPF_ALU | BPF_AND | BPF_K, 2, 0, 0, 0xffff};
  code[n++] = (struct bpf_insn){BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0};
  code[n++] = (struct bpf_insn){BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, BPF_DEVCG_DEV_CHAR};
  code[n++] = (struct bpf_insn){BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
  char *rest = NULL;
  for (char *rule = strtok_r(allowed, " ", &rest); rule != NULL; rule = strtok_r(NULL, " ", &rest)) {
    const char *minor = strchr(rule, ':') + 1;
    if (n + 6 > sizeof code / sizeof *code) refuse("%s", "too many devices");
    code[n++] = (struct bpf_insn){BPF_JMP | BPF_JNE | BPF_K, 3, 0, *minor == '*' ? 2 : 3, number(rule)};
    if (*minor != '*') code[n++] = (struct bpf_insn){BPF_JMP | BPF_JNE | BPF_K, 4, 0, 2, number(minor)};
    code[n++] = (struct bpf_insn){BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1};
    code[n++] = (struct bpf_insn){BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
  }
  code[n++] = (struct bpf_insn){BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
  union bpf_attr load = {.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE, .insn_cnt = n};
  load.insns = (uintptr_t)code;
  load.license = (uintptr_t) "";
  int loaded = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
  int folder = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  union bpf_attr attach = {.target_fd = folder, .attach_bpf_fd = loaded, .attach_type = BPF_CGROUP_DEVICE};
  attach.attach_flags = BPF_F_ALLOW_MULTI;
  if (loaded < 0 || folder < 0 || syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach) != 0)
    fail("devices of %s", group);
  close(loaded);
  close(folder);
}

/* Everything that has to be so before the container's process goes on. */
static void admit(int folder, pid_t pid) {
  char path[PATH_MAX], text[TEXT_MAX];
  struct step *users = the_step("users");
  snprintf(text, sizeof text, "0 %s %s", users->fields[0], users->fields[1]);
  const char *const maps[] = {"uid_map", "gid_map"};
  for (int n = 0; n < 2; n++) {
    snprintf(path, sizeof path, "/proc/%d/%s", pid, maps[n]);
    put(path, text);
  }
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", pid);
  put(path, the_step("oom")->fields[0]);
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int stat = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = stat < 0 ? -1 : read(stat, text, sizeof text);
  if (length <= 0) fail("%s", path);
  close(stat);
  /* If the agent has given the container up meanwhile, its folder is gone, and this fails. */
  int state = openat(folder, "state", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (state < 0 || write(state, text, length) != length) fail("state");
  close(state);
}

/*
 * The program's outputs are pipes of its own user: it can open them again by /dev/stdout, and never has a file of the
 * host, which it could cut or stretch. Reads do not wait, because the program can also empty its pipe by itself.
 */
static void open_outputs(int *reads, int *writes) {
  long first = number(the_step("users")->fields[0]);
  const struct step *user = the_step("user");
  for (int n = 0; n < STREAMS; n++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) fail("pipe");
    if (fchown(ends[1], first + number(user->fields[0]), first + number(user->fields[1])) != 0) fail("pipe");
    reads[n] = ends[0];
    writes[n] = ends[1];
  }
}

/* Copies what is in the pipe. Zero at its end, or if it cannot be written. */
static size_t copy(int from, int to) {
  static char bytes[64 * 1024];
  ssize_t got = read(from, bytes, sizeof bytes);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  for (ssize_t at = 0; at < got;) {
    ssize_t now = write(to, bytes + at, got - at);
    if (now < 0 && errno != EINTR) return 0;
    if (now > 0) at += now;
  }
  return got;
}

/* Until the process has ended, and with it all others of the container. */
static void copy_outputs(int process, const int *reads) {
  struct pollfd waits[STREAMS + 1] = {{reads[0], POLLIN, 0}, {reads[1], POLLIN, 0}, {process, POLLIN, 0}};
  while (waits[STREAMS].revents == 0) {
    if (poll(waits, STREAMS + 1, -1) < 0) continue;
    for (int n = 0; n < STREAMS; n++) {
      if (waits[n].revents == 0 || copy(reads[n], STDOUT_FILENO + n) > 0) continue;
      close(reads[n]);
      waits[n].fd = -1;
    }
  }
  /* If a process outside was given a pipe over the host's network, the pipe has no end: no more than it holds. */
  for (int n = 0; n < STREAMS; n++) {
    long left = waits[n].fd < 0 ? 0 : fcntl(reads[n], F_GETPIPE_SZ);
    int waiting = 0;
    while (left > 0 && ioctl(reads[n], FIONREAD, &waiting) == 0 && waiting > 0) {
      size_t copied = copy(reads[n], STDOUT_FILENO + n);
      if (copied == 0) break;
      left -= copied;
    }
  }
}

/* ---- Inside ---- */

struct path {
  int stack[DEPTH_MAX]; /* open folders, from the root */
  int depth;
};

static void leave(struct path *path, int depth) {
  while (path->depth > depth) close(path->stack[path->depth--]);
}

enum { FOLDER, FILE_OR_FOLDER, EXISTING, ORDINARY };

/*
 * Opens what a path names within the root, following links as the container would see them. What is missing is created,
 * as a folder, or with FILE_OR_FOLDER as a file in the end; with EXISTING the result is then -1. With ORDINARY no link
 * is followed.
 */
static int within(int root, const char *name, int how) {
  struct path path = {{root}, 0};
  static char rest[2 * PATH_MAX];
  int links = 0;
  if (strlen(name) >= PATH_MAX) refuse("%s", "a path is too long");
  strcpy(rest, name);
  for (;;) {
    char word[NAME_MAX + 1], link[PATH_MAX];
    size_t skipped = strspn(rest, "/"), length = strcspn(rest + skipped, "/");
    if (length == 0) break;
    if (length > NAME_MAX) refuse("%s: a name is too long", name);
    memcpy(word, rest + skipped, length);
    word[length] = '\0';
    memmove(rest, rest + skipped + length, strlen(rest + skipped + length) + 1);
    int is_last = rest[strspn(rest, "/")] == '\0';
    if (strcmp(word, ".") == 0) continue;
    if (strcmp(word, "..") == 0) {
      leave(&path, path.depth > 0 ? path.depth - 1 : 0);
      continue;
    }
    int parent = path.stack[path.depth], file = openat(parent, word, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && errno == ENOENT && how == EXISTING) {
      leave(&path, 0);
      return -1;
    }
    if (file < 0 && errno == ENOENT) {
      int made = 0;
      if (is_last && how == FILE_OR_FOLDER) {
        made = openat(parent, word, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        close(made);
      } else
        made = mkdirat(parent, word, 0755);
      if (made < 0) fail("%s", name);
      file = openat(parent, word, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    struct stat facts;
    if (file < 0 || fstat(file, &facts) != 0) fail("%s", name);
    if (S_ISLNK(facts.st_mode)) {
      ssize_t got = readlinkat(file, "", link, sizeof link - 1);
      close(file);
      if (how == ORDINARY) refuse("%s is a link", name);
      if (got <= 0 || ++links > LINKS_MAX || got + strlen(rest) + 1 >= sizeof rest)
        refuse("%s has too long links", name);
      link[got] = '\0';
      memmove(rest + got, rest, strlen(rest) + 1);
      memcpy(rest, link, got);
      if (link[0] == '/') leave(&path, 0);
      continue;
    }
    if (!is_last && !S_ISDIR(facts.st_mode)) refuse("%s: a part of it is no folder", name);
    if (path.depth + 1 == DEPTH_MAX) refuse("%s is too deep", name);
    path.stack[++path.depth] = file;
  }
  int found = path.depth == 0 ? fcntl(root, F_DUPFD_CLOEXEC, 0) : path.stack[path.depth--];
  leave(&path, 0);
  return found;
}

/* `source` is a mount that belongs to no namespace. */
static void place(int root, int source, int target, const char *name) {
  struct stat root_facts, facts;
  if (fstat(root, &root_facts) != 0 || fstat(target, &facts) != 0) fail("%s", name);
  if (root_facts.st_dev == facts.st_dev && root_facts.st_ino == facts.st_ino) refuse("%s is the root", name);
  unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  if (syscall(SYS_move_mount, source, "", target, "", flags) != 0) fail("%s", name);
  close(source);
  close(target);
}

/* Options: `name=value` or `name`, separated by commas. */
static int new_mount(const char *type, unsigned attributes, const char *options) {
  char text[TEXT_MAX], *rest = NULL;
  snprintf(text, sizeof text, "%s", options);
  int context = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (context < 0) fail("%s", type);
  for (char *name = strtok_r(text, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    char *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    unsigned command = value == NULL ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (syscall(SYS_fsconfig, context, command, name, value, 0) != 0) fail("%s: %s", type, name);
  }
  if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) fail("%s", type);
  int made = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
  if (made < 0) fail("%s", type);
  close(context);
  return made;
}

/* A file is covered by the container's own /dev/null, a folder by an empty one. */
static void mask(int root, const char *name) {
  struct stat facts;
  int target = within(root, name, EXISTING);
  if (target < 0) return;
  if (fstat(target, &facts) != 0) fail("%s", name);
  int cover = -1;
  if (S_ISDIR(facts.st_mode)) cover = new_mount("tmpfs", MOUNT_ATTR_RDONLY, "");
  else {
    int null = within(root, "/dev/null", EXISTING);
    cover = syscall(SYS_open_tree, null, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    close(null);
  }
  if (cover < 0) fail("%s", name);
  place(root, cover, target, name);
}

static void protect(int root, const char *name) {
  struct mount_attr read_only = {MOUNT_ATTR_RDONLY, 0, 0, 0};
  int target = within(root, name, EXISTING);
  if (target < 0) return;
  unsigned flags = AT_EMPTY_PATH | AT_RECURSIVE;
  int copy = syscall(SYS_open_tree, target, "", flags | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (copy < 0) fail("%s", name);
  if (syscall(SYS_mount_setattr, copy, "", flags, &read_only, sizeof read_only) != 0) fail("%s", name);
  place(root, copy, target, name);
}

static void take_step(int root, struct step *step) {
  const char *const *fields = (const char *const *)step->fields;
  struct stat facts;
  if (strcmp(step->name, "new") == 0) {
    /* The kernel's own file systems go nowhere else; only /tmp may be a link. */
    int target = within(root, fields[1], strcmp(fields[1], "/tmp") == 0 ? FOLDER : ORDINARY);
    place(root, new_mount(fields[0], number(fields[2]), fields[3]), target, fields[1]);
  } else if (strcmp(step->name, "bind") == 0 || strcmp(step->name, "device") == 0) {
    struct statfs system;
    if (fstat(step->file, &facts) != 0) fail("%s", fields[0]);
    int target = within(root, fields[1], S_ISDIR(facts.st_mode) ? FOLDER : FILE_OR_FOLDER);
    if (fstatfs(target, &system) != 0) fail("%s", fields[1]);
    if (system.f_type == PROC_SUPER_MAGIC) refuse("%s is inside /proc", fields[1]);
    place(root, step->file, target, fields[1]);
  } else if (strcmp(step->name, "link") == 0) {
    int folder = within(root, "/dev", ORDINARY);
    if (symlinkat(fields[1], folder, fields[0]) != 0) fail("%s", fields[0]);
    close(folder);
  } else if (strcmp(step->name, "mask") == 0) {
    mask(root, fields[0]);
  } else if (strcmp(step->name, "protect") == 0) {
    protect(root, fields[0]);
  }
}

/* The container's files, and its working directory, whose path is not looked up again: /proc/self/fd may be in it. */
static void build_root(void) {
  struct step *files = the_step("root");
  const char *mount_point = files->fields[0];
  if (syscall(SYS_mount, "", "/", "", MS_PRIVATE | MS_REC, "") != 0) fail("mounts of the host");
  unsigned long flags = MS_NODEV | MS_NOSUID;
  if (syscall(SYS_mount, "overlay", mount_point, "overlay", flags, files->fields[1]) != 0) fail("overlay");
  int root = open(mount_point, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) fail("%s", mount_point);
  for (struct step *step = steps; step < steps + step_count; step++) take_step(root, step);
  int folder = within(root, the_step("folder")->fields[0], FOLDER);
  if (next_step(NULL, "seal") != NULL) {
    struct mount_attr read_only = {MOUNT_ATTR_RDONLY, 0, 0, 0};
    if (syscall(SYS_mount_setattr, root, "", AT_EMPTY_PATH, &read_only, sizeof read_only) != 0) fail("root");
  }
  if (fchdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) fail("pivot_root");
  if (syscall(SYS_umount2, ".", MNT_DETACH) != 0 || chdir("/") != 0) fail("files of the host");
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0) fail("/dev/null");
  if (fchdir(folder) != 0) fail("working directory");
  close(null);
  close(folder);
  close(root);
}

static void raise_loopback(void) {
  struct ifreq loopback = {.ifr_name = "lo"};
  loopback.ifr_flags = IFF_UP;
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0 || ioctl(file, SIOCSIFFLAGS, &loopback) != 0) fail("loopback");
  close(file);
}

static void give_up_rights(void) {
  struct step *user = the_step("user");
  uid_t user_id = number(user->fields[0]);
  gid_t group_id = number(user->fields[1]);
  struct rlimit none = {0, 0};
  struct __user_cap_header_struct this_process = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct nothing[2] = {{0, 0, 0}, {0, 0, 0}};
  if (setrlimit(RLIMIT_CORE, &none) != 0) fail("RLIMIT_CORE");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) fail("ambient capabilities");
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) fail("bounding set");
  if (setresgid(group_id, group_id, group_id) != 0) fail("group %d", (int)group_id);
  if (setresuid(user_id, user_id, user_id) != 0) fail("user %d", (int)user_id);
  if (syscall(SYS_capset, &this_process, nothing) != 0) fail("capabilities");
}

/* The user's folder by the image's own list of users, as other runtimes have it; `/` if the image does not know it. */
static void find_home(void) {
  static char variable[PATH_MAX] = "HOME=/";
  uid_t user_id = number(the_step("user")->fields[0]);
  size_t place = variables.count;
  for (size_t n = 0; n < variables.count; n++)
    if (strncmp(variables.words[n], "HOME=", 5) == 0) place = n;
  if (place < variables.count && variables.words[place][5] != '\0') return;
  struct stat facts;
  int file = open("/etc/passwd", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  FILE *users = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(file, "r") : NULL;
  char line[TEXT_MAX];
  while (users != NULL && fgets(line, sizeof line, users) != NULL) {
    char *rest = line, *words[USER_FIELDS] = {0}, *end;
    for (int n = 0; n < USER_FIELDS; n++) words[n] = strsep(&rest, ":\n");
    if (words[USER_FIELDS - 1] == NULL || *words[2] == '\0') continue;
    if (strtoul(words[2], &end, 10) != user_id || *end != '\0') continue;
    if (*words[5] != '\0') snprintf(variable, sizeof variable, "HOME=%s", words[5]);
    break;
  }
  if (users != NULL) fclose(users);
  if (place < variables.count) variables.words[place] = variable;
  else add(&variables, variable);
}

static void execute(void) {
  const char *name = program.words[0], *path = "";
  for (size_t n = 0; n < variables.count; n++)
    if (strncmp(variables.words[n], "PATH=", 5) == 0) path = variables.words[n] + 5;
  int error = ENOENT;
  if (strchr(name, '/') != NULL) {
    execve(name, program.words, variables.words);
    error = errno;
  } else
    while (*path != '\0') {
      static char full[2 * PATH_MAX];
      int length = strcspn(path, ":");
      /* What is relative would depend on the working directory. */
      if (*path == '/' && length < PATH_MAX && strlen(name) < PATH_MAX) {
        snprintf(full, sizeof full, "%.*s/%s", length, path, name);
        execve(full, program.words, variables.words);
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
      }
      path += length + (path[length] == ':');
    }
  errno = error;
  fail("%s", name);
}

static _Noreturn void contain(int permission, const int *outputs) {
  char byte;
  enter_groups();
  for (int n = 0; n < STREAMS; n++)
    if (dup2(outputs[n], STDOUT_FILENO + n) < 0) fail("outputs");
  if (read(permission, &byte, 1) != 1) _exit(FAULT); /* the other process has failed, and has said why */
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0 || setgroups(0, NULL) != 0) fail("users");
  if (setsid() < 0) fail("session");
  /* The keys of the agent's session stay with it. */
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) fail("keyring");
  if (syscall(SYS_unshare, CLONE_NEWCGROUP) != 0) fail("control groups");
  const char *host = the_step("host")->fields[0];
  if (sethostname(host, strlen(host)) != 0) fail("%s", host);
  if (next_step(NULL, "network") != NULL) raise_loopback();
  build_root();
  give_up_rights();
  find_home();
  /* If the process outside is killed, nobody would learn of the end. This is forgotten when users change. */
  struct pollfd outside = {permission, 0, 0};
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("PR_SET_PDEATHSIG");
  if (poll(&outside, 1, 0) != 0) _exit(FAULT);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) fail("seccomp");
  execute();
  _exit(FAULT);
}

int main(int count, char **arguments) {
  if (count != 2) return FAULT;
  int folder = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return FAULT;
  /* Nothing that was inherited reaches the container. */
  if (folder != STDERR_FILENO + 1 && dup3(folder, STDERR_FILENO + 1, O_CLOEXEC) < 0) return FAULT;
  folder = STDERR_FILENO + 1;
  if (syscall(SYS_close_range, folder + 1, ~0U, 0) != 0) return FAULT;
  faults = openat(folder, "fault", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (faults < 0) return FAULT;
  umask(022);
  read_order(folder);
  open_sources();
  int born_in = make_groups();
  struct step *devices = next_step(NULL, "devices");
  if (devices != NULL) limit_devices(devices->fields[0], devices->fields[1]);
  int permission[2];
  if (pipe2(permission, O_CLOEXEC) != 0) fail("pipe");
  int reads[STREAMS], writes[STREAMS], process = -1;
  open_outputs(reads, writes);
  struct clone_args how = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS};
  how.flags |= CLONE_CLEAR_SIGHAND | (next_step(NULL, "network") != NULL ? CLONE_NEWNET : 0);
  how.flags |= CLONE_PIDFD;
  how.pidfd = (uintptr_t)&process;
  how.exit_signal = SIGCHLD;
  if (born_in >= 0) {
    how.flags |= CLONE_INTO_CGROUP;
    how.cgroup = born_in;
  }
  inside = syscall(SYS_clone3, &how, sizeof how);
  if (inside < 0) fail("namespaces");
  if (inside == 0) {
    /* No folder of the host is open when the program begins: its path may lead through /proc/self/fd. */
    close(folder);
    close(permission[1]);
    contain(permission[0], writes);
  }
  close(permission[0]);
  for (int n = 0; n < STREAMS; n++) close(writes[n]);
  for (size_t n = 0; n < step_count; n++)
    if (steps[n].file >= 0) close(steps[n].file);
  admit(folder, inside);
  if (write(permission[1], "", 1) != 1) fail("permission");
  copy_outputs(process, reads);
  int status = 0;
  while (waitpid(inside, &status, 0) < 0)
    if (errno != EINTR) return FAULT;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

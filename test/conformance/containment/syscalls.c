/*
 * Tries every system call with arguments that no call accepts, each in a process of its own, and says what came of it:
 * an error number, `allowed`, or the signal that ended the process. Then a few calls whose arguments decide.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 600, X32 = 0x40000000, SECONDS_MAX = 5 };

static long narrow(long number) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(-1L), "c"(-1L), "d"(-1L), "S"(-1L), "D"(-1L) : "memory");
  return result;
#else
  return -ENOSYS + 0 * number;
#endif
}

static void report(const char *what, long number, int (*try)(long)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(SECONDS_MAX); /* a call that waits was allowed, and should be left out */
    _exit(try(number));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) printf("%s %ld signal %d\n", what, number, WTERMSIG(status));
  else if (WEXITSTATUS(status) == ENOSYS || WEXITSTATUS(status) == EPERM)
    printf("%s %ld error %d\n", what, number, WEXITSTATUS(status));
  else printf("%s %ld allowed\n", what, number);
}

static int with_nothing(long number) {
  return syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) < 0 ? errno : 0;
}

static int narrow_with_nothing(long number) {
  long result = narrow(number);
  return result < 0 && result > -4096 ? -result : 0;
}

static int new_process(long flags) {
  long result = syscall(SYS_clone, flags | SIGCHLD, 0L, 0L, 0L, 0L);
  return result < 0 ? errno : 0;
}

static int personality_of(long value) { return syscall(SYS_personality, value) < 0 ? errno : 0; }

static int socket_of(long family) { return syscall(SYS_socket, family, 2L, 0L) < 0 ? errno : 0; }

static int netlink_of(long protocol) { return syscall(SYS_socket, 16L, 2L, protocol) < 0 ? errno : 0; }

/* They end, wait, or split the process that tries them. */
static int is_left_out(long number) {
  static const long left_out[] = {
#ifdef SYS_pause
      SYS_pause,
#endif
#ifdef SYS_fork
      SYS_fork,
      SYS_vfork,
#endif
      SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_clone,
  };
  for (size_t n = 0; n < sizeof left_out / sizeof *left_out; n++)
    if (left_out[n] == number) return 1;
  return 0;
}

/* The same of 32-bit programs on x86: exit, fork, waitpid, pause, sigsuspend, sigreturn, clone,
 * rt_sigreturn, vfork, exit_group. */
static int is_narrow_left_out(long number) {
  static const long left_out[] = {1, 2, 7, 29, 72, 119, 120, 173, 190, 252};
  for (size_t n = 0; n < sizeof left_out / sizeof *left_out; n++)
    if (left_out[n] == number) return 1;
  return 0;
}

int main(void) {
  for (long number = 0; number < CALLS; number++)
    if (!is_left_out(number)) report("call", number, with_nothing);
  report("call", X32 | 39, with_nothing);
  for (long number = 0; number < CALLS; number++)
    if (!is_narrow_left_out(number)) report("narrow", number, narrow_with_nothing);
  static const long flags[] = {0, CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWUTS, CLONE_NEWIPC,
                               CLONE_NEWCGROUP};
  for (size_t n = 0; n < sizeof flags / sizeof *flags; n++) report("clone", flags[n], new_process);
  static const long values[] = {0, 1, 8, 0x20000, 0x20008, 0xffffffff, 0x40000};
  for (size_t n = 0; n < sizeof values / sizeof *values; n++) report("personality", values[n], personality_of);
  static const long families[] = {1, 2, 10, 16, 17, 38, 40};
  for (size_t n = 0; n < sizeof families / sizeof *families; n++) report("socket", families[n], socket_of);
  for (long protocol = 0; protocol < 24; protocol++) report("netlink", protocol, netlink_of);
  puts("done");
  return 0;
}

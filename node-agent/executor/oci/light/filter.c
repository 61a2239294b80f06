/*
 * Compiles a system-call filter for the kernel, with the library that runc uses for the same (libseccomp). The library
 * is opened at run time, so that neither its headers nor the library itself is needed at installation.
 *
 * On standard input, words that are separated by blanks, in lines (filter.ts):
 *
 *     default <action>
 *     architecture <name>
 *     rule <action> <system call> [<argument> <comparison> <value> <second value>]...
 *
 * Actions and comparisons are the library's numbers. On standard output, the program of the kernel.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 6, OPTIMIZE = 8, BINARY_TREE = 2 };

struct comparison {
  unsigned argument;
  int operation;
  uint64_t value, second;
};

static void *library;

static void refuse(const char *what, const char *detail) {
  fprintf(stderr, "%s %s\n", what, detail);
  exit(1);
}

static void *call(const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) refuse("libseccomp lacks", name);
  return found;
}

static uint64_t number(const char *text) {
  if (text == NULL) refuse("a line is incomplete", "");
  return strtoull(text, NULL, 10);
}

int main(void) {
  char line[4096];
  void *filter = NULL;
  library = dlopen("libseccomp.so.2", RTLD_NOW);
  if (library == NULL) refuse("there is no", "libseccomp.so.2");
  void *(*init)(uint32_t) = call("seccomp_init");
  int (*set)(void *, int, uint32_t) = call("seccomp_attr_set");
  uint32_t (*architecture)(const char *) = call("seccomp_arch_resolve_name");
  int (*has)(const void *, uint32_t) = call("seccomp_arch_exist");
  int (*include)(void *, uint32_t) = call("seccomp_arch_add");
  int (*resolve)(const char *) = call("seccomp_syscall_resolve_name");
  int (*rule)(void *, uint32_t, int, unsigned, const struct comparison *) = call("seccomp_rule_add_array");
  int (*export)(const void *, int) = call("seccomp_export_bpf");
  while (fgets(line, sizeof line, stdin) != NULL) {
    char *kind = strtok(line, " \n"), *first = strtok(NULL, " \n");
    if (kind == NULL || first == NULL) continue;
    if (strcmp(kind, "default") == 0) {
      filter = init(number(first));
      if (filter == NULL) refuse("no filter begins with", first);
      /* A tree instead of a list is searched in fewer steps; libraries before 2.5 have none. */
      set(filter, OPTIMIZE, BINARY_TREE);
    } else if (filter == NULL) {
      refuse("no default before", kind);
    } else if (strcmp(kind, "architecture") == 0) {
      uint32_t token = architecture(first);
      if (token == 0) refuse("unknown architecture", first);
      if (has(filter, token) != 0 && include(filter, token) != 0) refuse("cannot filter for", first);
    } else {
      const char *name = strtok(NULL, " \n");
      int found = name == NULL ? -1 : resolve(name);
      /* A profile also names what newer kernels have: the default applies to that. */
      if (found == -1) continue;
      struct comparison all[ARGUMENTS_MAX];
      unsigned count = 0;
      for (char *word; (word = strtok(NULL, " \n")) != NULL; count++) {
        if (count == ARGUMENTS_MAX) refuse("too many arguments of", name);
        all[count].argument = number(word);
        all[count].operation = number(strtok(NULL, " \n"));
        all[count].value = number(strtok(NULL, " \n"));
        all[count].second = number(strtok(NULL, " \n"));
      }
      int failure = rule(filter, number(first), found, count, all);
      if (failure != 0) refuse(strerror(-failure), name);
    }
  }
  if (filter == NULL || export(filter, STDOUT_FILENO) != 0) refuse("the filter", "cannot be written");
  return 0;
}

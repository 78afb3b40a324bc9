/* Calls what it counts in an environment that its arguments request:
 *
 *     program count
 *     program alive THREADS            ends while they are alive
 *     program plugins ROUNDS FILE...   loads and unloads one of the files in each round
 *     program rebuilt ROUNDS FILE...   the same, each time as a new file ./plugin.so
 *     program threads ROUNDS FILE...   as plugins, with threads that start and end meanwhile
 *     program wait                     blocks all signals and waits for them
 *     program remapped WHICH FILE      copies some of its text to other memory, then loads FILE
 *
 * Each load is 2 calls of plugin_leaf. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/samples.h"

#define PLAIN __attribute__((no_instrument_function))
#ifdef __clang__
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noinline, noclone))
#endif

COUNTED long environment_leaf(long n) {
  __asm__ volatile("");
  return n + 1;
}

static PLAIN void call(long times) {
  for (long i = 0; i < times; ++i) environment_leaf(i);
}

static PLAIN void check(int holds, const char* what) {
  if (holds) return;
  perror(what);
  exit(99);
}

static PLAIN void load(const char* file) {
  void* const plugin = dlopen(file, RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  check(plugin != 0, file);
  ((long (*)(long))dlsym(plugin, "plugin_work"))(2);
  check(dlclose(plugin) == 0, "dlclose");
}

static pthread_barrier_t all_are_alive;

static PLAIN void* stay_alive(void* unused) {
  (void)unused;
  call(10);
  pthread_barrier_wait(&all_are_alive);
  for (;;) pause();
}

static PLAIN void end_with_threads(int count) {
  enum { STACK_BYTES = 64 << 10 };
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes) == 0, "attributes");
  check(pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0, "stack");
  check(pthread_barrier_init(&all_are_alive, 0, (unsigned)count + 1) == 0, "barrier");
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    check(pthread_create(&thread, &attributes, stay_alive, 0) == 0, "pthread_create");
  }
  pthread_barrier_wait(&all_are_alive);
}

static PLAIN void copy(const char* from, const char* to) {
  static char bytes[1 << 20];
  const int in = open(from, O_RDONLY | O_CLOEXEC);
  const ssize_t length = read(in, bytes, sizeof bytes);
  check(length > 0 && length < (ssize_t)sizeof bytes, from);
  close(in);
  unlink(to);
  const int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  check(write(out, bytes, (size_t)length) == length, to);
  close(out);
}

static PLAIN void* call_once(void* unused) {
  call(1);
  return unused;
}

static PLAIN void load_in_turn(const char* how, int rounds, char** files, int count) {
  enum { THREADS = 3 };
  const int with_threads = strcmp(how, "threads") == 0;
  for (int i = 0; i < rounds; ++i) {
    pthread_t threads[THREADS];
    for (int t = 0; with_threads && t < THREADS; ++t) {
      check(pthread_create(&threads[t], 0, call_once, 0) == 0, "pthread_create");
    }
    const char* file = files[i % count];
    if (strcmp(how, "rebuilt") == 0) {
      copy(file, "./plugin.so");
      file = "./plugin.so";
    }
    load(file);
    for (int t = 0; with_threads && t < THREADS; ++t) pthread_join(threads[t], 0);
  }
}

/* Replaces its text, or the page of environment_leaf, by a copy in anonymous memory, or in a file
 * in memory, as programs do that want huge pages. */
static PLAIN void remap(const char* which) {
  static char bytes[4 << 20];
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t leaf = (uintptr_t)environment_leaf;
  uintptr_t low = 0, high = 0;
  char line[8192];
  FILE* const map = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, map) && !(leaf >= low && leaf < high)) {
    check(sscanf(line, "%lx-%lx", &low, &high) == 2, "maps");
  }
  fclose(map);
  if (strstr(which, "page")) {
    low = leaf & ~(page - 1);
    high = low + page;
  }
  const size_t length = high - low;
  check(length <= sizeof bytes, "size of the text");
  memcpy(bytes, (void*)low, length);
  if (strstr(which, "file")) {
    const int file = memfd_create("text", MFD_CLOEXEC);
    check(write(file, bytes, length) == (ssize_t)length, "memfd");
    check(mmap((void*)low, length, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) ==
              (void*)low,
          "mmap");
    close(file);
    return;
  }
  char* const copied = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copied, bytes, length);
  check(mprotect(copied, length, PROT_READ | PROT_EXEC) == 0, "mprotect");
  check(mremap(copied, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, low) == (void*)low, "mremap");
}

/* Before the runtime has read the map for the first time. */
static PLAIN void before_all(int count, char** arguments, char** environment) {
  (void)environment;
  if (count > 2 && strcmp(arguments[1], "remapped") == 0 && strstr(arguments[2], "early")) {
    remap(arguments[2]);
  }
}
__attribute__((section(".preinit_array"),
               used)) static void (*const kBeforeAll)(int, char**, char**) = before_all;

/* As a server does. It must see its own signal only, in each way to wait. */
static PLAIN void wait_for_signals(void) {
  const struct timespec none = {0, 0};
  sigset_t all;
  sigfillset(&all);
  check(pthread_sigmask(SIG_BLOCK, &all, 0) == 0, "pthread_sigmask");
  int signal = 0;
  for (int i = 0; i < 3; ++i) {
    take_sample();
    kill(getpid(), SIGTERM);
    if (i == 0) check(sigwait(&all, &signal) == 0, "sigwait");
    if (i == 1) signal = sigwaitinfo(&all, 0);
    if (i == 2) signal = sigtimedwait(&all, 0, &none);
    check(signal == SIGTERM, "the signal");
    check(sigtimedwait(&all, 0, &none) < 0, "no signal");
  }
}

int main(int count, char** arguments) {
  const char* const what = arguments[1];
  call(1000);
  if (strcmp(what, "alive") == 0) {
    end_with_threads(atoi(arguments[2]));
  } else if (strcmp(what, "remapped") == 0) {
    if (!strstr(arguments[2], "early")) remap(arguments[2]);
    load(arguments[3]);
    call(1000);
  } else if (strcmp(what, "wait") == 0) {
    wait_for_signals();
  } else if (strcmp(what, "count") != 0) {
    load_in_turn(what, atoi(arguments[2]), arguments + 3, count - 3);
  }
  return 0;
}

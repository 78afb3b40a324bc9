/* Does, by a seed, what tests do to a profiling runtime: threads, signals,
 * fork, vfork, exec, dlopen, and every way to end. Keeps its own account in
 * the file TRUTH_FILE (truth.h).
 *
 *     stress_program SEED DEPTH CALLS [PLUGIN]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/truth.h"

#define PLAIN __attribute__((no_instrument_function))
#ifdef __clang__ /* makes no clones */
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noinline, noclone))
#endif

static struct truth* truth;
static __thread struct truth_slot* slot;
static char** arguments;

COUNTED long truth_leaf(long n) {
  __asm__ volatile("");
  return n + 1;
}
COUNTED void truth_handler(void) { __asm__ volatile(""); }
COUNTED int truth_compare(const void* a, const void* b) {
  ((volatile struct truth_slot*)slot)->before[TRUTH_COMPARE] += 1;
  ((volatile struct truth_slot*)slot)->after[TRUTH_COMPARE] += 1;
  return *(const int*)a - *(const int*)b;
}

static PLAIN void die(const char* what) {
  perror(what);
  _exit(99);
}

static PLAIN void take_slot(void) {
  const uint64_t index = __atomic_fetch_add(&truth->used, 1, __ATOMIC_RELAXED);
  if (index >= TRUTH_SLOTS) die("slots");
  slot = &truth->slots[index];
  slot->pid = (uint64_t)getpid();
}

static PLAIN void call(enum truth_function function, long times) {
  volatile struct truth_slot* account = slot;
  for (long i = 0; i < times; ++i) {
    account->before[function] += 1;
    if (function == TRUTH_LEAF) truth_leaf(i);
    if (function == TRUTH_HANDLER) truth_handler();
    account->after[function] += 1;
  }
}

static PLAIN void on_signal(int signal) {
  (void)signal;
  if (slot) call(TRUTH_HANDLER, 1);
}

/* Not rand(): a generator of one's own state per thread. */
static PLAIN unsigned next(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static PLAIN void sort_some(unsigned* state) {
  int numbers[50];
  for (int i = 0; i < 50; ++i) numbers[i] = (int)(next(state) % 1000);
  qsort(numbers, 50, sizeof numbers[0], truth_compare);
}

struct work {
  unsigned seed;
  long calls;
};

static PLAIN void* run_thread(void* argument) {
  struct work* work = argument;
  unsigned state = work->seed;
  take_slot();
  for (int i = 0; i < 10; ++i) {
    call(TRUTH_LEAF, work->calls / 10);
    if (next(&state) % 4 == 0) raise(SIGUSR1);
    if (next(&state) % 4 == 0) sort_some(&state);
  }
  return 0;
}

static PLAIN void use_threads(unsigned* state, long calls) {
  enum { MOST = 8 };
  pthread_t threads[MOST];
  struct work work[MOST];
  const int count = 1 + (int)(next(state) % MOST);
  for (int i = 0; i < count; ++i) {
    work[i].seed = next(state);
    work[i].calls = calls;
    if (pthread_create(&threads[i], 0, run_thread, &work[i])) die("pthread_create");
  }
  for (int i = 0; i < 20; ++i) {
    /* A signal into whichever thread, wherever it is: also amid a count. */
    kill(getpid(), SIGUSR1);
    call(TRUTH_LEAF, 50);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
}

static PLAIN void use_plugin(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(98);
  }
  long (*work)(long);
  *(void**)&work = dlsym(plugin, "plugin_work");
  slot->before[TRUTH_PLUGIN] += 100;
  work(100);
  slot->after[TRUTH_PLUGIN] += 100;
  dlclose(plugin);
}

static PLAIN void work_through(unsigned* state, int depth, long calls, const char* plugin);

static PLAIN void end(unsigned* state, int depth) {
  switch (next(state) % 8) {
    case 0:
      _exit(0);
    case 1:
      kill(getpid(), SIGKILL);
      break;
    case 2:
      signal(SIGABRT, SIG_DFL);
      abort();
    case 3:
      quick_exit(0);
    case 4:
      *(volatile int*)16 = 0;
      break;
    case 5:
      if (depth > 0) {
        char number[2][24];
        char* const emulator = getenv("EMULATOR"); /* which executes this program */
        snprintf(number[0], sizeof number[0], "%u", next(state));
        snprintf(number[1], sizeof number[1], "%d", depth - 1);
        char* again[] = {emulator,     "-L",         getenv("EMULATED_ROOT"),
                         arguments[0], number[0],    number[1],
                         arguments[3], arguments[4], 0};
        execv(emulator ? emulator : "/proc/self/exe", emulator ? again : again + 3);
        die("execv");
      }
      exit(0);
    case 6:
      pthread_exit(0);
    default:
      exit(0);
  }
  pause();
}

static PLAIN void use_fork(unsigned* state, int depth, long calls, const char* plugin) {
  const unsigned seed = next(state);
  const pid_t child = fork();
  if (child < 0) die("fork");
  if (child == 0) {
    unsigned child_state = seed;
    take_slot();
    work_through(&child_state, depth - 1, calls, plugin);
    end(&child_state, depth - 1);
  }
  call(TRUTH_LEAF, 100);
  while (waitpid(child, 0, 0) < 0) {
  }
}

static PLAIN void use_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    call(TRUTH_LEAF, 3); /* on the parent's account: its memory is shared */
    _exit(0);
  }
  while (waitpid(child, 0, 0) < 0) {
  }
}

static PLAIN void work_through(unsigned* state, int depth, long calls, const char* plugin) {
  const int steps = 2 + (int)(next(state) % 4);
  for (int i = 0; i < steps; ++i) {
    call(TRUTH_LEAF, calls);
    switch (next(state) % 7) {
      case 0:
      case 1:
        use_threads(state, calls);
        break;
      case 2:
        if (depth > 0) use_fork(state, depth, calls, plugin);
        break;
      case 3:
        use_vfork();
        break;
      case 4:
        if (plugin) use_plugin(plugin);
        break;
      case 5:
        sort_some(state);
        break;
      default:
        if (chdir(next(state) % 2 ? "/" : "/tmp")) die("chdir");
    }
  }
}

PLAIN int main(int count, char** values) {
  if (count < 4) return 97;
  arguments = values;
  const int file = open(getenv("TRUTH_FILE"), O_RDWR);
  if (file < 0) die("TRUTH_FILE");
  truth = mmap(0, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (truth == MAP_FAILED) die("mmap");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, 0);
  take_slot();
  unsigned state = (unsigned)strtoul(values[1], 0, 10);
  work_through(&state, atoi(values[2]), atol(values[3]), count > 4 ? values[4] : 0);
  end(&state, atoi(values[2]));
  return 0;
}

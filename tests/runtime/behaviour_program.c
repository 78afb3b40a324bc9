/* One of the things that behaviour_test.cc asks for, by name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profile/format/recording.h"
#include "runtime/gprofhub.h"
#include "tests/runtime/samples.h"

#define PLAIN __attribute__((no_instrument_function))

__attribute__((noinline)) long counted(long n) {
  __asm__ volatile("");
  return n + 1;
}

/* Argument of monstartup: the linker names the section's bounds. */
__attribute__((noinline, section("chosen_range"))) void inside(int times) {
  for (int i = 0; i < times; ++i) take_sample();
}
extern const char __start_chosen_range[], __stop_chosen_range[];

__attribute__((noinline)) void outside(void) { take_sample(); }

static PLAIN void* call_both(void* unused) {
  for (int i = 0; i < 1000; ++i) inside(0);
  for (int i = 0; i < 100; ++i) counted(i);
  return unused;
}

/* 11 calls before; afterwards 3000 + 4 calls and 4 samples inside. */
static PLAIN int use_monstartup(void) {
  pthread_t thread;
  inside(0);
  for (int i = 0; i < 10; ++i) counted(i);
  monstartup((unsigned long)__start_chosen_range, (unsigned long)__stop_chosen_range);
  call_both(0);
  if (pthread_create(&thread, 0, call_both, 0) || pthread_join(thread, 0)) return 2;
  moncontrol(0);
  call_both(0);
  moncontrol(1);
  call_both(0);
  for (int i = 0; i < 4; ++i) inside(1);
  for (int i = 0; i < 3; ++i) outside();
  return 0;
}

/* Samples in which one signal stands for several periods, as of a timer that
 * fires at the kernel's ticks only. */
static PLAIN void overrun(void) {
  const int overruns[] = {0, 6, 31};
  for (int i = 0; i < 3; ++i) {
    const siginfo_t info = sample_signal(SI_TIMER, overruns[i]);
    send_sample(&info);
  }
}

static PLAIN double process_cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The first record of this process's threads in its recording. */
static PLAIN const volatile struct gprofhub_thread* thread_record(void) {
  char line[4096];
  FILE* const maps = fopen("/proc/self/maps", "r");
  const struct gprofhub_chunk* found = 0;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    if (!strstr(line, ".gprofhub\n")) continue;
    char* end;
    const char* at = (const char*)strtoul(line, &end, 16);
    const char* const high = (const char*)strtoul(end + 1, 0, 16);
    /* Mappings of one file may become one. */
    for (; at < high && !found; at += GPROFHUB_PAGE_BYTES) {
      const struct gprofhub_chunk* const chunk = (const void*)at;
      if (chunk->magic == GPROFHUB_CHUNK_MAGIC && chunk->kind == GPROFHUB_THREADS) found = chunk;
    }
  }
  if (maps) fclose(maps);
  return found ? (const struct gprofhub_thread*)(found + 1) : 0;
}

/* Uses CPU time until samples have come by themselves; then, where one timer serves the
 * process, has a last one taken. Prints bounds of the CPU time until then. */
static PLAIN int burn(void) {
  const double before = process_cpu();
  const volatile struct gprofhub_thread* const record = thread_record();
  if (!record) return 3;
  while (record->signals < 3) {
  }
  const double least = process_cpu() - before;
  if (record->mechanism == GPROFHUB_ITIMER_PROF) {
    const siginfo_t info = sample_signal(SI_KERNEL, 0);
    send_sample(&info);
  }
  gmon_thread_timer(0);
  printf("%.9f %.9f\n", least, process_cpu());
  return 0;
}

static PLAIN void* one_call(void* id) {
  counted(1);
  *(long*)id = syscall(SYS_gettid);
  return 0;
}

/* One after the other; each has left the process when the next one begins. */
static PLAIN int use_threads(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    long id = 0;
    if (pthread_create(&thread, 0, one_call, &id) || pthread_join(thread, 0)) return 2;
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0) sched_yield();
  }
  return 0;
}

enum { AT_ONCE = 20 };

/* Process i makes i % 7 + 1 calls and ends by a kill, by _exit, in order, or as another program
 * that makes 1000 calls. */
static PLAIN int use_processes(int count) {
  for (int begun = 0, ended = 0; ended < count;) {
    if (begun < count && begun - ended < AT_ONCE) {
      const int i = begun++;
      const pid_t child = fork();
      if (child < 0) return 2;
      if (child > 0) continue;
      for (int calls = i % 7 + 1; calls > 0; --calls) counted(calls);
      if (i % 3 == 0) kill(getpid(), SIGKILL);
      if (i % 5 == 0) _exit(0);
      if (i % 5 == 1) execl("/proc/self/exe", "behaviour_program", "count", (char*)0);
      exit(0);
    }
    if (wait(0) < 0) return 2;
    ++ended;
  }
  return 0;
}

int PLAIN main(int count, char** values) {
  const char* wish = count > 1 ? values[1] : "";
  if (strcmp(wish, "count") == 0) {
    for (int i = 0; i < 1000; ++i) counted(i);
  } else if (strcmp(wish, "moncontrol") == 0) {
    for (int i = 0; i < 10; ++i) counted(i);
    moncontrol(0);
    for (int i = 0; i < 100; ++i) counted(i);
    moncontrol(1);
    for (int i = 0; i < 1000; ++i) counted(i);
  } else if (strcmp(wish, "mondisable") == 0) {
    counted(1);
    mondisable();
  } else if (strcmp(wish, "monstartup") == 0) {
    if (use_monstartup()) return 2;
  } else if (strcmp(wish, "burn") == 0) {
    if (burn()) return 3;
  } else if (strcmp(wish, "overrun") == 0) {
    overrun();
  } else if (strcmp(wish, "write") == 0) {
    counted(1);
    gprofhub_write();
    _exit(0);
  } else if (strcmp(wish, "threads") == 0) {
    if (use_threads(2000)) return 2;
  } else if (strcmp(wish, "processes") == 0) {
    if (use_processes(500)) return 2;
  } else if (strcmp(wish, "dump") == 0) {
    counted(1);
    if (gprofhub_dump("early")) return 2;
    counted(2);
  }
  puts("done");
  return 0;
}

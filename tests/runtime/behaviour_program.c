/* One of the things that behaviour_test.cc asks for, by name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/gprofhub.h"

#define PLAIN __attribute__((no_instrument_function))

__attribute__((noinline, noclone)) long counted(long n) {
  __asm__ volatile("");
  return n + 1;
}

static PLAIN double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline, noclone)) void burn(double seconds) {
  const double end = cpu_seconds() + seconds;
  while (cpu_seconds() < end) {
    for (volatile int i = 0; i < 10000; ++i) {
    }
  }
}

static PLAIN void* one_call(void* unused) {
  counted(1);
  return unused;
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
  } else if (strcmp(wish, "burn") == 0) {
    burn(0.2);
  } else if (strcmp(wish, "write") == 0) {
    counted(1);
    gprofhub_write();
    _exit(0);
  } else if (strcmp(wish, "threads") == 0) {
    for (int i = 0; i < 2000; ++i) {
      pthread_t thread;
      if (pthread_create(&thread, 0, one_call, 0)) return 2;
      pthread_join(thread, 0);
    }
  }
  puts("done");
  return 0;
}

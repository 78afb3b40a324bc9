/* Waits and makes system calls in functions of known names. Waits end with standard input. The
 * argument selects the kind. The exit status is 0 if profiling has changed nothing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/samples.h"

#define KEPT __attribute__((noinline, noclone))

enum { SYSTEM_TIME = 0x67706900 /* the value of the timer of runtime/waiting/system_time.c */ };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int has_ended;

KEPT void reads_input(void) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
}

KEPT void waits_for_end(void) {
  pthread_mutex_lock(&mutex);
  while (!has_ended) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}

KEPT void joins(pthread_t thread) {
  pthread_join(thread, 0);
  __asm__ volatile("");
}

KEPT int waits_for_child(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

static void* run_waiter(void* argument) {
  waits_for_end();
  return argument;
}

static int threads(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, run_waiter, 0) != 0) return 1;
  reads_input();
  pthread_mutex_lock(&mutex);
  has_ended = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  joins(thread);
  return 0;
}

/* Ends while another thread still waits. */
static int leaves(int abruptly) {
  pthread_t thread;
  if (pthread_create(&thread, 0, run_waiter, 0) != 0) return 1;
  reads_input();
  if (abruptly) _exit(0);
  return 0;
}

static int forks(void) {
  const pid_t child = fork();
  if (child == 0) {
    reads_input();
    exit(0);
  }
  return waits_for_child(child);
}

/* Descriptors are those that a program gets without a profiler. */
static int descriptors(void) {
  const int lowest = open("/dev/null", O_RDONLY);
  return lowest == 3 ? 0 : 1;
}

static long long system_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec;
}

/* System calls that are not restarted after signals, and others that take time. The status is the
 * number of interrupted ones. */
KEPT int is_interrupted(void) {
  static char bytes[1 << 20];
  struct epoll_event event;
  const int zeros = open("/dev/zero", O_RDONLY);
  const int nothing = epoll_create1(0);
  int interrupted = 0;
  const long long begin = system_time();
  while (system_time() - begin < 30000) {
    if (read(zeros, bytes, sizeof bytes) < 0) ++interrupted;
    if (epoll_wait(nothing, &event, 1, 1) < 0 && errno == EINTR) ++interrupted;
  }
  return interrupted;
}

/* Time in the kernel, and then a signal of the timer's: it finds the program behind a system call
 * of this very function. */
KEPT int asks_kernel(void) {
  static char bytes[1 << 20];
  const int zeros = open("/dev/zero", O_RDONLY);
  const long long begin = system_time();
  while (system_time() - begin < 20000) {
    system_call(SYS_read, zeros, (long)bytes, sizeof bytes, 0);
    siginfo_t info = sample_signal(SI_TIMER, 0);
    info.si_value.sival_int = SYSTEM_TIME;
    send_sample(&info);
  }
  return 0;
}

int main(int count, char** arguments) {
  const char* wish = count > 1 ? arguments[1] : "";
  if (strcmp(wish, "threads") == 0) return threads();
  if (strcmp(wish, "exit") == 0) return leaves(0);
  if (strcmp(wish, "_exit") == 0) return leaves(1);
  if (strcmp(wish, "fork") == 0) return forks();
  if (strcmp(wish, "descriptors") == 0) return descriptors();
  if (strcmp(wish, "interrupted") == 0) return is_interrupted();
  if (strcmp(wish, "kernel") == 0) return asks_kernel();
  return 1;
}

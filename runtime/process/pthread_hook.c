/* Registers threads when they start. Code that was not built with -pg never calls mcount, but
 * its threads are sampled, too. With counters in the text (counters.h), a thread inherits its
 * creator's gs base and would count into its creator's counters. A signal handler must not run
 * before the thread is registered, so it starts with all signals blocked. */
#include <dlfcn.h>
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <threads.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/process/threads.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/sampler.h"

#define EXPORT __attribute__((visibility("default")))

enum { PENDING = 256 };

/* Start routine of a thread being created; no allocator may be called here. */
struct pending {
  int taken;
  void* (*routine)(void*);
  void* argument;
  struct gh_signals signals; /* the thread's own mask, restored once it is registered */
};
static struct pending pendings[PENDING];

static void end(void* unused) {
  (void)unused;
  gh_sampler_end_thread();
}

static void* begin(void* argument) {
  struct pending* slot = argument;
  void* (*routine)(void*) = slot->routine;
  void* value = slot->argument;
  const struct gh_signals signals = slot->signals;
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  gh_thread_self();
  gh_restore_signals(signals);
  gh_sampler_take_signal();
  /* However it ends. */
  void* result;
  pthread_cleanup_push(end, 0);
  result = routine(value);
  pthread_cleanup_pop(1);
  return result;
}

static struct pending* take_slot(void) {
  for (;;) {
    for (int i = 0; i < PENDING; ++i) {
      if (!__atomic_exchange_n(&pendings[i].taken, 1, __ATOMIC_ACQUIRE)) return &pendings[i];
    }
    GH_CALL0(sched_yield); /* each is released once its thread has started */
  }
}

/* All are weak: a static program has no dlsym, only glibc's internal name of pthread_create, which
 * a dynamic one lacks. A sanitizer that is linked in has a pthread_create by other names, too. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));
extern int __pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)
    __attribute__((weak));
extern int __interceptor_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)
    __attribute__((weak));
extern int ___interceptor_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)
    __attribute__((weak)); /* from LLVM 17 on */
extern int pthread_attr_getsigmask_np(const pthread_attr_t*, sigset_t*) __attribute__((weak));

typedef int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static create find_create(void) {
  static create next;
  if (next == 0 && &__interceptor_pthread_create != 0) next = __interceptor_pthread_create;
  if (next == 0 && &___interceptor_pthread_create != 0) next = ___interceptor_pthread_create;
  if (next == 0 && &__pthread_create != 0) next = __pthread_create;
  if (next == 0 && &dlsym != 0) *(void**)&next = dlsym(RTLD_NEXT, "pthread_create");
  return next;
}

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*routine)(void*), void* argument) {
  const create next = find_create();
  if (next == 0) return EAGAIN;
  struct pending* slot = take_slot();
  const struct gh_signals before = gh_block_signals();
  slot->routine = routine;
  slot->argument = argument;
  slot->signals = before;
  if (gh_tls.blocked) slot->signals.mask |= GH_SIGPROF_BIT;
  sigset_t asked;
  if (attributes && &pthread_attr_getsigmask_np != 0 &&
      pthread_attr_getsigmask_np(attributes, &asked) == 0) {
    slot->signals.mask = *(const uint64_t*)&asked;
  }
  const int result = next(thread, attributes, begin, slot);
  if (result != 0) __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  gh_restore_signals(before);
  return result;
}

/* C11's threads are POSIX threads under other names (thrd_t is pthread_t, and
 * thrd_join reads the result from the pointer's lower half). */
static void* begin_c11(void* argument) {
  struct pending* slot = argument;
  const thrd_start_t routine = (thrd_start_t)(uintptr_t)slot->routine;
  void* value = slot->argument;
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  return (void*)(intptr_t)routine(value);
}

EXPORT __attribute__((weak)) int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  struct pending* slot = take_slot();
  slot->routine = (void* (*)(void*))(uintptr_t)routine;
  slot->argument = argument;
  const int result = pthread_create(thread, 0, begin_c11, slot);
  if (result == 0) return thrd_success;
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  return result == ENOMEM ? thrd_nomem : thrd_error;
}

/* Links glibc's internal name of pthread_create into a static program. */
__attribute__((used)) static int (*const needs_pthread_create)(mqd_t,
                                                               const struct sigevent*) = mq_notify;

const char gh_pthread_hook = 1;

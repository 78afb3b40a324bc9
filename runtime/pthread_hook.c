/* Of the preloaded runtime only: threads whose code was not built with -pg
 * never call mcount, so they are met where they begin. */
#include <dlfcn.h>
#include <pthread.h>

#include "runtime/threads.h"

enum { PENDING = 256 };

/* What a thread being created has to run; no allocator may be called here. */
struct pending {
  int taken;
  void* (*routine)(void*);
  void* argument;
};
static struct pending pendings[PENDING];

static void* begin(void* argument) {
  struct pending* slot = argument;
  void* (*routine)(void*) = slot->routine;
  void* value = slot->argument;
  __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
  gh_thread_self();
  return routine(value);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*routine)(void*), void* argument) {
  typedef int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static create next;
  if (next == 0) *(void**)&next = dlsym(RTLD_NEXT, "pthread_create");
  for (int i = 0; i < PENDING; ++i) {
    struct pending* slot = &pendings[i];
    if (__atomic_exchange_n(&slot->taken, 1, __ATOMIC_ACQUIRE)) continue;
    slot->routine = routine;
    slot->argument = argument;
    const int result = next(thread, attributes, begin, slot);
    if (result != 0) __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
    return result;
  }
  return next(thread, attributes, routine, argument);
}

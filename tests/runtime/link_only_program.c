/* Threads of code that was not built with -pg, for behaviour_test.cc: three before
 * all are to be sampled, four after. */
#include <pthread.h>

#include "runtime/gprofhub.h"

static void* nothing(void* unused) { return unused; }

static int use_threads(int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, 0, nothing, 0)) return 1;
    pthread_join(thread, 0);
  }
  return 0;
}

int main(void) {
  if (use_threads(3)) return 1;
  gmon_start_all_thread_timers();
  return use_threads(4);
}

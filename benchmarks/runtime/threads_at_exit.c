/* Exits while its threads are alive, each of which has counted. Prints the time before that, in
 * microseconds since 1970. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_barrier_t all_count;

__attribute__((noinline)) static int serve(int n) {
  __asm__ volatile("");
  return n + 1;
}

static void* run(void* unused) {
  for (int i = 0; i < 10; ++i) serve(i);
  pthread_barrier_wait(&all_count);
  for (;;) pause();
  return unused;
}

int main(int count, char** values) {
  const unsigned threads = count > 1 ? (unsigned)atoi(values[1]) : 100;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_barrier_init(&all_count, 0, threads + 1);
  for (unsigned i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &small, run, 0)) return 1;
  }
  pthread_barrier_wait(&all_count);
  struct timeval now;
  gettimeofday(&now, 0);
  printf("%ld\n", now.tv_sec * 1000000 + now.tv_usec);
  fflush(stdout);
  exit(0);
}

/* recursion [THREADS]
 *
 * Nanoseconds per call of a recursion that does nothing else. With threads: CPU nanoseconds per
 * call in each. Prints the best of many slices, because noise only adds. With INCREMENTS each call
 * increments two numbers in memory, which is the least that counts of a function and of its caller
 * can cost. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEPTH = 20, CALLS = 200000, SLICES = 300, MOST = 64 };

#ifdef INCREMENTS
static long called, calls;
#define ADD(counter) __asm__ volatile("incq %0" : "+m"(counter))
#else
#define ADD(counter) __asm__ volatile("")
#endif

__attribute__((noinline, noclone)) long down(long n) {
  ADD(called);
  if (n == 0) return 0;
  ADD(calls);
  return down(n - 1) + 1;
}

static __attribute__((no_instrument_function)) double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__((no_instrument_function)) void* measure(void* result) {
  double best = 1e18;
  for (int slice = 0; slice < SLICES; ++slice) {
    const double start = now();
    for (int i = 0; i < CALLS / (DEPTH + 1); ++i) down(DEPTH);
    const double spent = (now() - start) / (CALLS / (DEPTH + 1) * (DEPTH + 1));
    if (spent < best) best = spent;
  }
  *(double*)result = best;
  return 0;
}

int main(int count, char** values) {
  const int threads = count > 1 ? atoi(values[1]) : 1;
  pthread_t ids[MOST];
  double results[MOST], sum = 0;
  for (int i = 1; i < threads; ++i) pthread_create(&ids[i], 0, measure, &results[i]);
  measure(&results[0]);
  for (int i = 1; i < threads; ++i) pthread_join(ids[i], 0);
  for (int i = 0; i < threads; ++i) sum += results[i];
  printf("%.3f\n", sum / threads);
  return 0;
}

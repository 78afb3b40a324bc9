/* GPROFHUB_SAMPLE_RATE=1000 sampling
 *
 * Overhead of sampling. The same work is done in slices, in turns with the thread's timer on and
 * off. So both run under the same conditions. Prints the shortest slice with the timer on, divided
 * by the shortest with it off. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "runtime/gprofhub.h"

enum { SLICES = 600, STEPS = 12000000 };

static double slice(void) {
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  uint64_t value = 1;
  for (int i = 0; i < STEPS; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  __asm__ volatile("" : : "r"(value));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

int main(void) {
  double least[2] = {1e18, 1e18};
  for (int i = 0; i < SLICES; ++i) {
    const int on = i % 2;
    gmon_thread_timer(on);
    const double spent = slice();
    if (spent < least[on]) least[on] = spent;
  }
  printf("%.4f\n", least[1] / least[0]);
  return 0;
}

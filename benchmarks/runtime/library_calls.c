/* Overhead of GPROFHUB_LIBRARY_CALLS: a loop that does nothing but call malloc, memcpy and free.
 * Prints nanoseconds of CPU time for each round of the three. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEPT = 64, WARM = 1000, ROUNDS = 20000000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

__attribute__((noinline)) static void work(char** kept, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    char** const place = &kept[i % KEPT];
    char* const made = malloc(16 + i * 37 % 200);
    memcpy(made, *place ? *place : "0123456789abcdef", 16);
    free(*place);
    *place = made;
  }
}

int main(void) {
  static char* kept[KEPT];
  work(kept, WARM);
  const double begin = now();
  work(kept, ROUNDS);
  printf("%.2f\n", (now() - begin) / ROUNDS);
  return kept[3][0] != '0';
}

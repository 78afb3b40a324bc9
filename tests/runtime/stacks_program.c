/* Programs whose costs are known in advance, for stacks_test.cc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone, noipa))

volatile long sink;
static long comparisons;
static char from[1 << 20], to[1 << 20];

/* Called equally often by `cheap` and `dear`, for one tenth and nine of the time. */
APART void work(long rounds) {
  for (long i = 0; i < rounds; ++i) sink += i;
}
APART void cheap(void) {
  for (int i = 0; i < 100; ++i) work(600000);
}
APART void dear(void) {
  for (int i = 0; i < 100; ++i) work(5400000);
}

/* All of its time is in libc, in code without frame pointers. */
APART void copy(void) {
  for (int i = 0; i < 5000; ++i) memmove(to, from + (sink & 1), sizeof to - 1);
}

/* Called by libc. */
APART int compare(const void* a, const void* b) {
  ++comparisons;
  return *(const int*)a - *(const int*)b;
}

/* Nearly all of its time is the counting of calls. */
APART void nothing(void) { __asm__ volatile(""); }
APART void count(void) {
  for (int i = 0; i < 40000000; ++i) nothing();
}

int main(void) {
  cheap();
  dear();
  copy();
  static int numbers[1000];
  for (int i = 0; i < 1000; ++i) numbers[i] = (i * 7919) % 1009;
  qsort(numbers, 1000, sizeof numbers[0], compare);
  count();
  printf("%ld\n", comparisons);
  return 0;
}

/* Parses nothing, NEXT_PER_PARSE times: two builds of it are two commits of a
   program whose call counts are known. */
#include <stdio.h>

static volatile unsigned sum;

static __attribute__((noinline)) void read_token(unsigned i) { sum += i; }

static __attribute__((noinline)) void next(unsigned i) {
  read_token(i);
  read_token(i + 1);
}

__attribute__((noinline)) void parse(unsigned i) {
  for (unsigned n = 0; n < NEXT_PER_PARSE; ++n) {
    next(i + n);
  }
}

int main(void) {
  for (unsigned i = 0; i < 10; ++i) parse(i);
  printf("%u\n", sum);
  return 0;
}

#include <stdlib.h>
volatile long sink;
__attribute__((noinline)) void seldom(long x) { sink += x; }
static inline __attribute__((always_inline)) long mix(long x) {
  if (__builtin_expect(x % 1000 == 7, 0)) {
    seldom(x);
    sink ^= x;
  }
  return x * 3 + sink;
}
__attribute__((noinline)) long work(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += mix(i);
    if (__builtin_expect(sum == 12345, 0)) sink = sum;
  }
  return sum;
}
int main(void) { return work(3000000) == 1; }

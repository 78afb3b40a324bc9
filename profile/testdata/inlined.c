#include "inlined.h"

static volatile int sum;

__attribute__((noinline)) void work(int i) { sum += i; }

int main(void) {
  for (int i = 0; i < 10; ++i) {
    wrap(i); /* line 9 */
  }
  work(1); /* line 11: not inlined */
  return 0;
}

/* Profiled by the tests: a static function, recursion, a cycle, and enough
 * work for a few samples. Lines are named by the tests. */
#include <stdio.h>

static int square(int x) { return x * x; }

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += square(i);
  sum += fibonacci(25);
  sum += even(10);
  printf("%d\n", sum);
  return 0;
}

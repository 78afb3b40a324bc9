#include <stdlib.h>
volatile long sink;
static void spin(long n) { while (n-- > 0) sink ^= n; }
static int add(int x) { spin(100000); return x + 1; }
static int mul(int x) { spin(200000); return x * 3; }
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
typedef int (*operation)(int);
static operation table[] = {add, mul, add};
static int apply(operation f, int x) { return f(x); }
int main(void) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = apply(table[i % 3], 64 - i);
  qsort(values, 64, sizeof values[0], compare);
  for (int i = 0; i < 300; ++i) values[i % 64] += table[i % 3](i);
  return values[0] == -1;
}

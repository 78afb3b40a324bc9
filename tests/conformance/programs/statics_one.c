int other(int);
volatile long total;
static void helper(long n) { while (n-- > 0) total += n; }
static int twice(int x) { helper(1000000); return 2 * x; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) sum += twice(i) + other(i);
  return sum == 0;
}

extern volatile long total;
static void helper(long n) { while (n-- > 0) total -= n; }
static int twice(int x) { helper(500000); return 3 * x; }
int other(int x) { return twice(x) + twice(x + 1); }

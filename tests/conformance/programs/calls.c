/* Calls without a measurable duration; deep recursion. */
static int leaf(int x) { return x + 1; }
int shared(int x) { return leaf(x) + leaf(x + 1); }
int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int never_called(int x) { return x; }
int (*keep)(int) = never_called;
int main(void) { return shared(1) + shared(2) + depth(10000) == 0; }

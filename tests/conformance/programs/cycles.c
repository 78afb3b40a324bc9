/* Several cycles, one entered in two places, recursion inside and outside. */
volatile long sink;
static void burn(long n) { while (n-- > 0) sink += n; }
void cycle_b(int n);
void cycle_a(int n) { if (n > 0) cycle_b(n - 1); burn(300000); }
void cycle_b(int n) { if (n > 1) { cycle_a(n - 1); cycle_b(n / 2); } burn(500000); }
void ring_2(int n);
void ring_3(int n);
void ring_1(int n) { burn(200000); if (n) ring_2(n - 1); }
void ring_2(int n) { if (n) ring_3(n - 1); }
void ring_3(int n) { burn(100000); if (n) ring_1(n - 1); if (n) ring_3(0); cycle_a(2); }
int self(int n) { return n ? self(n - 1) + 1 : 0; }
int main(void) {
  cycle_a(20);
  cycle_b(10);
  ring_1(9);
  ring_2(7);
  self(10);
  burn(30000000);
  return 0;
}

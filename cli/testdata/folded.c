/* Two functions of equal code, which a linker may fold into one. */
__attribute__((noinline)) int add_a(int x) { return x * 3 + 1; }
__attribute__((noinline)) int add_b(int x) { return x * 3 + 1; }

int main(void) {
  volatile int sum = 0;
  for (int i = 0; i < 100; ++i) sum += add_a(i);
  for (int i = 0; i < 100; ++i) sum += add_b(i);
  return 0;
}

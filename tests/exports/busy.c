/* A program with a cycle, two callers of one function, and time in each. */
__attribute__((noinline)) void burn(long steps) {
  for (volatile long i = 0; i < steps; ++i) {
  }
}
__attribute__((noinline)) void leaf(void) { burn(3000000); }
__attribute__((noinline)) void ring(int depth) {
  burn(1000000);
  if (depth > 0) ring(depth - 1);
}
__attribute__((noinline)) void often(void) {
  for (int i = 0; i < 60; ++i) leaf();
}
__attribute__((noinline)) void seldom(void) {
  for (int i = 0; i < 20; ++i) leaf();
}
int main(void) {
  often();
  seldom();
  for (int i = 0; i < 10; ++i) ring(7);
  return 0;
}

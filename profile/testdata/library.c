/* A library as distributions ship it: what it exports has a name, and what it does not has one
 * in .gnu_debugdata only. */
static __attribute__((noinline)) int hidden_step(int n) {
  __asm__ volatile("");
  return n + 1;
}

__attribute__((noinline, visibility("hidden"))) int hidden_sum(int n) {
  __asm__ volatile("");
  return hidden_step(n) + n;
}

int exported_sum(int n) { return hidden_sum(n) + 1; }

/* Loaded by the program under test. Two builds of it differ in their code. */
#ifndef PLUGIN
#define PLUGIN 1
#endif

static __attribute__((noinline)) long plugin_leaf(long n) {
  __asm__ volatile("");
  return n + PLUGIN;
}

long plugin_work(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += plugin_leaf(i);
  return sum;
}

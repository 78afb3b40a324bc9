/* Loaded and unloaded by the stress program while it counts. */
__attribute__((noinline)) long truth_plugin(long n) {
  __asm__ volatile("");
  return n + 1;
}

__attribute__((no_instrument_function)) long plugin_work(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += truth_plugin(i);
  return sum;
}

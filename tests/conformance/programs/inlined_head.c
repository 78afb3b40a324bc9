volatile long total;
static inline __attribute__((always_inline)) void add(long x) {
  total += x;
  if (total > 1000000) total = 0;
}
static __attribute__((noinline)) long rest(long n) { return total % n; }
long head(long n) {
  for (long i = 0; i < n; ++i) add(i);
  return rest(n);
}

// See shared_one.cc.
# 200 "second.h"
inline __attribute__((noinline)) long Shared(long n) {
  long sum = n;

  for (long i = 0; i < n; ++i) sum += i ^ sum;
  return sum;
}
# 10 "shared_two.cc"
long Two(long n) { return Shared(n) + 1; }

// With shared_two.cc: both have Shared, of one code from lines of two headers, as far as
// the debug information knows; the linker keeps the first.
long Two(long n);
# 100 "first.h"
inline __attribute__((noinline)) long Shared(long n) {
  long sum = n;
  for (long i = 0; i < n; ++i) sum += i ^ sum;
  return sum;
}
# 12 "shared_one.cc"
int main() {
  long sum = 0;
  for (int i = 0; i < 200000; ++i) sum += Shared(i % 100);
  return (sum + Two(5)) == 1;
}

/* The registers that a function may rely on after an inserted call of the profiler:
 * all arguments, %rax or the like of variadics, static chains, errno. Run
 * before main, in threads whose first call makes their table, and again when
 * the calls are counted the short way. */
#define _GNU_SOURCE
#include <errno.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      failures++;                                                       \
    }                                                                   \
  } while (0)

static int failures;
#define NI __attribute__((noinline, noclone))
NI double eight(double a, double b, double c, double d, double e, double f, double g, double h,
                int i, long j, int k, long l, int m, long n, int o) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i + j + k + l + m + n + o;
}
NI double sum(int n, ...) {
  va_list v;
  va_start(v, n);
  double s = 0;
  for (int i = 0; i < n; i++) s += va_arg(v, double);
  va_end(v);
  return s;
}
#ifdef __x86_64__
NI __attribute__((target("avx"))) double wide(__m256d a, __m256d b) {
  double x[4];
  _mm256_storeu_pd(x, _mm256_add_pd(a, b));
  return x[0] + x[1] + x[2] + x[3];
}
static NI __attribute__((target("avx"))) void call_avx(void) {
  CHECK(wide(_mm256_set_pd(1, 2, 3, 4), _mm256_set_pd(10, 20, 30, 40)) == 110);
}
NI void call_wide(void) {
  if (__builtin_cpu_supports("avx")) call_avx();
}
#else
/* Arguments in vector registers, and a result at the address in x8. */
typedef double pair __attribute__((vector_size(16)));
struct four {
  pair a, b, c, d;
};
NI struct four wide(pair a, struct four b, pair c) {
  struct four sum = {a + b.a, a + b.b, c + b.c, c + b.d};
  return sum;
}
NI void call_wide(void) {
  const pair one = {1, 2}, two = {10, 20};
  const struct four all = {one, two, one, two};
  const struct four sum = wide(one, all, two);
  CHECK(sum.a[1] == 4 && sum.b[0] == 11 && sum.c[1] == 22 && sum.d[0] == 20);
}
#endif
NI long double ld(long double x) { return x * 2; }
struct big {
  long a, b, c;
};
NI struct big mk(long a) {
  struct big b = {a, a + 1, a + 2};
  return b;
}
#ifndef __clang__
NI int apply(int (*f)(int), int x) { return f(x); }
NI void nested(void) {
  int base = 7;
  NI int add(int x) { return x + base; }
  CHECK(add(3) == 10);
  CHECK(apply(add, 5) == 12);
}
#else
NI void nested(void) {}
#endif
NI int keeps_errno(int e) { return errno == e; }
static void all(void) {
  CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == 204 + 84);
  CHECK(sum(8, 1., 2., 3., 4., 5., 6., 7., 8.) == 36);
  call_wide();
  CHECK(ld(1.5L) == 3.0L);
  CHECK(mk(5).c == 7);
  nested();
}
static void* thread(void* p) {
  (void)p;
  errno = 1234;
  CHECK(keeps_errno(1234));
  all();
  all();
  return 0;
}
static int before_main;
__attribute__((constructor(102))) static void early(void) {
  all();
  before_main = 1;
}
int main(void) {
  errno = 77;
  CHECK(keeps_errno(77));
  CHECK(before_main);
  all();
  all();
  pthread_t t;
  for (int i = 0; i < 20; i++) {
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
  }
  CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == 288);
  if (!failures) puts("ok");
  return failures != 0;
}

#include "tests/runtime/library_calls/library.h"

#include <stdarg.h>
#include <stdlib.h>

double many(int a, double b, long c, double d, int e, double f, long g, double h, int i, double j,
            long k, double l, int m, double n, long o, double p, int q, double r, long s,
            double t) {
  return a + 2 * b + 3 * (double)c + 4 * d + 5 * e + 6 * f + 7 * (double)g + 8 * h + 9 * i +
         10 * j + 11 * (double)k + 12 * l + 13 * m + 14 * n + 15 * (double)o + 16 * p + 17 * q +
         18 * r + 19 * (double)s + 20 * t;
}

double sum(int count, ...) {
  va_list values;
  va_start(values, count);
  double all = 0;
  for (int i = 0; i < count; ++i) all += va_arg(values, double);
  va_end(values);
  return all;
}

struct three three_of(long a) {
  const struct three result = {a, a + 1, a + 2};
  return result;
}

long double twice(long double value) { return 2 * value; }

_Complex double conjugate(_Complex double value) { return ~value; }

floats add_floats(floats a, floats b) { return a + b; }

#ifdef __x86_64__
four add_four(four a, four b) { return a + b; }
#endif

void call_back(void (*function)(void* argument), void* argument, int times) {
  for (int i = 0; i < times; ++i) function(argument);
}

#if defined(__x86_64__) && !defined(__clang__)
int has_wide_vectors(void) { return 1; }
#else
int has_wide_vectors(void) { return 0; }
#endif

int is_realloc(void* (*function)(void* memory, size_t bytes)) { return function == realloc; }

/* A library that nothing counts: what calls of its functions pass and return has to arrive. */
#ifndef GPROFHUB_TESTS_RUNTIME_LIBRARY_CALLS_LIBRARY_H_
#define GPROFHUB_TESTS_RUNTIME_LIBRARY_CALLS_LIBRARY_H_

#include <stddef.h>

/* A function of its own, as it stands. */
#ifdef __clang__
#define NI __attribute__((noinline))
#else
#define NI __attribute__((noinline, noclone))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct three {
  long a, b, c;
};
typedef double four __attribute__((vector_size(32)));
typedef float floats __attribute__((vector_size(16)));

/* Weighs each argument differently: registers, vector registers and the stack. */
double many(int a, double b, long c, double d, int e, double f, long g, double h, int i, double j,
            long k, double l, int m, double n, long o, double p, int q, double r, long s, double t);
/* The sum of `count` doubles. */
double sum(int count, ...);
struct three three_of(long a);
long double twice(long double value);
_Complex double conjugate(_Complex double value);
floats add_floats(floats a, floats b);
#ifdef __x86_64__
__attribute__((target("avx"))) four add_four(four a, four b);
#endif
/* Whether add_four takes its arguments as gcc passes them: clang does not. */
int has_wide_vectors(void);
/* Calls it `times` times. */
void call_back(void (*function)(void* argument), void* argument, int times);
/* Whether it is what this library knows as realloc. */
int is_realloc(void* (*function)(void* memory, size_t bytes));

#ifdef __cplusplus
}
#endif

#endif

/* Calls 300 functions in an order that first_calls_test.cc asks for, each once and then all once
 * more, and kills itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
enum { FUNCTIONS = 300, THREADS = 8 };

#define TEN(of, n) \
  of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define HUNDRED(of, n) \
  TEN(of, n##0)        \
  TEN(of, n##1)        \
  TEN(of, n##2)        \
  TEN(of, n##3) TEN(of, n##4) TEN(of, n##5) TEN(of, n##6) TEN(of, n##7) TEN(of, n##8) TEN(of, n##9)
#define ALL(of) HUNDRED(of, 1) HUNDRED(of, 2) HUNDRED(of, 3)

#define DEFINE(n) \
  __attribute__((noinline)) void called_##n(void) { __asm__ volatile(""); }
#define NAME(n) called_##n,
ALL(DEFINE)
static void (*const functions[FUNCTIONS])(void) = {ALL(NAME)};

static PLAIN void* call_every_eighth(void* first) {
  for (size_t i = (size_t)first; i < FUNCTIONS; i += THREADS) functions[i]();
  return 0;
}

static PLAIN void call_in_threads(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], 0, call_every_eighth, (void*)i)) _exit(2);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
}

/* 7 is prime to 300. */
static PLAIN void call_scrambled(void) {
  for (int i = 0; i < FUNCTIONS; ++i) functions[7 * i % FUNCTIONS]();
}

int PLAIN main(int count, char** values) {
  const char* const way = count > 1 ? values[1] : "";
  if (strcmp(way, "threads") == 0) {
    call_in_threads();
  } else if (strcmp(way, "fork") == 0) {
    for (int i = 0; i < 10; ++i) functions[i]();
    const pid_t child = fork();
    if (child > 0) {
      waitpid(child, 0, 0);
      _exit(0);
    }
    for (int i = 20; i > 5; --i) functions[i]();
  } else {
    call_scrambled();
  }
  for (int i = 0; i < FUNCTIONS; ++i) functions[i]();
  kill(getpid(), SIGKILL);
  return 0;
}

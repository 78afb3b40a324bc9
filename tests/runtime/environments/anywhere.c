/* A program that uses what differs between machines: libc's functions that it chooses by processor,
 * the number of processors, addresses, locale and time zone. With TWICE, `weigh` is called twice as
 * often. */
#define _GNU_SOURCE
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

enum { WORDS = 500 };

APART static int weigh(const char* word) {
  __asm__ volatile(""); /* no call is optimised away */
  return (int)strlen(word) + (strchr(word, '7') != 0);
}

APART static int by_weight(const void* a, const void* b) {
  const char* const* const one = a;
  const char* const* const other = b;
  const int order = weigh(*one) - weigh(*other);
  return order ? order : strcmp(*one, *other);
}

APART static int task(char* into, const char* from) {
  memcpy(into, from, 64);
  return weigh(into);
}

int main(void) {
  static char words[WORDS][64];
  static char copy[64];
  const char* sorted[WORDS];
  setlocale(LC_ALL, "");
  const time_t now = time(0);
  for (int i = 0; i < WORDS; ++i) {
    snprintf(words[i], sizeof words[i], "%d", i * 7919 % 1000);
    sorted[i] = words[i];
  }
  qsort(sorted, WORDS, sizeof *sorted, by_weight);
  int sum = localtime(&now) == 0;
  for (int i = 0; i < WORDS; ++i) {
    sum += weigh(sorted[i]);
#ifdef TWICE
    for (int again = 0; again < 20; ++again) sum += weigh(sorted[i]);
#endif
  }
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors)) return 1;
  for (int i = 0; i < 100 * CPU_COUNT(&processors); ++i) sum += task(copy, words[i % WORDS]);
  return sum == 0;
}

// What differs from one run to the next is asked for by these, as their names say.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define KEPT __attribute__((noinline, noclone))

KEPT long asks_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_nsec;
}
KEPT long asks_clock_at_its_end(long* now) { return time(now); }
KEPT unsigned long long asks_clock_itself(void) { return __rdtsc() + 1; }
KEPT int asks_processors(void) { return get_nprocs() + 1; }
KEPT int asks_process(void) { return getpid() + 1; }
KEPT long asks_random(void) {
  long number;
  return getrandom(&number, sizeof number, 0) + number;
}
KEPT int asks_process_and_clock(void) { return getpid() + (int)time(0); }
KEPT int asks_nothing(const char* text) { return atoi(text) + 1; }

int main(int count, char** arguments) {
  long now;
  return (int)(asks_clock() + asks_clock_at_its_end(&now) + (long)asks_clock_itself() +
               asks_processors() + asks_process() + asks_random() + asks_process_and_clock() +
               asks_nothing(arguments[count - 1])) == 1;
}

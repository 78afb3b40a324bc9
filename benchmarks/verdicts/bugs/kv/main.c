// Keys and values, with a log. The argument is the number of thousands of commands.
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

static uint32_t draw(uint32_t* state) { return (*state = *state * 1664525u + 1013904223u) >> 9; }

static void make_line(char* line, size_t size, uint32_t* state) {
  const uint32_t key = draw(state) % 6000;
  if (draw(state) % 3 == 0) {
    snprintf(line, size, "set user.%u.name value%u", key, draw(state) % 100000);
  } else {
    snprintf(line, size, "get user.%u.name", key);
  }
}

int main(int argc, char** argv) {
  const int commands = 1000 * (argc > 1 ? atoi(argv[1]) : 100);
  static struct log log;
  struct store store;
  uint32_t state = 1;
  uint64_t answered = 0;
  store_init(&store, 4000);
  log_open(&log, "/dev/null");
  for (int i = 0; i < commands; ++i) {
    char line[128];
    make_line(line, sizeof line, &state);
    answered += run_command(&store, &log, line);
  }
  log_flush(&log);
  printf("%llu %llu\n", (unsigned long long)answered, (unsigned long long)log.written);
  store_free(&store);
  return 0;
}

#include "runtime/process/fallen_back.h"

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/text.h"

/* Strings in such objects (bazel/counting_compiler.bzl), separated by zeros. Linkers define
 * symbols for a section's bounds. */
#define BOUND extern const char __attribute__((weak, visibility("default")))
BOUND __start_gprofhub_fell_back[];
BOUND __stop_gprofhub_fell_back[];

static const char* next_name(const char* at) {
  while (at < __stop_gprofhub_fell_back && *at == 0) ++at;
  return at;
}

void gh_say_what_fell_back(void) {
  enum { NAMED = 3 };
  if (__start_gprofhub_fell_back == 0 || gh_config.in_anothers_test) return;
  static char line[1024];
  struct gh_text names = gh_text_in(line, sizeof line);
  uint64_t count = 0;
  for (const char* at = next_name(__start_gprofhub_fell_back); at < __stop_gprofhub_fell_back;
       at = next_name(at + gh_length(at))) {
    if (count++ >= NAMED) continue;
    if (count > 1) gh_put(&names, ", ");
    gh_put(&names, at);
  }
  if (count == 0) return;
  if (count > NAMED) {
    gh_put(&names, " and ");
    gh_put_number(&names, count - NAMED);
    gh_put(&names, " more");
  }
  gh_complain(GH_FALLEN_BACK, "not counted in the text, but by mcount, which costs more", line);
}

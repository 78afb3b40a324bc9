/* Writer of a gmon file. */
#ifndef GPROFHUB_RUNTIME_GMON_OUTPUT_H_
#define GPROFHUB_RUNTIME_GMON_OUTPUT_H_

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* `error` is the first failure; later output is dropped. Only one output may be open: all share
 * a buffer. */
struct gh_output {
  long fd;
  long error;
  uint64_t written;
  uint64_t limit; /* RLIMIT_FSIZE: exceeding it would raise a signal */
  size_t used;
};
void gh_output_put(struct gh_output* out, const void* bytes, size_t count);
void gh_output_flush(struct gh_output* out);

static inline void gh_output_tag(struct gh_output* out, unsigned char tag) {
  gh_output_put(out, &tag, 1);
}
static inline void gh_output_u32(struct gh_output* out, uint64_t value) {
  const uint32_t narrow = (uint32_t)value;
  gh_output_put(out, &narrow, sizeof narrow);
}
static inline void gh_output_u64(struct gh_output* out, uint64_t value) {
  gh_output_put(out, &value, sizeof value);
}

#pragma GCC visibility pop

#endif

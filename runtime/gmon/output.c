#include "runtime/gmon/output.h"

#include <errno.h>

#include "runtime/base/syscalls.h"
#include "runtime/processor/processor.h"

static unsigned char buffer[32768];

void gh_output_flush(struct gh_output* out) {
  if (!out->error && out->written + out->used > out->limit) out->error = -EFBIG;
  size_t done = 0;
  while (done < out->used && !out->error) {
    const long count = GH_CALL3(write, out->fd, buffer + done, out->used - done);
    if (count == -EINTR) continue;
    if (count <= 0) {
      out->error = count ? count : -EIO;
    } else {
      done += (size_t)count;
    }
  }
  out->written += done;
  out->used = 0;
}

void gh_output_put(struct gh_output* out, const void* bytes, size_t count) {
  if (out->used + count > sizeof buffer) gh_output_flush(out);
  gh_copy(buffer + out->used, bytes, count);
  out->used += count;
}

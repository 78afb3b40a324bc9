#include "log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t checksum_of(const char* data, size_t size) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < size; ++i) {
    a = (a + (unsigned char)data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void log_open(struct log* log, const char* path) {
  log->file = open(path, O_WRONLY);
  if (log->file < 0) abort();
  log->used = 0;
  log->written = 0;
}

void log_flush(struct log* log) {
  if (write(log->file, log->buffer, log->used) != (ssize_t)log->used) abort();
  log->written += log->used;
  log->used = 0;
}

static void put(struct log* log, const void* data, size_t size) {
  if (log->used + size > sizeof log->buffer) log_flush(log);
  memcpy(log->buffer + log->used, data, size);
  log->used += size;
}

void log_append(struct log* log, const char* record, size_t size) {
  const uint32_t checksum = checksum_of(record, size);
  put(log, &checksum, sizeof checksum);
  put(log, record, size);
}

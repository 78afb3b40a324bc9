#pragma once

#include <stddef.h>
#include <stdint.h>

// Records with checksums, collected in a buffer and written in blocks.
struct log {
  int file;
  char buffer[512];
  size_t used;
  uint64_t written;
};

void log_open(struct log* log, const char* path);
void log_append(struct log* log, const char* record, size_t size);
void log_flush(struct log* log);
uint32_t checksum_of(const char* data, size_t size);

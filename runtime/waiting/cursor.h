/* Sequential reader of memory that may be unmapped, with DWARF's number encodings. */
#ifndef GPROFHUB_RUNTIME_WAITING_CURSOR_H_
#define GPROFHUB_RUNTIME_WAITING_CURSOR_H_

#include <stdint.h>

#include "runtime/recording/peek.h"

struct gh_cursor {
  uint64_t at, end;
  uint64_t held_at, held; /* range of `bytes` */
  int bad;                /* read past the end, or memory is unmapped */
  unsigned char bytes[64];
};

static inline struct gh_cursor gh_cursor_at(uint64_t begin, uint64_t end) {
  struct gh_cursor cursor;
  cursor.at = begin;
  cursor.end = end;
  cursor.held_at = cursor.held = 0;
  cursor.bad = end < begin;
  return cursor;
}

static inline uint8_t gh_take(struct gh_cursor* cursor) {
  if (cursor->bad || cursor->at >= cursor->end) {
    cursor->bad = 1;
    return 0;
  }
  if (cursor->at - cursor->held_at >= cursor->held) {
    const uint64_t left = cursor->end - cursor->at;
    cursor->held_at = cursor->at;
    cursor->held = left < sizeof cursor->bytes ? left : sizeof cursor->bytes;
    if (!gh_peek(cursor->at, cursor->bytes, cursor->held)) {
      cursor->bad = 1;
      return 0;
    }
  }
  return cursor->bytes[cursor->at++ - cursor->held_at];
}

static inline uint64_t gh_take_fixed(struct gh_cursor* cursor, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= (uint64_t)gh_take(cursor) << 8 * i;
  return value;
}

static inline uint64_t gh_take_unsigned(struct gh_cursor* cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = gh_take(cursor);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

static inline int64_t gh_take_signed(struct gh_cursor* cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const uint8_t byte = gh_take(cursor);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (byte & 0x40 && shift < 64) value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
}

#endif

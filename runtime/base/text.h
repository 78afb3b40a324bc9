/* Text without libc: bounded strings and numbers for paths and messages. */
#ifndef GPROFHUB_RUNTIME_BASE_TEXT_H_
#define GPROFHUB_RUNTIME_BASE_TEXT_H_

#include <stddef.h>
#include <stdint.h>

/* A buffer to append text to; silently truncated at its end, with `cut` set. */
struct gh_text {
  char* bytes;
  size_t size; /* of the buffer, terminator included */
  size_t length;
  int cut;
};

static inline struct gh_text gh_text_in(char* bytes, size_t size) {
  struct gh_text text;
  text.bytes = bytes;
  text.size = size;
  text.length = 0;
  text.cut = 0;
  bytes[0] = 0;
  return text;
}

static inline void gh_put_bytes(struct gh_text* text, const char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (text->length + 1 >= text->size) {
      text->cut = 1;
      return;
    }
    text->bytes[text->length++] = bytes[i];
    text->bytes[text->length] = 0;
  }
}

static inline size_t gh_length(const char* string) {
  size_t length = 0;
  while (*(const volatile char*)(string + length)) ++length;
  return length;
}

static inline void gh_put(struct gh_text* text, const char* string) {
  gh_put_bytes(text, string, gh_length(string));
}

static inline void gh_put_number(struct gh_text* text, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  while (count) gh_put_bytes(text, &digits[--count], 1);
}

static inline int gh_equal(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

/* The rest of `string` after `prefix`, or NULL. */
static inline const char* gh_after(const char* string, const char* prefix) {
  while (*prefix) {
    if (*string++ != *prefix++) return 0;
  }
  return string;
}

static inline const char* gh_base_name(const char* path) {
  const char* base = path;
  for (; *path; ++path) {
    if (*path == '/') base = path + 1;
  }
  return base;
}

/* Reads decimal digits at *at and advances it; 0 without digits. Saturates at UINT64_MAX. */
static inline int gh_take_number(const char** at, uint64_t* number) {
  if (**at < '0' || **at > '9') return 0;
  *number = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) {
    const uint64_t digit = (uint64_t)(**at - '0');
    *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
  }
  return 1;
}

/* Reads the lower-case hexadecimal number at *at and advances *at past it. */
static inline uint64_t gh_take_hex(const char** at) {
  uint64_t value = 0;
  for (;; ++*at) {
    const char c = **at;
    if (c >= '0' && c <= '9') {
      value = value << 4 | (uint64_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | (uint64_t)(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

#endif

#pragma once

#include <stddef.h>
#include <stdint.h>

struct entry {
  char* key;
  char* value;
  uint32_t hash;
  struct entry* next;
  struct entry* newer;
  struct entry* older;
};

// Keys and values in a table, the least recently used ones dropped.
struct store {
  struct entry** buckets;
  size_t bucket_count;
  size_t count;
  size_t limit;
  struct entry* newest;
  struct entry* oldest;
};

void store_init(struct store* store, size_t limit);
void store_free(struct store* store);
void store_set(struct store* store, const char* key, const char* value);
const char* store_get(struct store* store, const char* key);

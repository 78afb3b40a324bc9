#include "store.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char* key) {
  uint32_t hash = 5381;
  for (; *key != '\0'; ++key) hash = hash * 33 + (unsigned char)*key;
  return hash;
}

void store_init(struct store* store, size_t limit) {
  memset(store, 0, sizeof *store);
  store->bucket_count = 64;
  store->buckets = calloc(store->bucket_count, sizeof *store->buckets);
  store->limit = limit;
}

static struct entry* find(const struct store* store, const char* key, uint32_t hash) {
  struct entry* entry = store->buckets[hash % store->bucket_count];
  while (entry != NULL && (entry->hash != hash || strcmp(entry->key, key) != 0))
    entry = entry->next;
  return entry;
}

static void unlink_age(struct store* store, struct entry* entry) {
  *(entry->newer != NULL ? &entry->newer->older : &store->newest) = entry->older;
  *(entry->older != NULL ? &entry->older->newer : &store->oldest) = entry->newer;
}

static void link_newest(struct store* store, struct entry* entry) {
  entry->newer = NULL;
  entry->older = store->newest;
  if (store->newest != NULL) store->newest->newer = entry;
  store->newest = entry;
  if (store->oldest == NULL) store->oldest = entry;
}

static void grow(struct store* store) {
  const size_t count = store->bucket_count * 2;
  struct entry** buckets = calloc(count, sizeof *buckets);
  for (struct entry* entry = store->newest; entry != NULL; entry = entry->older) {
    entry->next = buckets[entry->hash % count];
    buckets[entry->hash % count] = entry;
  }
  free(store->buckets);
  store->buckets = buckets;
  store->bucket_count = count;
}

static void drop(struct store* store, struct entry* entry) {
  struct entry** link = &store->buckets[entry->hash % store->bucket_count];
  while (*link != entry) link = &(*link)->next;
  *link = entry->next;
  unlink_age(store, entry);
  free(entry->key);
  free(entry->value);
  free(entry);
  --store->count;
}

void store_set(struct store* store, const char* key, const char* value) {
  const uint32_t hash = hash_of(key);
  struct entry* entry = find(store, key, hash);
  if (entry != NULL) {
    free(entry->value);
    unlink_age(store, entry);
  } else {
    if (store->count >= store->limit) drop(store, store->oldest);
    if (store->count >= store->bucket_count) grow(store);
    entry = calloc(1, sizeof *entry);
    entry->key = strdup(key);
    entry->hash = hash;
    entry->next = store->buckets[hash % store->bucket_count];
    store->buckets[hash % store->bucket_count] = entry;
    ++store->count;
  }
  entry->value = strdup(value);
  link_newest(store, entry);
}

const char* store_get(struct store* store, const char* key) {
  struct entry* entry = find(store, key, hash_of(key));
  if (entry == NULL) return NULL;
  unlink_age(store, entry);
  link_newest(store, entry);
  return entry->value;
}

void store_free(struct store* store) {
  while (store->oldest != NULL) drop(store, store->oldest);
  free(store->buckets);
}

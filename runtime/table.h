/* Counting tables: keys with 64-bit counts in the layout of
 * profile/recording_format.h. One thread inserts into a table; its signal
 * handlers may do so at any instant in between. */
#ifndef GPROFHUB_RUNTIME_TABLE_H_
#define GPROFHUB_RUNTIME_TABLE_H_

#include <stdint.h>

#include "profile/recording_format.h"

/* arc_stubs_x86_64.S has the same. */
#define GH_HASH_FACTOR 0x5bd1e995u
#define GH_HASH_SPREAD 0x61c88647u
#define GH_HASH_SHIFT 27

/* Bytes of a table with `capacity` homes, a power of two; whole pages. */
uint64_t gh_table_bytes(uint64_t capacity);

/* Makes zeroed memory of gh_table_bytes(capacity) an empty table; `on` as below. */
void gh_table_init(struct gprofhub_chunk* table, uint64_t capacity, int on);

/* Off: the stubs find nothing in the table and go the slow way, at once and
 * whichever thread's it is. */
void gh_table_switch(struct gprofhub_chunk* table, int on);

/* The slot of (key, context), key not 0, made if there is none; *inserted says
 * so. NULL: the table is half full or the slots near the key's home are; a
 * larger table must take over. Never loops, whatever the keys. */
struct gprofhub_slot* gh_table_slot(struct gprofhub_chunk* table, uint64_t key, uint64_t context,
                                    int* inserted);

static inline struct gprofhub_slot* gh_table_slots(struct gprofhub_chunk* table) {
  return (struct gprofhub_slot*)(table + 1);
}

#endif

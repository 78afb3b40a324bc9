/* Counting tables: keys with 64-bit counts in the layout of
 * profile/recording/format.h. One thread inserts into a table; its signal
 * handlers may do so at any instant in between. */
#ifndef GPROFHUB_RUNTIME_RECORDING_TABLE_H_
#define GPROFHUB_RUNTIME_RECORDING_TABLE_H_

#include <stdint.h>

#include "profile/recording/format.h"

/* runtime/processor/arc_stubs_*.S have the same. Odd and close to 2^31, which decides that
 * gh_mix() tells arcs apart. */
#define GH_HASH_FACTOR 0x7feb352du

/* What an arc is known by while it is counted. Two arcs have the same mix only
 * if factor * (difference of callees) = -8 * (difference of call sites) modulo
 * 2^64; the factor is odd, so if no difference reaches 2 GB (the code of one
 * module) both must be 0. Between modules the addresses would have to differ by
 * just such a pair, which no real layout does: for n arcs the odds are about
 * n^2 / 2^64. Blocks and samples (context 0) differ always. */
static inline uint64_t gh_mix(uint64_t key, uint64_t context) {
  return key * GH_HASH_FACTOR + context * 8;
}

/* Bytes of a table with `capacity` homes, a power of two; whole pages. */
uint64_t gh_table_bytes(uint64_t capacity);

/* Makes zeroed memory of gh_table_bytes(capacity) an empty table. */
void gh_table_init(struct gprofhub_chunk* table, uint64_t capacity);

/* From now on the stubs find nothing in the table and go the slow way, at once and
 * whichever thread's it is. */
void gh_table_give_up(struct gprofhub_chunk* table);

/* The slot of (key, context), key not 0, made if there is none; *inserted says
 * so. NULL: the table is half full or the slots near the key's home are; a
 * larger table must take over. Never loops, whatever the keys. */
struct gprofhub_slot* gh_table_slot(struct gprofhub_chunk* table, uint64_t key, uint64_t context,
                                    int* inserted);

static inline struct gprofhub_slot* gh_table_slots(struct gprofhub_chunk* table) {
  return (struct gprofhub_slot*)(table + 1);
}

#endif

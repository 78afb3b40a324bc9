/* Counting tables: keys with 64-bit counts in the layout of profile/format/recording.h. One
 * thread inserts into a table; its signal handlers may also insert at any instant in between. */
#ifndef GPROFHUB_RUNTIME_RECORDING_TABLE_H_
#define GPROFHUB_RUNTIME_RECORDING_TABLE_H_

#include <stdint.h>

#include "profile/format/recording.h"

/* Same value in runtime/processor/arc_stubs_*.S. Odd and close to 2^31, which makes gh_mix()
 * unique for arcs. */
#define GH_HASH_FACTOR 0x7feb352du

/* Identifies an arc while it is counted. Two arcs have the same mix only if factor * (difference
 * of callees) = -8 * (difference of call sites) modulo 2^64; the factor is odd, so if no
 * difference reaches 2 GB (the code of one module) both must be 0. Between modules the addresses
 * would have to differ by exactly such a pair, which does not happen in real layouts: for n arcs
 * the probability is about n^2 / 2^64. The mixes of blocks and samples (context 0) are always
 * distinct. */
static inline uint64_t gh_mix(uint64_t key, uint64_t context) {
  return key * GH_HASH_FACTOR + context * 8;
}

/* Bytes of a table with `capacity` homes, a power of two; whole pages. */
uint64_t gh_table_bytes(uint64_t capacity);

/* Makes zeroed memory of gh_table_bytes(capacity) an empty table. */
void gh_table_init(struct gprofhub_chunk* table, uint64_t capacity);

/* Abandons the table: from now on the stubs of any thread find nothing in it and take the slow
 * path. */
void gh_table_give_up(struct gprofhub_chunk* table);

/* The slot of (key, context), key not 0, created if absent; *inserted reports that. NULL: the
 * table is half full or the slots near the key's home are; a larger table is needed. Terminates
 * for all keys. */
struct gprofhub_slot* gh_table_slot(struct gprofhub_chunk* table, uint64_t key, uint64_t context,
                                    int* inserted);

static inline struct gprofhub_slot* gh_table_slots(struct gprofhub_chunk* table) {
  return (struct gprofhub_slot*)(table + 1);
}

#endif

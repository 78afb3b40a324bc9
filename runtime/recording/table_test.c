/* Tests the contracts of table.h. */
#include "runtime/recording/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1024 };
static int failures;

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      failures++;                                                       \
    }                                                                   \
  } while (0)

static struct gprofhub_chunk* new_table(uint32_t kind) {
  struct gprofhub_chunk* table = calloc(1, gh_table_bytes(CAPACITY));
  if (!table) abort();
  table->kind = kind;
  gh_table_init(table, CAPACITY);
  return table;
}

static void a_key_is_found_again(void) {
  struct gprofhub_chunk* table = new_table(GPROFHUB_ARCS);
  int inserted;
  struct gprofhub_slot* slot = gh_table_slot(table, 0x401000, 0x402005, &inserted);
  CHECK(slot && inserted && slot->key == 0x401000 && slot->context == 0x402005);
  CHECK(gh_table_slot(table, 0x401000, 0x402005, &inserted) == slot && !inserted);
  CHECK(gh_table_slot(table, 0x401000, 0x40200a, &inserted) != slot && inserted);
  CHECK(table->used == 2);
  free(table);
}

/* Functions 16 bytes apart with call sites five bytes apart: all fit until the table is half
 * full, and then none does. */
static void it_is_full_when_half_full(void) {
  struct gprofhub_chunk* table = new_table(GPROFHUB_ARCS);
  int inserted;
  for (uint64_t i = 0; i < CAPACITY / 2; ++i) {
    CHECK(gh_table_slot(table, 0x401000 + i / 8 * 16, 0x500000 + i * 5, &inserted) && inserted);
  }
  CHECK(!gh_table_slot(table, 0x700000, 0x700000, &inserted));
  CHECK(gh_table_slot(table, 0x401000, 0x500000, &inserted) && !inserted);
  free(table);
}

/* Keys with one home: up to the probe limit, then a larger table is needed. */
static void keys_of_one_home_do_not_loop(void) {
  struct gprofhub_chunk* table = new_table(GPROFHUB_SAMPLES);
  const uint64_t step = (uint64_t)CAPACITY * sizeof(struct gprofhub_slot);
  int inserted;
  uint64_t found = 0;
  while (gh_table_slot(table, 0x401000 + found * step, 0, &inserted)) ++found;
  CHECK(found == GPROFHUB_PROBE_SLOTS);
  free(table);
}

/* The stubs look at slot 0 of an abandoned table, and stop at an empty last one. */
static void the_first_and_the_last_slot_stay_empty(void) {
  struct gprofhub_chunk* table = new_table(GPROFHUB_SAMPLES);
  int inserted;
  for (uint64_t i = 1; i < CAPACITY / 2; ++i) {
    gh_table_slot(table, i * sizeof(struct gprofhub_slot), 0, &inserted);
    gh_table_slot(table, i * CAPACITY * sizeof(struct gprofhub_slot), 0, &inserted);
  }
  const struct gprofhub_slot* slots = gh_table_slots(table);
  CHECK(slots[0].key == 0);
  CHECK(slots[CAPACITY + GPROFHUB_PROBE_SLOTS - 1].key == 0);
  free(table);
}

static void given_up_means_that_the_stubs_find_nothing(void) {
  struct gprofhub_chunk* table = new_table(GPROFHUB_ARCS);
  CHECK(table->mask == (CAPACITY - 1) * sizeof(struct gprofhub_slot));
  gh_table_give_up(table);
  CHECK(table->mask == 0);
  free(table);
}

int main(void) {
  a_key_is_found_again();
  it_is_full_when_half_full();
  keys_of_one_home_do_not_loop();
  the_first_and_the_last_slot_stay_empty();
  given_up_means_that_the_stubs_find_nothing();
  if (!failures) puts("ok");
  return failures != 0;
}

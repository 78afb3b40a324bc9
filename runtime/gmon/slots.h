/* The slots of the recording that belong to one module. */
#ifndef GPROFHUB_RUNTIME_GMON_SLOTS_H_
#define GPROFHUB_RUNTIME_GMON_SLOTS_H_

#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

static inline int gh_belongs(const struct gprofhub_module* module, uint64_t pc) {
  return gh_module_find(pc) == module;
}

/* Calls `visit` for every counted slot of `kind` whose key is in `module`. */
static inline void gh_for_each_slot(uint32_t kind, const struct gprofhub_module* module, void* to,
                                    void (*visit)(void* to, const struct gprofhub_module*,
                                                  const struct gprofhub_slot*)) {
  for (struct gprofhub_chunk* chunk = gh_chunks; chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != kind || chunk->capacity == 0) continue;
    const struct gprofhub_slot* slots = gh_table_slots(chunk);
    for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
      if (slots[i].count && gh_belongs(module, slots[i].key)) visit(to, module, &slots[i]);
    }
  }
}

#endif

/* Writes directly from the tables: an arc that several tables contain becomes several records,
 * which readers add up. So do the records into which a count beyond the field's 32 bits, or a
 * bin beyond 16, is split. */
#include "runtime/gmon/gmon_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "profile/format/gmon.h"
#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/counters/counters.h"
#include "runtime/gmon/counted_calls.h"
#include "runtime/gmon/output.h"
#include "runtime/gmon/slots.h"
#include "runtime/memory/in_use.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

static int forked;
static int writing;

static void put_header(struct gh_output* out) {
  static const char spare[GMON_SPARE_SIZE] = GMON_SPARE;
  gh_output_put(out, GMON_MAGIC, GMON_MAGIC_SIZE);
  gh_output_u32(out, GMON_VERSION);
  gh_output_put(out, spare, sizeof spare);
}

/* A histogram record covers one tile of the text, two bytes to a bin (GNU gprof's own unit, so
 * that no bin's credit is split unevenly), and only tiles with samples are written. Tiles are
 * aligned, so files of several processes agree on them. */
enum { TILE_BYTES = 4096, BIN_BYTES = 2, TILE_BINS = TILE_BYTES / BIN_BYTES };

/* One counter per two bytes of text, in sparse memory, and which tiles have any. */
struct histogram {
  uint64_t low; /* of the first tile, as linked */
  uint64_t tiles;
  uint64_t* bins;
  uint8_t* used;
  uint64_t bytes;
};

static void visit_sample(void* to, const struct gprofhub_module* module,
                         const struct gprofhub_slot* slot) {
  struct histogram* histogram = to;
  const uint64_t bin = (slot->key - module->bias - histogram->low) / BIN_BYTES;
  if (bin / TILE_BINS >= histogram->tiles) return;
  histogram->bins[bin] += slot->count;
  histogram->used[bin / TILE_BINS] = 1;
}

static void put_tile(struct gh_output* out, const struct histogram* histogram, uint64_t tile) {
  uint64_t* bins = histogram->bins + tile * TILE_BINS;
  int more;
  do {
    more = 0;
    gh_output_tag(out, GMON_TAG_HISTOGRAM);
    gh_output_u64(out, histogram->low + tile * TILE_BYTES);
    gh_output_u64(out, histogram->low + (tile + 1) * TILE_BYTES);
    gh_output_u32(out, TILE_BINS);
    gh_output_u32(out, gh_header->rate);
    gh_output_put(out, gh_header->dimension, GMON_DIMENSION_SIZE);
    gh_output_put(out, &gh_header->abbreviation, 1);
    for (int i = 0; i < TILE_BINS; ++i) {
      const uint64_t part = bins[i] < GMON_BIN_MAX ? bins[i] : GMON_BIN_MAX;
      const uint16_t narrow = (uint16_t)part;
      gh_output_put(out, &narrow, sizeof narrow);
      bins[i] -= part;
      more |= bins[i] != 0;
    }
  } while (more && !out->error);
}

/* Adds the samples in `module`. */
static void put_histogram(struct gh_output* out, const struct gprofhub_module* module) {
  struct histogram histogram;
  histogram.low = module->text_low & ~(uint64_t)(TILE_BYTES - 1);
  histogram.tiles = (module->text_high - histogram.low + TILE_BYTES - 1) / TILE_BYTES;
  const uint64_t bins_bytes = histogram.tiles * TILE_BINS * sizeof(uint64_t);
  histogram.bytes = bins_bytes + histogram.tiles;
  const long at = GH_CALL6(mmap, 0, histogram.bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (GH_FAILED(at)) {
    out->error = at;
    return;
  }
  histogram.bins = (uint64_t*)at;
  histogram.used = (uint8_t*)at + bins_bytes;
  gh_for_each_slot(GPROFHUB_SAMPLES, module, &histogram, visit_sample);
  /* GNU gprof prints no flat profile without a histogram, so the first tile is written even if
   * it is empty. */
  histogram.used[0] = 1;
  for (uint64_t tile = 0; tile < histogram.tiles; ++tile) {
    if (histogram.used[tile]) put_tile(out, &histogram, tile);
  }
  GH_CALL2(munmap, at, histogram.bytes);
}

static void put_arc(struct gh_output* out, const struct gprofhub_module* module, uint64_t context,
                    uint64_t key, uint64_t count) {
  /* A caller in another object has no address in this one: 0 means unknown. */
  const uint64_t from = gh_belongs(module, context) ? context - module->bias : 0;
  while (count) {
    const uint64_t part = count < GMON_ARC_COUNT_MAX ? count : GMON_ARC_COUNT_MAX;
    gh_output_tag(out, GMON_TAG_ARC);
    gh_output_u64(out, from);
    gh_output_u64(out, key - module->bias);
    gh_output_u32(out, part);
    count -= part;
  }
}

static void put_block(struct gh_output* out, const struct gprofhub_module* module, uint64_t pc,
                      uint64_t count) {
  gh_output_tag(out, GMON_TAG_BLOCKS);
  gh_output_u32(out, 1);
  gh_output_u64(out, pc - module->bias);
  gh_output_u64(out, count);
}

/* Targets of arcs, and the arcs that counters in the text know. */
struct arcs {
  struct gh_output* out;
  const struct gprofhub_module* module;
  struct gh_calls calls;
};

static void visit_arc(void* to, const struct gprofhub_module* module,
                      const struct gprofhub_slot* slot) {
  struct arcs* arcs = to;
  if (!gh_calls_table_arc(&arcs->calls, slot->context, slot->key)) return;
  put_arc(arcs->out, module, slot->context & ~GPROFHUB_TAIL_CONTEXT, slot->key, slot->count);
}
static void visit_call(void* to, uint64_t from, uint64_t self, uint64_t count) {
  struct arcs* arcs = to;
  if (gh_belongs(arcs->module, self)) put_arc(arcs->out, arcs->module, from, self, count);
}
static void visit_text_block(void* to, uint32_t kind, uint64_t self, uint64_t from,
                             uint64_t count) {
  struct arcs* arcs = to;
  (void)from;
  if (kind != GPROFHUB_SITE_BLOCK || !gh_belongs(arcs->module, self)) return;
  put_block(arcs->out, arcs->module, self, count);
}

/* Bytes in use at the peak are written as calls of the function that represents them. */
static void put_peak(struct gh_output* out, const struct gprofhub_module* module) {
  for (struct gprofhub_chunk* chunk = gh_chunks; chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_IN_USE || !gh_belongs(module, chunk->base)) continue;
    const struct gprofhub_in_use* site = (const struct gprofhub_in_use*)(chunk + 1);
    for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i, ++site) {
      if (site->from) put_arc(out, module, site->from, chunk->base, gh_in_use_at_peak(site));
    }
  }
}

static void put_calls(struct gh_output* out, const struct gprofhub_module* module) {
  struct arcs arcs = {out, module, {0, 0, 0}};
  if (!gh_calls_open(&arcs.calls)) {
    out->error = -ENOMEM;
    return;
  }
  gh_for_each_slot(GPROFHUB_ARCS, module, &arcs, visit_arc);
  gh_calls_visit(&arcs.calls, &arcs, visit_call);
  put_peak(out, module);
  gh_counters_visit(&arcs, visit_text_block);
  gh_calls_close(&arcs.calls);
}

static void visit_block(void* out, const struct gprofhub_module* module,
                        const struct gprofhub_slot* slot) {
  put_block(out, module, slot->key - GH_CALL_BYTES, slot->count);
}

static void put_build_id(struct gh_text* name, const struct gprofhub_module* module) {
  static const char digits[] = "0123456789abcdef";
  if (module->build_id_bytes == 0) gh_put(name, "unknown");
  for (uint32_t i = 0; i < module->build_id_bytes; ++i) {
    gh_put_bytes(name, &digits[module->build_id[i] >> 4], 1);
    gh_put_bytes(name, &digits[module->build_id[i] & 15], 1);
  }
}

static void name_file(struct gh_text* name, const struct gprofhub_module* module, int is_program) {
  const char* base = gh_base_name(module->path);
  if (gh_config.naming == GH_GMON_PLACED) {
    gh_put(name, gh_config.directory);
    gh_put(name, "/");
    gh_put(name, base);
    gh_put(name, ".");
    put_build_id(name, module);
    gh_put(name, ".gmon");
  } else if (gh_config.naming == GH_GMON_PREFIX) {
    gh_put(name, gh_config.prefix);
  } else {
    gh_put(name, gh_config.directory);
    gh_put(name, "/gmon.out");
  }
  if (gh_config.naming != GH_GMON_PLACED && !is_program) {
    gh_put(name, ".");
    gh_put(name, base);
  }
  if (gh_config.naming == GH_GMON_PLAIN && !forked) {
    if (gh_config.rank == GH_NO_RANK) return;
    gh_put(name, ".");
    gh_put_number(name, (uint64_t)gh_config.rank);
    return;
  }
  gh_put(name, ".");
  gh_put_number(name, gh_header->pid);
}

/* Reports the lost data, the reason, and whether the recording still has them. */
static void complain(const char* name, long error) {
  static char line[2 * GH_PATH_BYTES + 2048];
  struct gh_text text = gh_text_in(line, sizeof line);
  gh_put(&text, name);
  gh_put(&text, ": ");
  gh_put(&text, gh_reason(error));
  const char* recording = gh_recording_path();
  const int partly = gh_header->losses[GPROFHUB_UNRECORDED_CHUNKS] != 0;
  gh_put(&text, !recording ? "; its counts are lost"
                : partly   ? "; some of its counts are lost, the others are in the recording "
                           : "; its counts are in the recording ");
  if (recording) gh_put(&text, recording);
  gh_complain(GH_GMON, "cannot write the profile at exit", line);
}

static void write_module(const struct gprofhub_module* module, int is_program) {
  static char name[GH_PATH_BYTES + 1024];
  struct gh_text text = gh_text_in(name, sizeof name);
  name_file(&text, module, is_program);
  struct gh_output out = {0};
  struct rlimit limit;
  out.limit = UINT64_MAX;
  if (!GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_FSIZE, 0, &limit))) out.limit = limit.rlim_cur;
  out.fd = GH_OPEN(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (GH_FAILED(out.fd)) {
    complain(name, out.fd);
    return;
  }
  put_header(&out);
  put_histogram(&out, module);
  put_calls(&out, module);
  gh_for_each_slot(GPROFHUB_BLOCKS, module, &out, visit_block);
  gh_output_flush(&out);
  GH_CALL1(close, out.fd);
  if (out.error) {
    /* A partial profile would look like a complete one. */
    GH_UNLINK(name);
    complain(name, out.error);
  }
}

struct marks {
  uint8_t* has_counts;
  uint32_t count;
};

static void mark_module(void* to, uint64_t pc) {
  struct marks* marks = to;
  const struct gprofhub_module* module = gh_module_find(pc);
  for (uint32_t m = 0; m < marks->count && module; ++m) {
    if (gh_module_at(m) == module) marks->has_counts[m] = 1;
  }
}

static void mark_site(void* to, uint32_t kind, uint64_t self, uint64_t from, uint64_t count) {
  (void)from;
  (void)count;
  if (kind != GPROFHUB_SITE_INDIRECT) mark_module(to, self);
}

/* Marks the modules with at least one address in a table or counter. */
static void find_modules_with_counts(uint8_t* has_counts, uint32_t count) {
  struct marks marks = {has_counts, count};
  gh_counters_visit(&marks, mark_site);
  for (struct gprofhub_chunk* chunk = gh_chunks; chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_ARCS && chunk->kind != GPROFHUB_SAMPLES &&
        chunk->kind != GPROFHUB_BLOCKS) {
      continue;
    }
    const struct gprofhub_slot* slots = gh_table_slots(chunk);
    for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
      if (slots[i].count == 0) continue;
      mark_module(&marks, slots[i].key);
    }
  }
}

void gh_gmon_write(void) {
  enum { MAX_MODULES = 1024 };
  static uint8_t has_counts[MAX_MODULES];
  if (!gh_config.write_gmon) return;
  if (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE)) return;
  uint32_t count = gh_module_count();
  if (count > MAX_MODULES) count = MAX_MODULES;
  gh_clear(has_counts, sizeof has_counts);
  find_modules_with_counts(has_counts, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct gprofhub_module* module = gh_module_at(i);
    const int is_program = gh_equal(module->path, gh_config.program);
    if (!is_program && (!has_counts[i] || gh_config.write_gmon == GH_GMON_PROGRAM_ONLY)) continue;
    if (module->path[0] != '/') continue; /* not a file that gprof could read with it */
    write_module(module, is_program);
  }
  __atomic_store_n(&writing, 0, __ATOMIC_RELEASE);
}

void gh_gmon_after_fork(void) {
  forked = 1;
  writing = 0;
}

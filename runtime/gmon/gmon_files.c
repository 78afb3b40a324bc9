/* A count beyond the field's 32 bits, or a bin beyond 16, is split into several records, which
 * readers add up. */
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
#include "runtime/gmon/output.h"
#include "runtime/gmon/rows.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"

static int forked;
static int writing;

enum { MAX_MODULES = 8192 };
static uint32_t first_rows[MAX_MODULES]; /* by module: index + 1; 0: no rows */

/* The rows of one module. */
struct module_rows {
  const struct gh_rows* all;
  uint32_t first;
};

static const struct gh_row* next_row(const struct module_rows* rows, const struct gh_row* row) {
  const uint32_t next = row ? row->next : rows->first;
  return next ? &rows->all->rows[next - 1] : 0;
}

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

static void add_sample(struct histogram* histogram, const struct gh_row* row) {
  const uint64_t bin = (row->self - histogram->low) / BIN_BYTES;
  if (bin / TILE_BINS >= histogram->tiles) return;
  histogram->bins[bin] += row->count;
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
static void put_histogram(struct gh_output* out, const struct gprofhub_module* module,
                          const struct module_rows* rows) {
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
  for (const struct gh_row* row = 0; (row = next_row(rows, row)) != 0;) {
    if (row->kind == GPROFHUB_SAMPLES) add_sample(&histogram, row);
  }
  /* GNU gprof prints no flat profile without a histogram, so the first tile is written even if
   * it is empty. */
  histogram.used[0] = 1;
  for (uint64_t tile = 0; tile < histogram.tiles; ++tile) {
    if (histogram.used[tile]) put_tile(out, &histogram, tile);
  }
  GH_CALL2(munmap, at, histogram.bytes);
}

static void put_arc(struct gh_output* out, const struct gh_row* row) {
  uint64_t count = row->count;
  while (count) {
    const uint64_t part = count < GMON_ARC_COUNT_MAX ? count : GMON_ARC_COUNT_MAX;
    gh_output_tag(out, GMON_TAG_ARC);
    gh_output_u64(out, row->from);
    gh_output_u64(out, row->self);
    gh_output_u32(out, part);
    count -= part;
  }
}

static void put_block(struct gh_output* out, const struct gh_row* row) {
  gh_output_tag(out, GMON_TAG_BLOCKS);
  gh_output_u32(out, 1);
  gh_output_u64(out, row->self);
  gh_output_u64(out, row->count);
}

static void put_build_id(struct gh_text* name, const struct gprofhub_module* module) {
  static const char digits[] = "0123456789abcdef";
  if (module->build_id_bytes == 0) gh_put(name, "unknown");
  for (uint32_t i = 0; i < module->build_id_bytes; ++i) {
    gh_put_bytes(name, &digits[module->build_id[i] >> 4], 1);
    gh_put_bytes(name, &digits[module->build_id[i] & 15], 1);
  }
}

static int is_program(const struct gprofhub_module* module) {
  return gh_equal(module->path, gh_config.program);
}

/* Whether another module with such a name has a file: another build, or in another directory. */
static int is_name_taken(const struct gprofhub_module* module) {
  for (uint32_t i = 0; i < module->first; ++i) {
    if (first_rows[i] && !is_program(gh_module_at(i)) &&
        gh_equal(gh_base_name(gh_module_at(i)->path), gh_base_name(module->path))) {
      return 1;
    }
  }
  return 0;
}

static void name_file(struct gh_text* name, const struct gprofhub_module* module) {
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
  if (gh_config.naming != GH_GMON_PLACED && !is_program(module)) {
    gh_put(name, ".");
    gh_put(name, base);
    if (is_name_taken(module)) {
      gh_put(name, ".");
      put_build_id(name, module);
    }
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

static void write_module(const struct gprofhub_module* module, const struct module_rows* rows) {
  static char name[GH_PATH_BYTES + 1024];
  struct gh_text text = gh_text_in(name, sizeof name);
  name_file(&text, module);
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
  put_histogram(&out, module, rows);
  for (const struct gh_row* row = 0; (row = next_row(rows, row)) != 0;) {
    if (row->kind == GPROFHUB_ARCS) put_arc(&out, row);
    if (row->kind == GPROFHUB_BLOCKS) put_block(&out, row);
  }
  gh_output_flush(&out);
  GH_CALL1(close, out.fd);
  if (out.error) {
    /* A partial profile would look like a complete one. */
    GH_UNLINK(name);
    complain(name, out.error);
  }
}

/* Chains the rows of each module. */
static void chain_rows(struct gh_rows* rows, uint32_t modules) {
  gh_clear(first_rows, sizeof first_rows);
  for (uint64_t i = 0; i < rows->capacity; ++i) {
    struct gh_row* row = &rows->rows[i];
    if (!row->module || row->module->first >= modules) continue;
    row->next = first_rows[row->module->first];
    first_rows[row->module->first] = (uint32_t)(i + 1);
  }
}

static void write_modules(void) {
  struct gh_rows rows;
  if (!gh_rows_open(&rows)) {
    complain(gh_config.program, -ENOMEM);
    return;
  }
  uint32_t count = gh_module_count();
  if (count > MAX_MODULES) count = MAX_MODULES;
  chain_rows(&rows, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct gprofhub_module* module = gh_module_at(i);
    if (module->first != i) continue;
    if (!is_program(module) && (!first_rows[i] || gh_config.write_gmon != GH_GMON_ALL)) {
      continue;
    }
    if (module->path[0] != '/') continue; /* not a file that gprof could read with it */
    const struct module_rows own = {&rows, first_rows[i]};
    write_module(module, &own);
  }
  gh_rows_close(&rows);
}

void gh_gmon_write(void) {
  if (!gh_config.write_gmon) return;
  if (gh_config.write_gmon == GH_GMON_FALLBACK && gh_recording_path() &&
      !gh_header->losses[GPROFHUB_UNRECORDED_CHUNKS]) {
    return;
  }
  if (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE)) return;
  write_modules();
  __atomic_store_n(&writing, 0, __ATOMIC_RELEASE);
}

void gh_gmon_after_fork(void) {
  forked = 1;
  writing = 0;
}

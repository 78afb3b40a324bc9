/* A histogram record covers one tile of the text, two bytes to a bin (GNU
 * gprof's own unit, so that no bin's credit is split unevenly), and only tiles
 * with samples are written. Tiles are aligned, so files of several processes
 * agree on them. */
#include "runtime/gmon/histogram.h"

#include <sys/mman.h>

#include "profile/gmon/format.h"
#include "runtime/base/syscalls.h"
#include "runtime/gmon/slots.h"

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

void gh_put_histogram(struct gh_output* out, const struct gprofhub_module* module) {
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

#include "runtime/counters/sites.h"

#include "runtime/base/text.h"

/* Where the direct call or jump at `at` leads; 0: to another module. `*from` is
 * what stands for the place: a call's return address, as mcount has it, but an
 * address within a jump, behind which another function may begin. */
static uint64_t target_of(const unsigned char* at, uint64_t* from) {
  int32_t far;
  /* bnd, and what the linker pads a call through the GOT with that it made direct. */
  while (*at == 0xf2 || *at == 0x67) ++at;
  *from = (uint64_t)at + 1;
  if (*at == 0xeb) return (uint64_t)at + 2 + (uint64_t)(int64_t)(signed char)at[1];
  if (*at != 0xe8 && *at != 0xe9) return 0; /* through the GOT */
  gh_copy(&far, at + 1, sizeof far);
  if (*at == 0xe8) *from = (uint64_t)at + 5;
  return (uint64_t)at + 5 + (uint64_t)(int64_t)far;
}

int gh_describe_site(const struct gh_counter_set* set, const struct gh_image_site* site,
                     struct gprofhub_site* out) {
  const uint64_t base = (uint64_t)set->counters;
  const uint64_t counter = (uint64_t)&site->counter + (uint64_t)(int64_t)site->counter;
  uint64_t from = (uint64_t)&site->site + (uint64_t)(int64_t)site->site;
  uint64_t self = 0;
  switch (site->kind) {
    case 0: /* the one that comes with gprofhub_begin */
      return 0;
    case GPROFHUB_SITE_CALL:
      self = target_of((const unsigned char*)from, &from);
      if (self == 0) return 0;
      break;
    case GPROFHUB_SITE_INDIRECT:
      self = base;
      break;
    default:
      self = from;
      from = base;
  }
  out->kind = site->kind;
  out->counter = site->kind == GPROFHUB_SITE_FUNCTION || site->kind == GPROFHUB_SITE_BLOCK_ALSO
                     ? 0
                     : (uint32_t)((counter - base) / sizeof(uint64_t));
  out->self = (int32_t)(self - base);
  out->from = (int32_t)(from - base);
  return 1;
}

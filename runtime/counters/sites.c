#include "runtime/counters/sites.h"

#include "runtime/processor/counter_base.h"

int gh_describe_site(const struct gh_counter_set* set, const struct gh_image_site* site,
                     struct gprofhub_site* out) {
  const uint64_t base = (uint64_t)set->counters;
  const uint64_t counter = (uint64_t)&site->counter + (uint64_t)(int64_t)site->counter;
  uint64_t from = (uint64_t)&site->site + (uint64_t)(int64_t)site->site;
  uint64_t self = 0;
  switch (site->kind) {
    case 0: /* the one that gprofhub_begin defines */
      return 0;
    case GPROFHUB_SITE_CALL:
    case GPROFHUB_SITE_TAIL:
      self = gh_call_target((const unsigned char*)from, &from);
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

// The calls of a target from one call site to one function.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace gprofhub::analyzer {

struct SiteArc {
  uint32_t caller = 0;       // function of a FunctionSpace; its size: spontaneous
  uint64_t site_offset = 0;  // bytes from the caller's entry to the return address; 0: not known
  uint32_t callee = 0;
  uint64_t count = 0;
  double self = 0;  // measured samples
  double child = 0;
};

inline std::tuple<uint32_t, uint64_t, uint32_t> Key(const SiteArc& arc) {
  return {arc.caller, arc.site_offset, arc.callee};
}

// Sorts by Key, and sums arcs with equal Keys. All callers' numbers are below `callers`.
void MergeSiteArcs(uint32_t callers, std::vector<SiteArc>& arcs);

}  // namespace gprofhub::analyzer

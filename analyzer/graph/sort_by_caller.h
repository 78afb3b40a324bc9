// Sorting arcs by caller, then in any other order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/graph/group_by.h"

namespace gprofhub::analyzer {

// Stable sort of arcs by caller (each less than `callers`), then by `is_before`. Arcs are grouped
// by caller first, so that the sort of each caller's arcs stays within the caches.
template <typename Arc, typename IsBefore>
void SortByCaller(size_t callers, const IsBefore& is_before, std::vector<Arc>& arcs) {
  const Groups by_caller = GroupBy(arcs, callers, [](const Arc& arc) { return arc.caller; });
  std::vector<Arc> sorted;
  sorted.reserve(arcs.size());
  for (size_t caller = 0; caller < callers; ++caller) {
    const absl::Span<const uint32_t> latest_first = by_caller[caller];
    const auto begin = static_cast<ptrdiff_t>(sorted.size());
    for (auto arc = latest_first.rbegin(); arc != latest_first.rend(); ++arc) {
      sorted.push_back(arcs[*arc]);
    }
    if (std::is_sorted(sorted.begin() + begin, sorted.end(), is_before)) continue;
    std::stable_sort(sorted.begin() + begin, sorted.end(), is_before);
  }
  arcs = std::move(sorted);
}

}  // namespace gprofhub::analyzer

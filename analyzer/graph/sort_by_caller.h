// Sorting arcs by caller, then in any other order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gprofhub::analyzer {

// Of arcs of callers below `callers`, those of one caller are sorted by `is_before`; of
// equals the first stays in front. A counting sort by caller goes first: then the rest is
// sorted within the caches.
template <typename Arc, typename IsBefore>
void SortByCaller(size_t callers, const IsBefore& is_before, std::vector<Arc>& arcs) {
  std::vector<size_t> begins(callers + 1, 0);
  for (const Arc& arc : arcs) ++begins[arc.caller + 1];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<Arc> sorted(arcs.size());
  std::vector<size_t> next(begins.begin(), begins.end() - 1);
  for (const Arc& arc : arcs) sorted[next[arc.caller]++] = arc;
  const auto at = [&](size_t index) { return sorted.begin() + static_cast<ptrdiff_t>(index); };
  for (size_t i = 0; i < callers; ++i) {
    if (std::is_sorted(at(begins[i]), at(begins[i + 1]), is_before)) continue;
    std::stable_sort(at(begins[i]), at(begins[i + 1]), is_before);
  }
  arcs = std::move(sorted);
}

}  // namespace gprofhub::analyzer

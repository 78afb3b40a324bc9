#include "analyzer/site_arc.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gprofhub {
namespace {

// A counting sort by caller first: then the rest is sorted within the caches.
void Sort(uint32_t callers, std::vector<SiteArc>& arcs) {
  std::vector<uint32_t> begins(size_t{callers} + 1, 0);
  for (const SiteArc& arc : arcs) ++begins[arc.caller + 1];
  for (size_t i = 0; i < callers; ++i) begins[i + 1] += begins[i];
  std::vector<SiteArc> sorted(arcs.size());
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  for (const SiteArc& arc : arcs) sorted[next[arc.caller]++] = arc;
  for (size_t i = 0; i < callers; ++i) {
    std::sort(sorted.begin() + begins[i], sorted.begin() + begins[i + 1],
              [](const SiteArc& a, const SiteArc& b) {
                return a.site_offset != b.site_offset ? a.site_offset < b.site_offset
                                                      : a.callee < b.callee;
              });
  }
  arcs = std::move(sorted);
}

}  // namespace

void MergeSiteArcs(uint32_t callers, std::vector<SiteArc>& arcs) {
  const auto is_before = [](const SiteArc& a, const SiteArc& b) { return Key(a) < Key(b); };
  if (!std::is_sorted(arcs.begin(), arcs.end(), is_before)) Sort(callers, arcs);
  size_t kept = 0;
  for (size_t i = 0; i < arcs.size(); ++i) {
    if (kept > 0 && Key(arcs[kept - 1]) == Key(arcs[i])) {
      arcs[kept - 1].count += arcs[i].count;
      arcs[kept - 1].self += arcs[i].self;
      arcs[kept - 1].child += arcs[i].child;
    } else {
      arcs[kept++] = arcs[i];
    }
  }
  arcs.resize(kept);
}

}  // namespace gprofhub

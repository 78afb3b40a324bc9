#include "analyzer/target/site_arc.h"

#include <cstddef>

#include "analyzer/graph/sort_by_caller.h"

namespace gprofhub::analyzer {
void MergeSiteArcs(uint32_t callers, std::vector<SiteArc>& arcs) {
  const auto is_before = [](const SiteArc& a, const SiteArc& b) {
    return a.site_offset != b.site_offset ? a.site_offset < b.site_offset : a.callee < b.callee;
  };
  SortByCaller(callers, is_before, arcs);
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

}  // namespace gprofhub::analyzer

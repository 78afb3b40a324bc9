// Selects the rows and calls of the listings by symspecs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec.h"
#include "analyzer/listing/symspec_rows.h"

namespace gprofhub::analyzer {

// Fills `chosen` of `input`, whose rows must be filled. The profiler's own functions are in neither
// table.
void ChooseRows(const SymspecLists& lists, ListingInput& input);

// The role of a row's time, by the rows chosen for times.
TimeRole RoleOf(const ChosenRows& rows, uint32_t row);

// Fills `in_graph` of `input`, whose graph is finished. Functions have an entry if a caller
// has one, unless they are chosen or excluded themselves. Functions without callers have
// one if they are chosen.
void ChooseEntries(ListingInput& input);

// The calls that symspecs leave in the graph.
class ArcFilter {
 public:
  ArcFilter(const ListingRows& rows, const SymspecLists& lists)
      : included_(rows, lists.included_arcs),
        excluded_(rows, lists.excluded_arcs),
        accepts_all_(!included_.has_callers && excluded_.pairs.empty()) {}

  bool Accepts(uint32_t caller, uint32_t callee) const {
    if (accepts_all_) return true;
    return included_.has_callers ? included_.Has(caller, callee) : !excluded_.Has(caller, callee);
  }

 private:
  struct Pair {
    std::vector<bool> from;
    std::vector<bool> to;
  };

  struct Pairs {
    Pairs(const ListingRows& rows, const std::vector<std::pair<Symspec, Symspec>>& specs);
    bool Has(uint32_t caller, uint32_t callee) const;

    std::vector<Pair> pairs;
    bool has_callers = false;
  };

  const Pairs included_;
  const Pairs excluded_;
  const bool accepts_all_;
};

}  // namespace gprofhub::analyzer

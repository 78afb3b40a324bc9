// gprof's ordering: functions that call each other often are made neighbours.
// The rule is unpublished; it was found by experiments with GNU gprof 2.40 on random call graphs,
// and agrees on all of them where fewer than 80 functions are called.
//
// Take the arcs from the most to the least called. The effect of an arc depends on how many of its
// two functions are already placed:
//   none  It starts a chain of the two, the caller first.
//   one   The other function is added at the nearer end of that function's chain. If both ends are
//         equally near, a caller is added in front and a callee at the end.
//   both  Nothing: chains are never joined.
//
// There are two passes. The first pass takes the leading arcs that make up at most 99% of all
// calls. The second pass takes the others, and only places functions that have no place yet, so
// that rare arcs do not separate frequent ones. Functions without callers are not placed, but their
// arcs count towards the 99%. Recursion is ignored and does not count.
//
// The result is the chains in the order in which they were started. Then come the
// called functions without a chain, and then the functions without callers, both in the order of
// the rows.
//
// If 80 functions or more are called, GNU gprof has one more step at each 80th function: it sets
// aside those with the most callers, and then loses some of them, prints functions twice, or
// reorders them. That step is omitted here.
#include "analyzer/ordering/gprof_order.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"

namespace gprofhub::analyzer {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class Chains {
 public:
  // Functions that do not take part are marked as placed from the start.
  explicit Chains(const std::vector<bool>& takes_part)
      : places_(takes_part.size()), free_(takes_part) {}

  void Add(absl::Span<const WeightedArc> arcs) {
    const size_t first_chain = ends_.size();
    for (const WeightedArc& arc : arcs) {
      if (!TakesPart(arc.caller, first_chain) || !TakesPart(arc.callee, first_chain)) continue;
      const bool caller_placed = places_[arc.caller].chain != kNone;
      const bool callee_placed = places_[arc.callee].chain != kNone;
      if (!caller_placed && !callee_placed) {
        places_[arc.caller] = {static_cast<uint32_t>(ends_.size()), 0};
        places_[arc.callee] = {static_cast<uint32_t>(ends_.size()), 1};
        ends_.push_back({0, 1});
      } else if (!caller_placed) {
        Attach(arc.caller, places_[arc.callee], true);
      } else if (!callee_placed) {
        Attach(arc.callee, places_[arc.caller], false);
      }
    }
  }

  // The chains, the other functions that took part, and those that did not.
  std::vector<uint32_t> Layout() const {
    std::vector<size_t> starts(ends_.size() + 1, 0);
    for (size_t i = 0; i < ends_.size(); ++i) {
      starts[i + 1] = starts[i] + static_cast<size_t>(ends_[i].second - ends_[i].first) + 1;
    }
    std::vector<uint32_t> order(starts.back());
    std::vector<uint32_t> not_taking_part;
    for (uint32_t row = 0; row < places_.size(); ++row) {
      const Place& place = places_[row];
      if (place.chain != kNone) {
        order[starts[place.chain] + static_cast<size_t>(place.at - ends_[place.chain].first)] = row;
      } else if (free_[row]) {
        order.push_back(row);
      } else {
        not_taking_part.push_back(row);
      }
    }
    order.insert(order.end(), not_taking_part.begin(), not_taking_part.end());
    return order;
  }

 private:
  struct Place {
    uint32_t chain = kNone;
    int64_t at = 0;  // within the chain; chains grow at both ends
  };

  bool TakesPart(uint32_t row, size_t first_chain) const {
    return free_[row] && (places_[row].chain == kNone || places_[row].chain >= first_chain);
  }

  void Attach(uint32_t row, const Place& neighbour, bool front_if_even) {
    auto& [front, back] = ends_[neighbour.chain];
    const int64_t to_front = neighbour.at - front;
    const int64_t to_back = back - neighbour.at;
    const bool at_front = to_front != to_back ? to_front < to_back : front_if_even;
    places_[row] = {neighbour.chain, at_front ? --front : ++back};
  }

  std::vector<Place> places_;                      // by row
  std::vector<bool> free_;                         // by row: takes part
  std::vector<std::pair<int64_t, int64_t>> ends_;  // by chain: first and last place
};

// The number of leading arcs that make up at most 99% of the calls.
size_t CountFrequent(const std::vector<WeightedArc>& arcs) {
  double total = 0;
  for (const WeightedArc& arc : arcs) total += static_cast<double>(arc.count);
  double sum = 0;
  for (size_t i = 0; i < arcs.size(); ++i) {
    sum += static_cast<double>(arcs[i].count);
    if (sum * 100 > total * 99) return i;
  }
  return arcs.size();
}

}  // namespace

std::vector<uint32_t> OrderGprof(const std::vector<bool>& called, std::vector<WeightedArc> arcs) {
  arcs.erase(std::remove_if(arcs.begin(), arcs.end(),
                            [](const WeightedArc& arc) { return arc.caller == arc.callee; }),
             arcs.end());
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const WeightedArc& a, const WeightedArc& b) { return a.count > b.count; });
  const size_t frequent = CountFrequent(arcs);
  Chains chains(called);
  chains.Add(absl::MakeConstSpan(arcs).first(frequent));
  chains.Add(absl::MakeConstSpan(arcs).subspan(frequent));
  return chains.Layout();
}

}  // namespace gprofhub::analyzer

#include "reporter/matching/match_arcs.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/memory/grouped.h"
#include "profile/computed.h"
#include "reporter/matching/pair_call_sites.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// An arc of one run, in terms of the matched target.
struct ArcKey {
  uint32_t callee, caller;
  uint32_t run;
  const profile::ArcCost* arc;
};

bool ComesFirst(const ArcKey& a, const ArcKey& b) {
  return std::make_tuple(a.caller, a.run, a.arc->site_offset) <
         std::make_tuple(b.caller, b.run, b.arc->site_offset);
}

// Sorted by callee, caller, run and place.
base::Grouped<ArcKey> SortedArcs(const SideRuns& side, size_t functions) {
  base::Grouped<ArcKey> keys(functions, [&](const auto& add) {
    for (uint32_t run = 0; run < side.profiles.size(); ++run) {
      const RowMap& rows = side.rows[run];
      const std::vector<ArcKind>& kinds = side.kinds[run];
      for (size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] != ArcKind::kCall) continue;
        const profile::ArcCost& arc = side.profiles[run].arcs[i];
        const uint32_t caller = arc.caller < rows.size() ? rows[arc.caller] : kSpontaneous;
        add(rows[arc.callee], ArcKey{rows[arc.callee], caller, run, &arc});
      }
    }
  });
  for (size_t callee = 0; callee < functions; ++callee) {
    const absl::Span<ArcKey> to = keys[callee];
    // With one run they usually are sorted: its arcs are in this order.
    if (!std::is_sorted(to.begin(), to.end(), ComesFirst)) {
      std::stable_sort(to.begin(), to.end(), ComesFirst);
    }
  }
  return keys;
}

// The count of one arc, from its keys of all runs.
Count CountOf(const SideRuns& side, const ArcKey* begin, const ArcKey* end) {
  Count count;
  count.present = begin != end;
  uint64_t repetitions = 0;
  for (uint32_t run = 0; run < side.profiles.size(); ++run) {
    uint64_t sum = 0;
    for (; begin != end && begin->run == run; ++begin) sum += begin->arc->count;
    AddRun(sum, RepetitionsOf(side.profiles[run]), repetitions, count);
    repetitions += RepetitionsOf(side.profiles[run]);
  }
  return count;
}

// Sites in the caller's order. Sites of one source line are summed, over all runs.
std::vector<CallSite> CallSitesOf(const SideRuns& side, const ArcKey* begin, const ArcKey* end) {
  std::vector<CallSite> places;
  for (const ArcKey* key = begin; key != end; ++key) {
    const absl::string_view file = side.profiles[key->run].strings[key->arc->site_file];
    const uint32_t line = key->arc->site_line;
    const auto same = std::find_if(places.begin(), places.end(), [&](const CallSite& place) {
      return place.line == line && place.file == file &&
             (line != 0 || place.offset == key->arc->site_offset);
    });
    if (same != places.end()) {
      same->count += key->arc->count;
      same->offset = std::min(same->offset, key->arc->site_offset);
    } else {
      places.push_back({file, line, key->arc->site_offset, key->arc->count});
    }
  }
  // The first run may lack some of them.
  std::stable_sort(places.begin(), places.end(),
                   [](const CallSite& a, const CallSite& b) { return a.offset < b.offset; });
  return places;
}

// By how many lines the function's beginning moved down; 0 if unknown.
int64_t ShiftOf(const MatchedTarget& target, uint32_t function) {
  if (function == kSpontaneous) return 0;
  const FunctionPair& pair = target.functions[function];
  if (pair.before.line == 0 || pair.after.line == 0) return 0;
  return static_cast<int64_t>(pair.after.line) - static_cast<int64_t>(pair.before.line);
}

}  // namespace

std::vector<ArcPair> MatchArcs(const SideRuns (&sides)[2], const MatchedTarget& matched) {
  std::vector<ArcPair> pairs;
  const base::Grouped<ArcKey> keys[2] = {SortedArcs(sides[0], matched.functions.size()),
                                         SortedArcs(sides[1], matched.functions.size())};
  const absl::Span<const ArcKey> arcs[2] = {keys[0].all(), keys[1].all()};
  pairs.reserve(std::max(arcs[0].size(), arcs[1].size()));
  const ArcKey* at[2] = {arcs[0].data(), arcs[1].data()};
  const ArcKey* const end[2] = {at[0] + arcs[0].size(), at[1] + arcs[1].size()};
  const auto key = [](const ArcKey& arc) { return std::make_pair(arc.callee, arc.caller); };
  while (at[0] != end[0] || at[1] != end[1]) {
    std::pair<uint32_t, uint32_t> next = {0xFFFFFFFF, 0xFFFFFFFF};
    for (int side = 0; side < 2; ++side) {
      if (at[side] != end[side]) next = std::min(next, key(*at[side]));
    }
    ArcPair pair;
    pair.callee = next.first;
    pair.caller = next.second;
    const ArcKey* const first[2] = {at[0], at[1]};
    for (int side = 0; side < 2; ++side) {
      while (at[side] != end[side] && key(*at[side]) == next) ++at[side];
    }
    pair.before = CountOf(sides[0], first[0], at[0]);
    pair.after = CountOf(sides[1], first[1], at[1]);
    if (!SameRatio(pair.before.sum, matched.repetitions_before, pair.after.sum,
                   matched.repetitions_after)) {
      pair.sites = PairCallSites(CallSitesOf(sides[0], first[0], at[0]), matched.repetitions_before,
                                 CallSitesOf(sides[1], first[1], at[1]), matched.repetitions_after,
                                 ShiftOf(matched, pair.caller));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace gprofhub::reporter

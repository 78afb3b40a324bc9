#include "reporter/match.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace gprofhub {
namespace {

// Row of a profile → index into MatchedTarget::functions.
using RowMap = std::vector<uint32_t>;

std::string KeyOf(const ComputedProfile& profile, const FunctionCost& function) {
  const std::string& name = profile.strings[function.name];
  if (!function.is_static) return name;
  // No file is named with a NUL, so that keys cannot meet.
  return absl::StrCat(name, absl::string_view("\0", 1), profile.strings[function.file]);
}

FunctionSide& SideOf(FunctionPair& pair, bool after) { return after ? pair.after : pair.before; }

void AddCosts(const ComputedProfile& profile, const FunctionCost& function, FunctionSide& side) {
  if (!side.present) {
    side.present = true;
    side.file = profile.strings[function.file];
    side.line = function.line;
  }
  side.calls += function.calls + function.self_calls;
  side.self_samples += function.self_samples;
  side.child_samples += function.child_samples;
}

// Pairs functions that only one side has by name, where that is unambiguous.
// Returns for each function the one it became part of.
std::vector<uint32_t> PairLeftOver(std::vector<FunctionPair>& functions) {
  struct Candidates {
    std::vector<uint32_t> before, after;
  };
  absl::flat_hash_map<std::string, Candidates> by_name;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].before.present == functions[i].after.present) continue;
    Candidates& candidates = by_name[functions[i].name];
    (functions[i].before.present ? candidates.before : candidates.after).push_back(i);
  }
  std::vector<uint32_t> became(functions.size());
  for (uint32_t i = 0; i < functions.size(); ++i) became[i] = i;
  for (const auto& [name, candidates] : by_name) {
    if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    functions[candidates.before[0]].after = functions[candidates.after[0]].after;
    functions[candidates.after[0]].after = FunctionSide();
    became[candidates.after[0]] = candidates.before[0];
  }
  return became;
}

// The arcs of one side as (callee, caller, row), sorted.
struct ArcKey {
  uint32_t callee, caller;
  const ArcCost* arc;
};

std::vector<ArcKey> SortedArcs(const ComputedProfile& profile, const RowMap& rows) {
  std::vector<ArcKey> keys;
  keys.reserve(profile.arcs.size());
  for (const ArcCost& arc : profile.arcs) {
    const uint32_t caller = arc.caller < rows.size() ? rows[arc.caller] : kSpontaneous;
    keys.push_back({rows[arc.callee], caller, &arc});
  }
  std::stable_sort(keys.begin(), keys.end(), [](const ArcKey& a, const ArcKey& b) {
    return std::make_tuple(a.callee, a.caller, a.arc->site_offset) <
           std::make_tuple(b.callee, b.caller, b.arc->site_offset);
  });
  return keys;
}

// Sites in the caller's order, those of one source line summed.
struct Place {
  absl::string_view file;
  uint32_t line;
  uint64_t count;
};

std::vector<Place> PlacesOf(const ComputedProfile& profile, const ArcKey* begin,
                            const ArcKey* end) {
  std::vector<Place> places;
  for (const ArcKey* key = begin; key != end; ++key) {
    const absl::string_view file = profile.strings[key->arc->site_file];
    const uint32_t line = key->arc->site_line;
    const auto same = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return line != 0 && place.line == line && place.file == file;
    });
    if (same != places.end()) {
      same->count += key->arc->count;
    } else {
      places.push_back({file, line, key->arc->count});
    }
  }
  return places;
}

std::vector<SitePair> PairSites(const std::vector<Place>& before, const std::vector<Place>& after) {
  std::vector<SitePair> sites;
  if (before.size() == after.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      sites.push_back({std::string(after[i].file), before[i].line, after[i].line, before[i].count,
                       after[i].count});
    }
    return sites;
  }
  for (const Place& place : before) {
    sites.push_back({std::string(place.file), place.line, 0, place.count, 0});
  }
  for (const Place& place : after) {
    const auto same = std::find_if(sites.begin(), sites.end(), [&](const SitePair& site) {
      return site.line_before == place.line && site.line_after == 0 && site.file == place.file;
    });
    if (same != sites.end()) {
      same->line_after = place.line;
      same->after = place.count;
    } else {
      sites.push_back({std::string(place.file), 0, place.line, 0, place.count});
    }
  }
  return sites;
}

}  // namespace

bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * y == static_cast<Wide>(b) * x;
}

MatchedTarget Match(const ComputedProfile& before, const ComputedProfile& after) {
  MatchedTarget matched;
  matched.repetitions_before = std::max<uint64_t>(1, before.repetitions);
  matched.repetitions_after = std::max<uint64_t>(1, after.repetitions);

  absl::flat_hash_map<std::string, uint32_t> index;
  const ComputedProfile* profiles[2] = {&before, &after};
  RowMap rows[2];
  for (int side = 0; side < 2; ++side) {
    const ComputedProfile& profile = *profiles[side];
    for (const FunctionCost& function : profile.functions) {
      const auto [entry, inserted] =
          index.try_emplace(KeyOf(profile, function), matched.functions.size());
      if (inserted) {
        matched.functions.emplace_back();
        matched.functions.back().name = profile.strings[function.name];
      }
      AddCosts(profile, function, SideOf(matched.functions[entry->second], side == 1));
      rows[side].push_back(entry->second);
    }
  }
  const std::vector<uint32_t> became = PairLeftOver(matched.functions);
  for (uint32_t& row : rows[1]) row = became[row];

  const std::vector<ArcKey> arcs[2] = {SortedArcs(before, rows[0]), SortedArcs(after, rows[1])};
  const ArcKey* at[2] = {arcs[0].data(), arcs[1].data()};
  const ArcKey* const end[2] = {at[0] + arcs[0].size(), at[1] + arcs[1].size()};
  while (at[0] != end[0] || at[1] != end[1]) {
    const auto key = [](const ArcKey& arc) { return std::make_pair(arc.callee, arc.caller); };
    std::pair<uint32_t, uint32_t> next = {0xFFFFFFFF, 0xFFFFFFFF};
    for (int side = 0; side < 2; ++side) {
      if (at[side] != end[side]) next = std::min(next, key(*at[side]));
    }
    ArcPair pair;
    pair.callee = next.first;
    pair.caller = next.second;
    const ArcKey* first[2] = {at[0], at[1]};
    uint64_t count[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
      for (; at[side] != end[side] && key(*at[side]) == next; ++at[side]) {
        count[side] += at[side]->arc->count;
      }
    }
    pair.before_present = at[0] != first[0];
    pair.after_present = at[1] != first[1];
    pair.before = count[0];
    pair.after = count[1];
    if (!SameRatio(pair.before, matched.repetitions_before, pair.after,
                   matched.repetitions_after)) {
      pair.sites = PairSites(PlacesOf(before, first[0], at[0]), PlacesOf(after, first[1], at[1]));
    }
    matched.arcs.push_back(std::move(pair));
  }
  return matched;
}

}  // namespace gprofhub

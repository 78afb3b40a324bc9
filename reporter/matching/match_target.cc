#include "reporter/matching/match_target.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "profile/names/clone_names.h"
#include "profile/names/demangle.h"
#include "reporter/matching/function_identity.h"
#include "reporter/matching/pair_call_sites.h"
#include "reporter/matching/renames.h"

namespace gprofhub::reporter {
namespace {

// Row of a profile → index into MatchedTarget::functions.
using RowMap = std::vector<uint32_t>;

// No file is named with a NUL, so that keys cannot meet.
std::string StaticKey(absl::string_view name, absl::string_view file) {
  return absl::StrCat(name, absl::string_view("\0", 1), file);
}

FunctionSide& SideOf(FunctionPair& pair, bool after) { return after ? pair.after : pair.before; }

// One side while its runs are added.
struct SideRuns {
  absl::Span<const profile::ComputedProfile> profiles;
  std::vector<RowMap> rows;  // by run
};

class FunctionIndex {
 public:
  FunctionIndex(size_t runs, std::vector<FunctionPair>& functions)
      : runs_(runs), functions_(functions) {}

  // The functions of one profile; clones go to the function they are made from.
  RowMap Add(const profile::ComputedProfile& profile) {
    RowMap rows(profile.functions.size(), kSpontaneous);
    for (const bool clones : {false, true}) {
      for (size_t row = 0; row < rows.size(); ++row) {
        const profile::FunctionCost& function = profile.functions[row];
        const absl::string_view name = profile.strings[function.name];
        const absl::string_view base =
            profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
        if ((base.size() != name.size()) != clones) continue;
        rows[row] = IndexOf(base, profile.strings[function.file], function.is_static, clones);
        functions_[rows[row]].is_module |= function.is_module;
      }
    }
    return rows;
  }

 private:
  uint32_t IndexOf(absl::string_view name, absl::string_view file, bool is_static, bool is_clone) {
    if (!is_static) return Insert(std::string(name), name);
    std::string key = StaticKey(name, file);
    // A clone is local even where its function is not.
    if (is_clone && !index_.contains(key)) {
      const auto global = index_.find(name);
      if (global != index_.end()) return global->second;
    }
    return Insert(std::move(key), name);
  }

  uint32_t Insert(std::string key, absl::string_view name) {
    const auto [entry, inserted] =
        index_.try_emplace(std::move(key), static_cast<uint32_t>(functions_.size()));
    if (inserted) {
      FunctionPair& pair = functions_.emplace_back();
      pair.name = std::string(name);
      pair.self_by_run.assign(runs_, 0);
      pair.child_by_run.assign(runs_, 0);
    }
    return entry->second;
  }

  const size_t runs_;
  std::vector<FunctionPair>& functions_;
  absl::flat_hash_map<std::string, uint32_t> index_;
};

// A clone that its own function calls: no call of the program's.
bool IsWithinFamily(const profile::ComputedProfile& profile, const RowMap& rows,
                    const profile::ArcCost& arc) {
  if (arc.caller >= rows.size() || arc.caller == arc.callee) return false;
  if (rows[arc.caller] != rows[arc.callee]) return false;
  const absl::string_view name = profile.strings[profile.functions[arc.callee].name];
  return profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll).size() != name.size();
}

// Adds what one run counted to a sum over runs. `sum` is the run's, over
// `repetitions` executions; `all_before` counts those of the side's runs before.
void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count) {
  const double each = static_cast<double>(sum) / static_cast<double>(repetitions);
  if (sum % repetitions != 0) count.repeats = false;
  if (all_before > 0 && !SameRatio(sum, repetitions, count.sum, all_before)) count.repeats = false;
  count.sum += sum;
  count.sum_of_squares += each * each;
}

uint64_t RepetitionsOf(const profile::ComputedProfile& profile) {
  return std::max<uint64_t>(1, profile.repetitions);
}

uint64_t AllRepetitions(absl::Span<const profile::ComputedProfile> profiles) {
  uint64_t repetitions = 0;
  for (const profile::ComputedProfile& profile : profiles) repetitions += RepetitionsOf(profile);
  return repetitions;
}

// The functions' calls and times of one side, run by run.
void AddCosts(const SideRuns& side, bool is_after, size_t first_run,
              std::vector<FunctionPair>& functions) {
  uint64_t repetitions = 0;  // of the runs before
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    const RowMap& rows = side.rows[run];
    std::vector<uint64_t> calls(functions.size(), 0);
    std::vector<uint64_t> sizes(functions.size(), 0);
    for (size_t row = 0; row < rows.size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      FunctionPair& pair = functions[rows[row]];
      FunctionSide& target = SideOf(pair, is_after);
      if (!target.present()) {
        target.calls.present = true;
        target.file = profile.strings[cost.file];
        target.line = cost.line;
      }
      calls[rows[row]] += cost.calls + cost.self_calls;
      sizes[rows[row]] += cost.size;
      target.self_samples += cost.self_samples;
      target.child_samples += cost.child_samples;
      pair.self_by_run[first_run + run] += cost.self_samples;
      pair.child_by_run[first_run + run] += cost.child_samples;
    }
    for (const profile::ArcCost& arc : profile.arcs) {
      if (!IsWithinFamily(profile, rows, arc)) continue;
      FunctionPair& pair = functions[rows[arc.callee]];
      calls[rows[arc.callee]] -= std::min(calls[rows[arc.callee]], arc.count);
      const double twice = arc.self_samples + arc.child_samples;
      SideOf(pair, is_after).child_samples -= twice;
      pair.child_by_run[first_run + run] -= twice;
    }
    for (size_t i = 0; i < functions.size(); ++i) {
      FunctionSide& target = SideOf(functions[i], is_after);
      AddRun(calls[i], RepetitionsOf(profile), repetitions, target.calls);
      target.size = std::max(target.size, sizes[i]);
    }
    repetitions += RepetitionsOf(profile);
  }
}

// Notes what the runs of older commits say of functions that are the base's.
void AddWindow(const SideRuns& window, uint64_t repetitions_before, size_t first_run,
               std::vector<FunctionPair>& functions) {
  for (size_t run = 0; run < window.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = window.profiles[run];
    std::vector<FunctionPair> there(functions.size());
    for (FunctionPair& pair : there) {
      pair.self_by_run.assign(1, 0);
      pair.child_by_run.assign(1, 0);
    }
    AddCosts({window.profiles.subspan(run, 1), {window.rows[run]}}, false, 0, there);
    for (size_t i = 0; i < functions.size(); ++i) {
      FunctionPair& pair = functions[i];
      const FunctionSide& was = there[i].before;
      const bool same = pair.before.present() && was.present() && was.size == pair.before.size &&
                        SameRatio(was.calls.sum, RepetitionsOf(profile), pair.before.calls.sum,
                                  repetitions_before);
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      pair.self_by_run[first_run + run] = same ? there[i].self_by_run[0] : nothing;
      pair.child_by_run[first_run + run] = same ? there[i].child_by_run[0] : nothing;
    }
  }
}

// Makes one function of two that each have one side.
void Unite(std::vector<FunctionPair>& functions, uint32_t was, uint32_t is, size_t first_after,
           std::vector<uint32_t>& became) {
  FunctionPair& base = functions[was];
  FunctionPair& head = functions[is];
  if (base.name != head.name) base.renamed_from = base.name;
  base.name = head.name;
  base.after = std::move(head.after);
  for (size_t run = first_after; run < base.self_by_run.size(); ++run) {
    base.self_by_run[run] = head.self_by_run[run];
    base.child_by_run[run] = head.child_by_run[run];
  }
  head = FunctionPair();
  became[is] = was;
}

// Pairs functions that only one side has by what `key` says of them, where that
// is unambiguous; an empty key says nothing.
template <typename KeyOf>
void PairBy(const KeyOf& key_of, size_t first_after, std::vector<FunctionPair>& functions,
            std::vector<uint32_t>& became) {
  struct Candidates {
    std::vector<uint32_t> before, after;
  };
  absl::flat_hash_map<std::string, Candidates> by_key;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].before.present() == functions[i].after.present()) continue;
    std::string key = key_of(functions[i]);
    if (key.empty()) continue;
    Candidates& candidates = by_key[std::move(key)];
    (functions[i].before.present() ? candidates.before : candidates.after).push_back(i);
  }
  for (const auto& [key, candidates] : by_key) {
    if (candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    Unite(functions, candidates.before[0], candidates.after[0], first_after, became);
  }
}

std::vector<LoneArc> LoneArcs(const SideRuns& side, const std::vector<FunctionPair>& functions,
                              const std::vector<uint32_t>& became) {
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, double> calls;
  double repetitions = 0;
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const RowMap& rows = side.rows[run];
    repetitions += static_cast<double>(RepetitionsOf(side.profiles[run]));
    const auto is_lone = [&](uint32_t row) {
      const FunctionPair& pair = functions[became[rows[row]]];
      return pair.before.present() != pair.after.present();
    };
    for (const profile::ArcCost& arc : side.profiles[run].arcs) {
      const bool known = arc.caller < rows.size();
      if (!is_lone(arc.callee) && !(known && is_lone(arc.caller))) continue;
      if (IsWithinFamily(side.profiles[run], rows, arc)) continue;
      const uint32_t caller = known ? became[rows[arc.caller]] : kSpontaneous;
      calls[{caller, became[rows[arc.callee]]}] += static_cast<double>(arc.count);
    }
  }
  std::vector<LoneArc> arcs;
  for (const auto& [ends, count] : calls) {
    arcs.push_back({ends.first, ends.second, count / repetitions});
  }
  return arcs;
}

void PairByWhatTheyDo(const SideRuns& before, const SideRuns& after, const MatchedTarget& matched,
                      std::vector<FunctionPair>& functions, std::vector<uint32_t>& became) {
  std::vector<LoneFunction> lone[2];
  absl::flat_hash_map<std::string, uint32_t> files;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    const FunctionPair& pair = functions[i];
    if (pair.before.present() == pair.after.present() || pair.is_module) continue;
    const bool is_after = pair.after.present();
    const FunctionSide& side = is_after ? pair.after : pair.before;
    const uint64_t repetitions = is_after ? matched.repetitions_after : matched.repetitions_before;
    LoneFunction function;
    function.function = i;
    function.calls = static_cast<double>(side.calls.sum) / static_cast<double>(repetitions);
    function.size = side.size;
    if (!side.file.empty()) {
      function.file =
          files.try_emplace(side.file, static_cast<uint32_t>(files.size() + 1)).first->second;
    }
    lone[is_after].push_back(function);
  }
  if (lone[0].empty() || lone[1].empty()) return;
  for (const auto& [was, is] : FindRenames(lone[0], LoneArcs(before, functions, became), lone[1],
                                           LoneArcs(after, functions, became))) {
    Unite(functions, was, is, matched.runs_before + matched.runs_window, became);
  }
}

// An arc of one run, by what it is in the matched target.
struct ArcKey {
  uint32_t callee, caller;
  uint32_t run;
  const profile::ArcCost* arc;
};

std::vector<ArcKey> SortedArcs(const SideRuns& side) {
  std::vector<ArcKey> keys;
  size_t count = 0;
  for (const profile::ComputedProfile& profile : side.profiles) count += profile.arcs.size();
  keys.reserve(count);
  for (uint32_t run = 0; run < side.profiles.size(); ++run) {
    const RowMap& rows = side.rows[run];
    for (const profile::ArcCost& arc : side.profiles[run].arcs) {
      if (IsWithinFamily(side.profiles[run], rows, arc)) continue;
      const uint32_t caller = arc.caller < rows.size() ? rows[arc.caller] : kSpontaneous;
      keys.push_back({rows[arc.callee], caller, run, &arc});
    }
  }
  std::stable_sort(keys.begin(), keys.end(), [](const ArcKey& a, const ArcKey& b) {
    return std::make_tuple(a.callee, a.caller, a.run, a.arc->site_offset) <
           std::make_tuple(b.callee, b.caller, b.run, b.arc->site_offset);
  });
  return keys;
}

// The counts of one arc, from its keys of all runs.
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

// Sites in the caller's order, those of one source line and those of all runs
// summed.
std::vector<SitePlace> PlacesOf(const SideRuns& side, const ArcKey* begin, const ArcKey* end) {
  std::vector<SitePlace> places;
  for (const ArcKey* key = begin; key != end; ++key) {
    const absl::string_view file = side.profiles[key->run].strings[key->arc->site_file];
    const uint32_t line = key->arc->site_line;
    const auto same = std::find_if(places.begin(), places.end(), [&](const SitePlace& place) {
      return place.line == line && place.file == file &&
             (line != 0 || place.offset == key->arc->site_offset);
    });
    if (same != places.end()) {
      same->count += key->arc->count;
    } else {
      places.push_back({file, line, key->arc->site_offset, key->arc->count});
    }
  }
  return places;
}

// By how many lines the function's beginning moved down; 0 where unknown.
int64_t ShiftOf(const MatchedTarget& target, uint32_t function) {
  if (function == kSpontaneous) return 0;
  const FunctionPair& pair = target.functions[function];
  if (pair.before.line == 0 || pair.after.line == 0) return 0;
  return static_cast<int64_t>(pair.after.line) - static_cast<int64_t>(pair.before.line);
}

// Pairs the functions that one side only has, and points the sides' rows at what they
// became.
void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched) {
  std::vector<FunctionPair>& functions = matched.functions;
  const size_t first_after = matched.runs_before + matched.runs_window;
  std::vector<uint32_t> became(functions.size());
  std::iota(became.begin(), became.end(), 0);
  PairBy([](const FunctionPair& pair) { return pair.name; }, first_after, functions, became);
  PairBy(
      [](const FunctionPair& pair) {
        const std::string demangled = profile::Demangle(pair.name);
        return demangled == pair.name ? std::string() : WithoutSignature(demangled);
      },
      first_after, functions, became);
  PairByWhatTheyDo(sides[0], sides[1], matched, functions, became);
  for (SideRuns& side : sides) {
    for (RowMap& rows : side.rows) {
      for (uint32_t& row : rows) row = became[row];
    }
  }
}

// The arcs of both sides, by callee, then by caller.
std::vector<ArcPair> PairArcs(const SideRuns (&sides)[2], const MatchedTarget& matched) {
  std::vector<ArcPair> pairs;
  const std::vector<ArcKey> arcs[2] = {SortedArcs(sides[0]), SortedArcs(sides[1])};
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
      pair.sites = PairSites(PlacesOf(sides[0], first[0], at[0]), matched.repetitions_before,
                             PlacesOf(sides[1], first[1], at[1]), matched.repetitions_after,
                             ShiftOf(matched, pair.caller));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * y == static_cast<Wide>(b) * x;
}

MatchedTarget Match(absl::Span<const profile::ComputedProfile> before,
                    absl::Span<const profile::ComputedProfile> after,
                    absl::Span<const profile::ComputedProfile> window) {
  MatchedTarget matched;
  matched.runs_before = before.size();
  matched.runs_window = window.size();
  matched.runs_after = after.size();
  const size_t first_after = before.size() + window.size();
  SideRuns sides[2] = {{before, {}}, {after, {}}};
  SideRuns older = {window, {}};
  FunctionIndex index(first_after + after.size(), matched.functions);
  for (SideRuns& side : sides) {
    for (const profile::ComputedProfile& profile : side.profiles)
      side.rows.push_back(index.Add(profile));
  }
  for (const profile::ComputedProfile& profile : window) older.rows.push_back(index.Add(profile));
  AddCosts(sides[0], false, 0, matched.functions);
  AddCosts(sides[1], true, first_after, matched.functions);
  matched.repetitions_before = AllRepetitions(before);
  matched.repetitions_after = AllRepetitions(after);
  AddWindow(older, matched.repetitions_before, before.size(), matched.functions);
  PairLoneFunctions(sides, matched);
  matched.arcs = PairArcs(sides, matched);
  return matched;
}

}  // namespace gprofhub::reporter

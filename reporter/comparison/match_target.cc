#include "reporter/comparison/match_target.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/grouped.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/renames.h"

namespace gprofhub::reporter {

namespace {

// An arc of one run, in terms of the matched target.
struct ArcKey {
  uint32_t callee, caller;
  uint32_t run;
  const profile::ArcCost* arc;
};

bool HasSmallerKey(const ArcKey& a, const ArcKey& b) {
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
    if (!std::is_sorted(to.begin(), to.end(), HasSmallerKey)) {
      std::stable_sort(to.begin(), to.end(), HasSmallerKey);
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

}  // namespace

int64_t ShiftOf(const MatchedTarget& target, uint32_t function) {
  if (function == kSpontaneous) return 0;
  const FunctionPair& pair = target.functions[function];
  if (pair.before.line == 0 || pair.after.line == 0) return 0;
  return static_cast<int64_t>(pair.after.line) - static_cast<int64_t>(pair.before.line);
}

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

namespace {

// Detects functions whose code changed.

// Sets FunctionPair::code and asks. A function changed if its code or that of a clone did. It is
// the same only if its own code is known in all runs. The code of a function of one side only is
// unknown: the other side's program may contain it without calling it. If a function was renamed,
// the names that code refers to may differ and mean the same: then a function is also the same if
// the shape of its code is, and it calls the same functions.
void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions);

// A function, and the suffix of one of its clones.
using Clone = std::pair<uint32_t, absl::string_view>;

// No digest: builds or images of one side differ in it, or it is unknown.
constexpr uint32_t kUnknown = 0;

// The digests of one side. Nearly all functions have no clone.
struct SideCode {
  explicit SideCode(size_t functions) : own(functions, kUnknown), asks(functions, 0) {}

  std::vector<uint32_t> own;  // by function
  std::vector<uint8_t> asks;  // by function: of it and its clones
  absl::flat_hash_map<Clone, uint32_t> clones;
};

SideCode CodeOf(const SideRuns& side, size_t functions) {
  SideCode codes(functions);
  std::vector<bool> seen(functions, false);
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    for (size_t row = 0; row < profile.functions.size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      const uint32_t function = side.rows[run][row];
      codes.asks[function] |= cost.asks;
      const absl::string_view name = profile.strings[cost.name];
      const absl::string_view own = profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
      if (own.size() == name.size()) {
        if (!seen[function]) codes.own[function] = cost.code;
        if (codes.own[function] != cost.code) codes.own[function] = kUnknown;
        seen[function] = true;
        continue;
      }
      const Clone clone = {function, name.substr(own.size())};
      const auto [known, is_new] = codes.clones.try_emplace(clone, cost.code);
      if (!is_new && known->second != cost.code) known->second = kUnknown;
    }
  }
  return codes;
}

// Pairs of caller and callee of one side.
absl::flat_hash_set<std::pair<uint32_t, uint32_t>> CallsOf(const SideRuns& side) {
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> calls;
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const RowMap& rows = side.rows[run];
    for (const profile::ArcCost& arc : side.profiles[run].arcs) {
      if (arc.caller < rows.size()) calls.emplace(rows[arc.caller], rows[arc.callee]);
    }
  }
  return calls;
}

// Whether each function's code may differ in names that mean the same.
std::vector<bool> MayReferByOtherNames(const SideRuns (&sides)[2],
                                       const std::vector<FunctionPair>& functions) {
  const bool any_renamed =
      std::any_of(functions.begin(), functions.end(),
                  [](const FunctionPair& pair) { return !pair.renamed_from.empty(); });
  std::vector<bool> may(functions.size(), any_renamed);
  if (!any_renamed) return may;
  const auto before = CallsOf(sides[0]), after = CallsOf(sides[1]);
  for (const auto& call : before) {
    if (!after.contains(call)) may[call.first] = false;
  }
  for (const auto& call : after) {
    if (!before.contains(call)) may[call.first] = false;
  }
  return may;
}

void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions) {
  const std::vector<bool> other_names = MayReferByOtherNames(sides, functions);
  const SideCode before = CodeOf(sides[0], functions.size());
  const SideCode after = CodeOf(sides[1], functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    functions[i].asks = before.asks[i] | after.asks[i];
    if (before.own[i] == kUnknown || after.own[i] == kUnknown) continue;
    const uint32_t shape = ShapeOf(before.own[i]);
    const bool is_same = before.own[i] == after.own[i] ||
                         (other_names[i] && shape != 0 && shape == ShapeOf(after.own[i]));
    functions[i].code = is_same ? CodeChange::kSame : CodeChange::kChanged;
  }
  // The function itself may be unchanged if its clones are.
  for (const auto& [clone, code] : after.clones) {
    const auto was = before.clones.find(clone);
    if (was == before.clones.end() || was->second == kUnknown || code == kUnknown) continue;
    if (was->second != code) functions[clone.first].code = CodeChange::kChanged;
  }
}

// Merges two functions. `was` has only the base's side, `is` only the head's.
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
    if (!head.instructions_by_run.empty()) {
      base.instructions_by_run[run] = head.instructions_by_run[run];
    }
  }
  const FunctionPair nobody;
  head = nobody;
  became[is] = was;
}

// Pairs functions of one side only if their key is unique among these. An empty key is not paired.
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

std::vector<LoneArc> LoneArcs(const SideRuns& side, bool is_after, const SideCode (&codes)[2],
                              const std::vector<FunctionPair>& functions,
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
    const std::vector<ArcKind>& kinds = side.kinds[run];
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != ArcKind::kCall) continue;
      const profile::ArcCost& arc = side.profiles[run].arcs[i];
      const bool known = arc.caller < rows.size();
      if (!is_lone(arc.callee) && !(known && is_lone(arc.caller))) continue;
      const uint32_t caller = known ? became[rows[arc.caller]] : kSpontaneous;
      calls[{caller, became[rows[arc.callee]]}] += static_cast<double>(arc.count);
    }
  }
  std::vector<LoneArc> arcs;
  for (const auto& [ends, count] : calls) {
    double caller_calls = 0;
    bool from_edited = false;
    if (ends.first != kSpontaneous) {
      const FunctionPair& caller = functions[ends.first];
      const uint32_t was = codes[0].own[ends.first], is = codes[1].own[ends.first];
      from_edited = caller.before.present() != caller.after.present() ||
                    (was != kUnknown && is != kUnknown && was != is);
      caller_calls =
          static_cast<double>((is_after ? caller.after : caller.before).calls.sum) / repetitions;
    }
    arcs.push_back({ends.first, ends.second, count / repetitions, caller_calls, from_edited});
  }
  return arcs;
}

// The name without scope and signature; empty for a C function, which has neither.
std::string NameWithoutScope(absl::string_view name) {
  std::string local = profile::LocalName(name);
  return local == name ? std::string() : local;
}

void PairByWhatTheyDo(const SideRuns& before, const SideRuns& after, const MatchedTarget& matched,
                      std::vector<FunctionPair>& functions, std::vector<uint32_t>& became) {
  std::vector<LoneFunction> lone[2];
  absl::flat_hash_map<absl::string_view, uint32_t> files;
  absl::flat_hash_map<std::string, uint32_t> names;
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
    function.line = side.line;
    if (!side.file.empty()) {
      function.file =
          files.try_emplace(side.file, static_cast<uint32_t>(files.size() + 1)).first->second;
    }
    const std::string name = NameWithoutScope(pair.name);
    if (!name.empty()) {
      function.name =
          names.try_emplace(name, static_cast<uint32_t>(names.size() + 1)).first->second;
    }
    lone[is_after].push_back(function);
  }
  if (lone[0].empty() || lone[1].empty()) return;
  const SideCode codes[2] = {CodeOf(before, functions.size()), CodeOf(after, functions.size())};
  for (const auto& [was, is] :
       FindRenames(lone[0], LoneArcs(before, false, codes, functions, became), lone[1],
                   LoneArcs(after, true, codes, functions, became))) {
    Unite(functions, was, is, matched.runs_before + matched.runs_window, became);
  }
}

}  // namespace

void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched) {
  std::vector<FunctionPair>& functions = matched.functions;
  if (std::none_of(functions.begin(), functions.end(), [](const FunctionPair& pair) {
        return pair.before.present() != pair.after.present();
      })) {
    return;
  }
  const size_t first_after = matched.runs_before + matched.runs_window;
  std::vector<uint32_t> became(functions.size());
  std::iota(became.begin(), became.end(), 0);
  std::vector<KnownCode> code_of = CodeOfFunctions(sides[0], functions.size());
  const std::vector<KnownCode> at_head = CodeOfFunctions(sides[1], functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].before.present()) code_of[i] = at_head[i];
  }
  const auto code = [&](const FunctionPair& pair) -> const KnownCode& {
    return code_of[static_cast<size_t>(&pair - functions.data())];
  };
  PairBy(
      [&](const FunctionPair& pair) {
        const uint64_t key = code(pair).ByDigest();
        return key == 0 ? std::string() : absl::StrCat(key);
      },
      first_after, functions, became);
  PairBy([](const FunctionPair& pair) { return std::string(pair.name); }, first_after, functions,
         became);
  PairBy(
      [](const FunctionPair& pair) {
        std::string name = profile::QualifiedName(pair.name);
        return name == pair.name ? std::string() : name;
      },
      first_after, functions, became);
  PairBy(
      [&](const FunctionPair& pair) {
        const uint64_t key = code(pair).ByShape();
        return key == 0 ? std::string() : absl::StrCat(key, "/", pair.Latest().size);
      },
      first_after, functions, became);
  PairByWhatTheyDo(sides[0], sides[1], matched, functions, became);
  for (SideRuns& side : sides) {
    for (RowMap& rows : side.rows) {
      for (uint32_t& row : rows) row = became[row];
    }
  }
}

namespace {

// Matches inlined functions.
//
// Debug information refers to an inlined function by a hash of its name. A function that has code
// on that side is known by its linkage name there. One without code, because all its calls are
// inlined or it does not exist, may have had another linkage or signature than on the other side:
// it is identified by its qualified name, if that is unique. And for a function with internal
// linkage, gcc's debug information has only the local name.

// Sets FunctionSide::inlined and MatchedTarget::knows_inlined, after functions were paired.
// Functions inlined into a function's clones count as inlined into the function.
void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched);

// By hash, ascending: functions that a side's debug information may refer to.
using KnownNames = std::vector<std::pair<uint32_t, uint32_t>>;

// Number of functions per name.
using NameCounts = absl::flat_hash_map<std::string, int>;

class InlinedNames {
 public:
  explicit InlinedNames(const std::vector<FunctionPair>& functions) : functions_(functions) {}

  KnownNames OfSide(const SideRuns& side, bool is_after) {
    const absl::flat_hash_set<uint32_t> said = Said(side);
    const std::vector<bool> is_static = Static(side);
    KnownNames known;
    for (uint32_t i = 0; i < functions_.size(); ++i) {
      const FunctionPair& pair = functions_[i];
      if (pair.name.empty()) continue;
      const bool has_old_name = !is_after && !pair.renamed_from.empty();
      const absl::string_view name = has_old_name ? pair.renamed_from : pair.name;
      known.emplace_back(profile::NameHash(name), i);
      const bool is_absent = !(is_after ? pair.after : pair.before).present();
      if (!is_absent && !is_static[i]) continue;
      const auto add = [&](const std::string& text, NameCounts& counts, auto name_of) {
        const uint32_t hash = profile::NameHash(text);
        if (text == name || !said.contains(hash)) return;
        if (Count(text, counts, name_of) < 2) known.emplace_back(hash, i);
      };
      if (is_absent) add(profile::QualifiedName(name), qualified_, profile::QualifiedName);
      add(profile::LocalName(name), local_, profile::LocalName);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return known;
  }

 private:
  static absl::flat_hash_set<uint32_t> Said(const SideRuns& side) {
    absl::flat_hash_set<uint32_t> said;
    for (const profile::ComputedProfile& run : side.profiles) {
      for (const profile::InlinedCost& inlined : run.inlined) said.insert(inlined.name);
    }
    return said;
  }

  std::vector<bool> Static(const SideRuns& side) const {
    std::vector<bool> is_static(functions_.size(), false);
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      for (size_t row = 0; row < side.rows[run].size(); ++row) {
        if (side.profiles[run].functions[row].is_static) is_static[side.rows[run][row]] = true;
      }
    }
    return is_static;
  }

  // Over all functions' names, which are read on first use.
  template <typename NameOf>
  int Count(const std::string& text, NameCounts& counts, NameOf name_of) const {
    if (counts.empty()) {
      for (const FunctionPair& pair : functions_) ++counts[name_of(pair.name)];
    }
    const auto found = counts.find(text);
    return found == counts.end() ? 0 : found->second;
  }

  const std::vector<FunctionPair>& functions_;
  NameCounts qualified_, local_;
};

void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched) {
  const auto knows = [](const SideRuns& side) {
    // A program without inlined functions cannot be distinguished from one without this
    // information.
    return std::any_of(side.profiles.begin(), side.profiles.end(),
                       [](const profile::ComputedProfile& run) { return !run.inlined.empty(); });
  };
  const bool base = knows(sides[0]), head = knows(sides[1]);
  matched.knows_inlined = base && head;
  if (!base && !head) return;
  InlinedNames names(matched.functions);
  for (const bool is_after : {false, true}) {
    const SideRuns& side = sides[is_after ? 1 : 0];
    const KnownNames known = names.OfSide(side, is_after);
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      for (const profile::InlinedCost& inlined : side.profiles[run].inlined) {
        const uint32_t into = side.rows[run][inlined.function];
        std::vector<uint32_t>& list = SideOf(matched.functions[into], is_after).inlined;
        for (auto at =
                 std::lower_bound(known.begin(), known.end(), std::make_pair(inlined.name, 0u));
             at != known.end() && at->first == inlined.name; ++at) {
          if (at->second != into) list.push_back(at->second);
        }
      }
    }
    for (FunctionPair& pair : matched.functions) {
      std::vector<uint32_t>& list = SideOf(pair, is_after).inlined;
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
}

}  // namespace

MatchedTarget MatchTarget(absl::Span<const profile::ComputedProfile> before,
                          absl::Span<const profile::ComputedProfile> after,
                          absl::Span<const profile::ComputedProfile> older) {
  MatchedTarget matched;
  matched.runs_before = before.size();
  matched.runs_window = older.size();
  matched.runs_after = after.size();
  const size_t first_after = before.size() + older.size();
  SideRuns sides[2] = {{before}, {after}};
  SideRuns older_runs = {older};
  FunctionIndex index(first_after + after.size(), matched);
  std::vector<const profile::ComputedProfile*> profiles;
  for (const SideRuns* side : {&sides[0], &sides[1], &older_runs}) {
    for (const profile::ComputedProfile& profile : side->profiles) profiles.push_back(&profile);
  }
  std::vector<RowMap> rows;
  for (const profile::ComputedProfile* profile : profiles) rows.push_back(index.Add(*profile));
  index.UniteAliases(profiles, absl::MakeSpan(rows));
  size_t next = 0;
  for (SideRuns* side : {&sides[0], &sides[1], &older_runs}) {
    for (size_t run = 0; run < side->profiles.size(); ++run) side->Add(std::move(rows[next++]));
  }
  matched.repetitions_before = RepetitionsOf(before);
  matched.repetitions_after = RepetitionsOf(after);
  PairNumberedFunctions(sides, matched);
  SeparateExchanged(sides[0], sides[1], matched);
  AddCosts(sides[0], false, 0, matched);
  AddCosts(sides[1], true, first_after, matched);
  AddOlderRuns(older_runs, matched.repetitions_before, before.size(), matched.functions);
  PairLoneFunctions(sides, matched);
  MatchCode(sides, matched.functions);
  MatchInlined(sides, matched);
  MatchLines(sides, matched);
  matched.arcs = MatchArcs(sides, matched);
  FindToolchainChanges(matched);
  return matched;
}

}  // namespace gprofhub::reporter

// A renamed function behaves as before: the same callers call it as often, and it calls the same
// functions as often. With exact counts this is a fingerprint. A lone function of the base and one
// of the head are the same under three conditions: all their arcs agree, count by count; their code
// has about the same size, or they are in the same file; no other lone function has this
// fingerprint.
//
// A neighbour may have been renamed, too. In the fingerprint it is represented by its count alone,
// without its name. Once it is matched, its name distinguishes others. So the search is repeated
// until a round finds nothing.
//
// If something else changed, too, the counts differ from the base's. Then weaker signs are used, in
// this order, each only if it is unique:
// - the name without its scope: a class or a namespace was renamed, or a function became a member.
//   They must have a caller or a callee in common.
// - the fingerprint per call: each caller calls it as often per call of its own, and it calls
//   others as often per call.
// - the calls by its callers alone, per call, or those of its callees, if these are all known, and
//   it has the same neighbours: the function was edited, too, or its caller was. Its callers must
//   refer to it by another name, so their code differs: otherwise one of the two functions may just
//   not have been called.
// Where several functions of one file have the same sign, and as many at base and head, a renaming
// keeps their order in the file; this is tried last.
//
// All of this compares functions whose code differs. Code comes first: a function keeps its digest,
// or if it refers to other renamed functions, its shape (profile/code/code_digests.cc). Names are
// no evidence against code: functions that exchanged their names are separated before.
#include "reporter/comparison/renames.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

namespace {

// File names do not contain NUL, so keys are unambiguous.
std::string StaticKey(absl::string_view name, absl::string_view file) {
  return absl::StrCat(name, absl::string_view("\0", 1), file);
}

}  // namespace

RowMap FunctionIndex::Add(const profile::ComputedProfile& profile) {
  RowMap rows(profile.functions.size(), kSpontaneous);
  if (functions_.empty()) {
    functions_.reserve(rows.size());
    index_.reserve(rows.size());
  }
  const auto add = [&](size_t row, absl::string_view base, bool is_clone) {
    const profile::FunctionCost& function = profile.functions[row];
    rows[row] = IndexOf(base, profile.strings[function.file], function.is_static, is_clone);
    functions_[rows[row]].is_module |= function.is_module;
  };
  // Clones are processed after all functions.
  std::vector<std::pair<size_t, absl::string_view>> clones;
  for (size_t row = 0; row < rows.size(); ++row) {
    const absl::string_view name = profile.strings[profile.functions[row].name];
    const absl::string_view base = profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
    if (base.size() == name.size()) {
      add(row, base, false);
    } else {
      clones.emplace_back(row, base);
    }
  }
  for (const auto& [row, base] : clones) add(row, base, true);
  return rows;
}

uint32_t FunctionIndex::IndexOf(absl::string_view name, absl::string_view file, bool is_static,
                                bool is_clone) {
  if (!is_static) {
    // An earlier profile had only clones of it.
    if (!is_clone && !orphans_.empty()) {
      const std::string key = StaticKey(name, file);
      if (orphans_.erase(key) > 0) {
        const uint32_t clones = index_.at(key);
        return index_.try_emplace(texts_.Keep(name), clones).first->second;
      }
    }
    return Insert(name, name);
  }
  const std::string key = StaticKey(name, file);
  if (!is_clone) {
    orphans_.erase(key);
  } else if (!index_.contains(key)) {
    // A clone is local even if its function is not.
    const auto global = index_.find(name);
    if (global != index_.end()) return global->second;
    orphans_.insert(key);
  }
  return Insert(key, name);
}

uint32_t FunctionIndex::Insert(absl::string_view key, absl::string_view name) {
  const auto known = index_.find(key);
  if (known != index_.end()) return known->second;
  const auto number = static_cast<uint32_t>(functions_.size());
  FunctionPair& pair = functions_.emplace_back();
  pair.name = texts_.Keep(name);
  index_.emplace(key.size() == name.size() ? pair.name : static_keys_.Keep(key), number);
  pair.self_by_run.assign(runs_, 0);
  pair.child_by_run.assign(runs_, 0);
  return number;
}

// A static function's other name is looked up by the name alone: its file is not known. It is found
// if the profiles have one function of that name.
void FunctionIndex::UniteAliases(absl::Span<const profile::ComputedProfile* const> profiles,
                                 absl::Span<RowMap> rows) {
  if (std::all_of(profiles.begin(), profiles.end(),
                  [](const profile::ComputedProfile* one) { return one->aliases.empty(); })) {
    return;
  }
  constexpr uint32_t kSeveral = UINT32_MAX;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name;
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    const auto [entry, is_new] = by_name.try_emplace(functions_[i].name, i);
    if (!is_new) entry->second = kSeveral;
  }
  std::vector<uint32_t> united(functions_.size());
  std::iota(united.begin(), united.end(), 0);
  const auto root = [&](uint32_t function) {
    while (united[function] != function) function = united[function] = united[united[function]];
    return function;
  };
  for (size_t run = 0; run < profiles.size(); ++run) {
    for (const profile::AliasCost& alias : profiles[run]->aliases) {
      const absl::string_view name = profile::WithoutCloneSuffixes(
          profiles[run]->strings[alias.name], profile::CloneKinds::kAll);
      const auto global = index_.find(name);
      const auto any = by_name.find(name);
      uint32_t other = kSeveral;
      if (global != index_.end()) {
        other = global->second;
      } else if (any != by_name.end()) {
        other = any->second;
      }
      if (other == kSeveral) continue;
      const uint32_t a = root(rows[run][alias.function]), b = root(other);
      united[std::max(a, b)] = std::min(a, b);
    }
  }
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    if (root(i) == i) continue;
    functions_[root(i)].is_module |= functions_[i].is_module;
    functions_[i].name = {};
  }
  for (RowMap& map : rows) {
    for (uint32_t& row : map) row = root(row);
  }
}

namespace {

// Costs of all functions in one run.
struct RunCosts {
  explicit RunCosts(size_t functions)
      : present(functions), calls(functions), sizes(functions), self(functions), child(functions) {}

  std::vector<bool> present;
  std::vector<uint64_t> calls;
  std::vector<uint64_t> sizes;  // bytes of code
  std::vector<double> self;     // samples, as in `child`
  std::vector<double> child;
  std::vector<double> instructions;  // counted in addition to time; empty: not counted
};

// Records which functions one run has, and their source locations. The location comes from the
// function's own row; a clone's row has the beginning of the cloned part, and is the last resort.
// Two objects may have functions of one name, as a program's allocator and libc do, and a run may
// have seen only one of them. The head's location is that of the object that the base has, if
// possible.
void AddPlaces(const profile::ComputedProfile& profile, const RowMap& rows, bool is_after,
               MatchedTarget& matched) {
  // The few files and toolchains are stored once each. By index into the profile's strings.
  std::vector<absl::string_view> kept(profile.strings.size());
  const auto keep = [&](uint32_t text) {
    if (kept[text].empty()) kept[text] = matched.texts.Keep(profile.strings[text]);
    return kept[text];
  };
  for (const bool clones : {false, true}) {
    for (size_t row = 0; row < rows.size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      FunctionPair& pair = matched.functions[rows[row]];
      FunctionSide& side = SideOf(pair, is_after);
      // A clone's name is its function's name with a suffix. A renumbered name may have more
      // digits.
      const absl::string_view name = profile.strings[cost.name];
      const bool is_clone =
          name.size() != pair.name.size() &&
          profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll).size() != name.size();
      if (is_clone != clones) continue;
      const uint32_t object = profile::NameHash(profile.strings[cost.image]);
      const bool is_nearer = is_after && side.object != pair.before.object &&
                             object == pair.before.object && pair.before.present();
      if (side.present() && !is_nearer) continue;
      side.calls.present = true;
      side.object = object;
      side.file = keep(cost.file);
      side.line = cost.line;
      side.toolchain = keep(cost.toolchain);
    }
  }
}

// Records the arc if its callee represents instructions.
void AddInstructions(const profile::ComputedProfile& profile, const RowMap& rows,
                     const profile::ArcCost& arc, RunCosts& costs) {
  if (profile.strings[profile.functions[arc.callee].name] != profile::kEventInstructions) return;
  costs.instructions.resize(costs.calls.size(), 0);
  if (arc.caller >= rows.size()) return;  // outside every function
  costs.instructions[rows[arc.caller]] += static_cast<double>(arc.count);
}

// Records a function's instructions in one run. Runs that did not count instructions are skipped.
void SetInstructions(const RunCosts& costs, bool says_something, size_t function, size_t column,
                     FunctionPair& pair) {
  if (costs.instructions.empty()) return;
  if (pair.instructions_by_run.empty()) {
    pair.instructions_by_run.assign(pair.self_by_run.size(),
                                    std::numeric_limits<double>::quiet_NaN());
  }
  if (says_something) pair.instructions_by_run[column] = costs.instructions[function];
}

// The costs without a function's calls of its own clones, whose time would count twice, and without
// the jumps to them. Measured quantities are dropped.
RunCosts CostsOf(const SideRuns& side, size_t run, size_t functions) {
  const profile::ComputedProfile& profile = side.profiles[run];
  const RowMap& rows = side.rows[run];
  RunCosts costs(functions);
  for (size_t row = 0; row < rows.size(); ++row) {
    const profile::FunctionCost& cost = profile.functions[row];
    const uint32_t function = rows[row];
    costs.present[function] = true;
    costs.calls[function] += cost.calls + cost.self_calls;
    costs.sizes[function] += cost.size;
    costs.self[function] += cost.self_samples;
    costs.child[function] += cost.child_samples;
  }
  const std::vector<ArcKind>& kinds = side.kinds[run];
  for (size_t i = 0; i < kinds.size(); ++i) {
    const profile::ArcCost& arc = profile.arcs[i];
    if (kinds[i] == ArcKind::kCall) continue;
    const uint32_t function = rows[arc.callee];
    costs.calls[function] -= std::min(costs.calls[function], arc.count);
    if (kinds[i] == ArcKind::kMeasured) AddInstructions(profile, rows, arc, costs);
    if (kinds[i] == ArcKind::kWithinFamily)
      costs.child[function] -= arc.self_samples + arc.child_samples;
  }
  return costs;
}

// Records a run's properties of functions' calls, other than their number.
void AddKinds(const profile::ComputedProfile& profile, const RowMap& rows, bool is_after,
              std::vector<FunctionPair>& functions) {
  for (size_t row = 0; row < rows.size(); ++row) {
    const profile::FunctionCost& cost = profile.functions[row];
    FunctionPair& pair = functions[rows[row]];
    pair.calls_itself |= cost.self_calls > 0;
    SideOf(pair, is_after).may_be_inlined |= !cost.never_inlined;
  }
}

}  // namespace

void AddCosts(const SideRuns& side, bool is_after, size_t first_run, MatchedTarget& matched) {
  std::vector<FunctionPair>& functions = matched.functions;
  uint64_t repetitions = 0;  // of the runs before
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    const RowMap& rows = side.rows[run];
    const size_t column = first_run + run;
    AddPlaces(profile, rows, is_after, matched);
    AddKinds(profile, rows, is_after, functions);
    const RunCosts costs = CostsOf(side, run, functions.size());
    for (size_t i = 0; i < functions.size(); ++i) {
      FunctionPair& pair = functions[i];
      FunctionSide& target = SideOf(pair, is_after);
      target.self_samples += costs.self[i];
      target.child_samples += costs.child[i];
      pair.self_by_run[column] += costs.self[i];
      pair.child_by_run[column] += costs.child[i];
      SetInstructions(costs, true, i, column, pair);
      AddRun(costs.calls[i], RepetitionsOf(profile), repetitions, target.calls);
      target.size = std::max(target.size, costs.sizes[i]);
    }
    repetitions += RepetitionsOf(profile);
  }
}

void AddOlderRuns(const SideRuns& older, uint64_t repetitions_before, size_t first_run,
                  std::vector<FunctionPair>& functions) {
  for (size_t run = 0; run < older.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = older.profiles[run];
    const RunCosts was = CostsOf(older, run, functions.size());
    for (size_t i = 0; i < functions.size(); ++i) {
      FunctionPair& pair = functions[i];
      const bool same = pair.before.present() && was.present[i] &&
                        was.sizes[i] == pair.before.size &&
                        SameRatio(was.calls[i], RepetitionsOf(profile), pair.before.calls.sum,
                                  repetitions_before);
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      pair.self_by_run[first_run + run] = same ? was.self[i] : nothing;
      pair.child_by_run[first_run + run] = same ? was.child[i] : nothing;
      SetInstructions(was, same, i, first_run + run, pair);
    }
  }
}

namespace {

// Bytes from which code is recognised, in its file and anywhere.
constexpr uint64_t kTellingInFile = 32;
constexpr uint64_t kTelling = 64;

}  // namespace

std::vector<KnownCode> CodeOfFunctions(const SideRuns& side, size_t functions) {
  std::vector<KnownCode> code_of(functions);
  std::vector<bool> seen(functions, false);
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    for (size_t row = 0; row < side.rows[run].size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      KnownCode& known = code_of[side.rows[run][row]];
      KnownCode code;
      if (cost.size >= kTelling || (cost.size >= kTellingInFile && cost.file != 0)) {
        code.digest = cost.code;
        if (cost.size < kTelling) code.file = profile::NameHash(profile.strings[cost.file]);
      }
      if (!seen[side.rows[run][row]]) known = code;
      if (known.ByDigest() != code.ByDigest()) known = {};
      seen[side.rows[run][row]] = true;
    }
  }
  return code_of;
}

void SeparateExchanged(const SideRuns& base, SideRuns& head, MatchedTarget& matched) {
  const size_t runs = matched.runs_before + matched.runs_window + matched.runs_after;
  const size_t functions = matched.functions.size();
  const std::vector<KnownCode> before = CodeOfFunctions(base, functions);
  const std::vector<KnownCode> after = CodeOfFunctions(head, functions);
  constexpr uint32_t kSeveral = UINT32_MAX;
  absl::flat_hash_map<uint64_t, uint32_t> was;  // the function that had this shape at the base
  for (uint32_t i = 0; i < functions; ++i) {
    if (before[i].ByShape() == 0) continue;
    const auto [entry, is_new] = was.try_emplace(before[i].ByShape(), i);
    if (!is_new) entry->second = kSeveral;
  }
  std::vector<uint32_t> became(functions);
  std::iota(became.begin(), became.end(), 0);
  const auto separate = [&](uint32_t i) {
    if (became[i] != i) return;
    became[i] = static_cast<uint32_t>(matched.functions.size());
    FunctionPair own;
    own.name = matched.functions[i].name;
    own.is_module = matched.functions[i].is_module;
    own.self_by_run.assign(runs, 0);
    own.child_by_run.assign(runs, 0);
    matched.functions.push_back(std::move(own));
  };
  for (uint32_t i = 0; i < functions; ++i) {
    const uint64_t shape = after[i].ByShape();
    if (shape == 0 || before[i].digest == 0 || shape == before[i].ByShape()) continue;
    const auto other = was.find(shape);
    if (other == was.end() || other->second == kSeveral) continue;
    const KnownCode& now = after[other->second];
    if (now.digest == 0 || now.ByShape() == shape) continue;  // unknown, or a copy
    separate(i);
    separate(other->second);
  }
  if (matched.functions.size() == functions) return;
  for (RowMap& rows : head.rows) {
    for (uint32_t& row : rows) row = became[row];
  }
}

namespace {

constexpr uint32_t kUnnamed = UINT32_MAX;
constexpr int kRenameRounds = 24;
constexpr size_t kMostInOrder = 100;

// (whether the neighbour is the caller, neighbour, calls), sorted.
using Fingerprint = std::vector<std::tuple<bool, uint32_t, double>>;

struct Side {
  absl::flat_hash_map<uint32_t, LoneFunction> alone;  // not paired yet
  absl::Span<const LoneArc> arcs;
};

// The criterion by which a lone function is paired.
enum class Sign { kCounts, kName, kCountsPerCall, kCallers, kCallees };

class KnownAs {
 public:
  KnownAs(const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed)
      : side_(side), renamed_(renamed) {}

  uint32_t operator()(uint32_t function) const {
    if (side_.alone.contains(function)) return kUnnamed;
    const auto found = renamed_.find(function);
    return found == renamed_.end() ? function : found->second;
  }

 private:
  const Side& side_;
  const absl::flat_hash_map<uint32_t, uint32_t>& renamed_;
};

// Calls per call of the caller, if these are known. Exactly equal for equal ratios, whatever the
// operands.
double PerCall(const LoneArc& arc) {
  if (arc.caller_calls <= 0) return arc.calls;
  return static_cast<double>(static_cast<float>(arc.calls / arc.caller_calls));
}

// The count by which a neighbour, a caller or a callee, is compared.
double CountBy(Sign sign, bool is_caller, const LoneArc& arc) {
  switch (sign) {
    case Sign::kCountsPerCall:
      return PerCall(arc);
    case Sign::kCallers:
      return is_caller ? PerCall(arc) : 0;
    case Sign::kCallees:
      return is_caller ? 0 : PerCall(arc);
    default:
      return arc.calls;
  }
}

absl::flat_hash_map<uint32_t, Fingerprint> Fingerprints(
    const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed, Sign sign) {
  const KnownAs known_as(side, renamed);
  absl::flat_hash_map<uint32_t, Fingerprint> prints;
  for (const LoneArc& arc : side.arcs) {
    if (side.alone.contains(arc.callee)) {
      prints[arc.callee].emplace_back(true, known_as(arc.caller), CountBy(sign, true, arc));
    }
    if (side.alone.contains(arc.caller)) {
      prints[arc.caller].emplace_back(false, known_as(arc.callee), CountBy(sign, false, arc));
    }
  }
  for (auto& [function, print] : prints) std::sort(print.begin(), print.end());
  return prints;
}

// The named neighbours of each function.
absl::flat_hash_map<uint32_t, absl::flat_hash_set<uint32_t>> Neighbours(
    const Side& side, const absl::flat_hash_map<uint32_t, uint32_t>& renamed) {
  absl::flat_hash_map<uint32_t, absl::flat_hash_set<uint32_t>> neighbours;
  for (const auto& [function, print] : Fingerprints(side, renamed, Sign::kCounts)) {
    for (const auto& [is_caller, neighbour, calls] : print) {
      if (neighbour != kUnnamed) neighbours[function].insert(neighbour);
    }
  }
  return neighbours;
}

struct Candidates {
  std::vector<uint32_t> before, after;
};

bool Alike(const LoneFunction& a, const LoneFunction& b) {
  const double larger = static_cast<double>(std::max(a.size, b.size));
  const double difference = larger - static_cast<double>(std::min(a.size, b.size));
  const bool same_size = a.size != 0 && b.size != 0 && difference <= 0.1 * larger + 8;
  const bool same_file = a.file != 0 && a.file == b.file;
  // In the same file the body may have been edited, too. In another file it must be the same.
  return same_size || (same_file && (a.size == 0 || b.size == 0 || difference <= 0.5 * larger));
}

// Sorts them by line. Returns whether that is their order in one file; a single one always is.
bool InOrderOfLines(const Side& side, std::vector<uint32_t>& functions) {
  const auto line = [&](uint32_t i) { return side.alone.at(i).line; };
  std::sort(functions.begin(), functions.end(),
            [&](uint32_t a, uint32_t b) { return line(a) < line(b); });
  for (size_t i = 1; i < functions.size(); ++i) {
    const LoneFunction& one = side.alone.at(functions[i - 1]);
    const LoneFunction& next = side.alone.at(functions[i]);
    if (one.line == 0 || one.line == next.line || one.file == 0 || one.file != next.file) {
      return false;
    }
  }
  return true;
}

// Whether it has callers (or callees), and all have a name.
bool Knows(bool callers, const Fingerprint& print) {
  bool any = false;
  for (const auto& [is_caller, neighbour, count] : print) {
    if (is_caller != callers) continue;
    if (neighbour == kUnnamed || neighbour == kSpontaneous) return false;
    any = true;
  }
  return any;
}

Fingerprint CallersOf(const Fingerprint& print) {
  Fingerprint callers;
  std::copy_if(print.begin(), print.end(), std::back_inserter(callers),
               [](const auto& entry) { return std::get<0>(entry); });
  return callers;
}

// Functions of either side that have a caller whose code is the same, or not known.
absl::flat_hash_set<uint32_t> CalledFromUnedited(const Side& base, const Side& head) {
  absl::flat_hash_set<uint32_t> called;
  for (const Side* side : {&base, &head}) {
    for (const LoneArc& arc : side->arcs) {
      if (!arc.from_edited) called.insert(arc.callee);
    }
  }
  return called;
}

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs PairByPrint(const Side& base, const Side& head,
                  const absl::flat_hash_map<uint32_t, uint32_t>& renamed, Sign sign,
                  bool in_order) {
  absl::flat_hash_map<Fingerprint, Candidates> by_print;
  for (auto& [function, print] : Fingerprints(base, {}, sign)) {
    by_print[std::move(print)].before.push_back(function);
  }
  for (auto& [function, print] : Fingerprints(head, renamed, sign)) {
    by_print[std::move(print)].after.push_back(function);
  }
  absl::flat_hash_map<Fingerprint, int> more_before;  // lone functions with these callers
  if (sign == Sign::kCallers) {
    for (const auto& [print, candidates] : by_print) {
      more_before[CallersOf(print)] +=
          static_cast<int>(candidates.before.size()) - static_cast<int>(candidates.after.size());
    }
  }
  absl::flat_hash_set<uint32_t> excluded;
  if (in_order || sign == Sign::kCallers || sign == Sign::kCallees) {
    excluded = CalledFromUnedited(base, head);
  }
  Pairs found;
  for (auto& [print, candidates] : by_print) {
    if (candidates.before.size() != candidates.after.size()) continue;
    if (candidates.before.size() > (in_order ? kMostInOrder : 1)) continue;
    if ((in_order || sign == Sign::kCallers) && !Knows(true, print)) continue;
    // As many, or it was split or merged.
    if (sign == Sign::kCallers && more_before.at(CallersOf(print)) != 0) continue;
    if (sign == Sign::kCallees && !Knows(false, print)) continue;
    if (!InOrderOfLines(base, candidates.before) || !InOrderOfLines(head, candidates.after)) {
      continue;
    }
    for (size_t i = 0; i < candidates.before.size(); ++i) {
      const LoneFunction& was = base.alone.at(candidates.before[i]);
      const LoneFunction& is = head.alone.at(candidates.after[i]);
      if (excluded.contains(was.function) || excluded.contains(is.function)) continue;
      if ((sign != Sign::kCounts || was.calls == is.calls) && Alike(was, is)) {
        found.emplace_back(was.function, is.function);
      }
    }
  }
  return found;
}

Pairs PairByName(const Side& base, const Side& head,
                 const absl::flat_hash_map<uint32_t, uint32_t>& renamed) {
  absl::flat_hash_map<uint32_t, Candidates> by_name;
  for (const auto& [number, function] : base.alone) by_name[function.name].before.push_back(number);
  for (const auto& [number, function] : head.alone) by_name[function.name].after.push_back(number);
  const auto before = Neighbours(base, {});
  const auto after = Neighbours(head, renamed);
  Pairs found;
  for (const auto& [name, candidates] : by_name) {
    if (name == 0 || candidates.before.size() != 1 || candidates.after.size() != 1) continue;
    const auto was = before.find(candidates.before[0]), is = after.find(candidates.after[0]);
    if (was == before.end() || is == after.end()) continue;
    const bool is_near = std::any_of(was->second.begin(), was->second.end(),
                                     [&](uint32_t i) { return is->second.contains(i); });
    if (is_near) found.emplace_back(was->first, is->first);
  }
  return found;
}

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> FindRenames(absl::Span<const LoneFunction> before,
                                                       absl::Span<const LoneArc> arcs_before,
                                                       absl::Span<const LoneFunction> after,
                                                       absl::Span<const LoneArc> arcs_after) {
  Side base{{}, arcs_before}, head{{}, arcs_after};
  for (const LoneFunction& function : before) base.alone[function.function] = function;
  for (const LoneFunction& function : after) head.alone[function.function] = function;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  absl::flat_hash_map<uint32_t, uint32_t> renamed;  // the head's → the base's
  for (int round = 0; round < kRenameRounds; ++round) {
    Pairs found;
    for (const bool in_order : {false, true}) {
      for (const Sign sign :
           {Sign::kCounts, Sign::kName, Sign::kCountsPerCall, Sign::kCallers, Sign::kCallees}) {
        if (!found.empty()) break;
        found = sign == Sign::kName ? PairByName(base, head, renamed)
                                    : PairByPrint(base, head, renamed, sign, in_order);
      }
    }
    if (found.empty()) break;
    for (const auto& [was, is] : found) {
      base.alone.erase(was);
      head.alone.erase(is);
      renamed[is] = was;
      pairs.emplace_back(was, is);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace gprofhub::reporter

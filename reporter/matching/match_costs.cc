#include "reporter/matching/match_costs.h"

#include <algorithm>
#include <limits>

#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/names/name_hash.h"
#include "profile/names/quantities.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
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
      // A clone's name is its function's name with a suffix.
      if ((profile.strings[cost.name].size() != pair.name.size()) != clones) continue;
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

}  // namespace gprofhub::reporter

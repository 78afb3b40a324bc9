#include "reporter/matching/match_costs.h"

#include <algorithm>
#include <limits>

#include "profile/computed.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// The calls and bytes of code of all functions in one run.
struct RunCounts {
  std::vector<uint64_t> calls;
  std::vector<uint64_t> sizes;
};

// Notes which functions one run has, and where they stand in the source. Where a function stands is
// told by its own row. A clone's row tells where the cloned part begins: it is the last resort.
void AddPlaces(const profile::ComputedProfile& profile, const RowMap& rows, bool is_after,
               std::vector<FunctionPair>& functions) {
  for (const bool clones : {false, true}) {
    for (size_t row = 0; row < rows.size(); ++row) {
      const profile::FunctionCost& cost = profile.functions[row];
      FunctionPair& pair = functions[rows[row]];
      FunctionSide& side = SideOf(pair, is_after);
      if (side.present() || (profile.strings[cost.name] != pair.name) != clones) continue;
      side.calls.present = true;
      side.file = profile.strings[cost.file];
      side.line = cost.line;
      side.toolchain = profile.strings[cost.toolchain];
    }
  }
}

// Adds the functions of one run. `column` is the run's in FunctionPair::self_by_run.
RunCounts AddFunctions(const profile::ComputedProfile& profile, const RowMap& rows, bool is_after,
                       size_t column, std::vector<FunctionPair>& functions) {
  RunCounts counts;
  counts.calls.assign(functions.size(), 0);
  counts.sizes.assign(functions.size(), 0);
  for (size_t row = 0; row < rows.size(); ++row) {
    const profile::FunctionCost& cost = profile.functions[row];
    FunctionPair& pair = functions[rows[row]];
    FunctionSide& side = SideOf(pair, is_after);
    counts.calls[rows[row]] += cost.calls + cost.self_calls;
    counts.sizes[rows[row]] += cost.size;
    pair.calls_itself |= cost.self_calls > 0;
    side.may_be_inlined |= !cost.never_inlined;
    side.self_samples += cost.self_samples;
    side.child_samples += cost.child_samples;
    pair.self_by_run[column] += cost.self_samples;
    pair.child_by_run[column] += cost.child_samples;
  }
  return counts;
}

// Takes out the calls of a function to its own clones, and the time of these calls, which would
// count twice; and the jumps to them.
void TakeOutFamilies(const profile::ComputedProfile& profile, const RowMap& rows, bool is_after,
                     size_t column, RunCounts& counts, std::vector<FunctionPair>& functions) {
  const std::vector<bool> jumps = JumpsWithinFamilies(profile, rows);
  for (size_t i = 0; i < jumps.size(); ++i) {
    const profile::ArcCost& arc = profile.arcs[i];
    const bool is_within = IsWithinFamily(profile, rows, arc);
    if (!is_within && !jumps[i]) continue;
    FunctionPair& pair = functions[rows[arc.callee]];
    uint64_t& calls = counts.calls[rows[arc.callee]];
    calls -= std::min(calls, arc.count);
    if (!is_within) continue;
    const double twice = arc.self_samples + arc.child_samples;
    SideOf(pair, is_after).child_samples -= twice;
    pair.child_by_run[column] -= twice;
  }
}

}  // namespace

void AddCosts(const SideRuns& side, bool is_after, size_t first_run,
              std::vector<FunctionPair>& functions) {
  uint64_t repetitions = 0;  // of the runs before
  for (size_t run = 0; run < side.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = side.profiles[run];
    const RowMap& rows = side.rows[run];
    const size_t column = first_run + run;
    AddPlaces(profile, rows, is_after, functions);
    RunCounts counts = AddFunctions(profile, rows, is_after, column, functions);
    TakeOutFamilies(profile, rows, is_after, column, counts, functions);
    for (size_t i = 0; i < functions.size(); ++i) {
      FunctionSide& target = SideOf(functions[i], is_after);
      AddRun(counts.calls[i], RepetitionsOf(profile), repetitions, target.calls);
      target.size = std::max(target.size, counts.sizes[i]);
    }
    repetitions += RepetitionsOf(profile);
  }
}

void AddOlderRuns(const SideRuns& older, uint64_t repetitions_before, size_t first_run,
                  std::vector<FunctionPair>& functions) {
  for (size_t run = 0; run < older.profiles.size(); ++run) {
    const profile::ComputedProfile& profile = older.profiles[run];
    std::vector<FunctionPair> there(functions.size());
    for (FunctionPair& pair : there) {
      pair.self_by_run.assign(1, 0);
      pair.child_by_run.assign(1, 0);
    }
    AddCosts({older.profiles.subspan(run, 1), {older.rows[run]}}, false, 0, there);
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

}  // namespace gprofhub::reporter

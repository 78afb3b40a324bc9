#include "reporter/matching/match_target.h"

#include <cstddef>

#include "reporter/matching/function_index.h"
#include "reporter/matching/match_arcs.h"
#include "reporter/matching/match_code.h"
#include "reporter/matching/match_costs.h"
#include "reporter/matching/match_functions.h"
#include "reporter/matching/match_inlined.h"
#include "reporter/matching/side_runs.h"
#include "reporter/matching/toolchain_changes.h"

namespace gprofhub::reporter {

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
  for (SideRuns& side : sides) {
    for (const profile::ComputedProfile& profile : side.profiles) side.Add(index.Add(profile));
  }
  for (const profile::ComputedProfile& profile : older) older_runs.Add(index.Add(profile));
  AddCosts(sides[0], false, 0, matched);
  AddCosts(sides[1], true, first_after, matched);
  matched.repetitions_before = RepetitionsOf(before);
  matched.repetitions_after = RepetitionsOf(after);
  AddOlderRuns(older_runs, matched.repetitions_before, before.size(), matched.functions);
  PairLoneFunctions(sides, matched);
  MatchCode(sides, matched.functions);
  MatchInlined(sides, matched);
  matched.arcs = MatchArcs(sides, matched);
  FindToolchainChanges(matched);
  return matched;
}

}  // namespace gprofhub::reporter

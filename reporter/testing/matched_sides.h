// Two sides of a comparison at intermediate stages of reporter/matching/, for tests.
#pragma once

#include <utility>
#include <vector>

#include "profile/computed.h"
#include "reporter/matching/function_index.h"
#include "reporter/matching/match_costs.h"
#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Runs after functions were looked up and costs added, but before pairing.
struct MatchedSides {
  using Runs = std::vector<profile::ComputedProfile>;

  MatchedSides(Runs base, Runs head) : before(std::move(base)), after(std::move(head)) {
    matched.runs_before = before.size();
    matched.runs_after = after.size();
    matched.repetitions_before = RepetitionsOf(before);
    matched.repetitions_after = RepetitionsOf(after);
    FunctionIndex index(before.size() + after.size(), matched);
    for (SideRuns& side : sides) {
      for (const profile::ComputedProfile& run : side.profiles) side.Add(index.Add(run));
    }
    AddCosts(sides[0], false, 0, matched);
    AddCosts(sides[1], true, before.size(), matched);
  }
  MatchedSides(const MatchedSides&) = delete;
  MatchedSides& operator=(const MatchedSides&) = delete;

  const Runs before, after;
  MatchedTarget matched;
  SideRuns sides[2] = {{before}, {after}};
};

}  // namespace gprofhub::reporter

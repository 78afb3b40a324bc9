// One side of a comparison, as values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct ProfileOrigin {
  std::string commit;
  std::string binary;   // digest of the test's binary; empty: not known
  std::string machine;  // its kind; empty: not known
};

// The runs of one side, as repetitions of one measurement.
struct ComparisonSide {
  v1::Compared::Side about;  // times, executions and runs are filled in by CompareSides
  // By label; one profile per run, none without a run.
  std::map<std::string, std::vector<profile::ComputedProfile>> targets;
  // Of a base: runs of older commits, nearest first (reporter/matching/match_target.h).
  std::map<std::string, std::vector<profile::ComputedProfile>> window;
  // Where the target's profiles, then those of its window, come from. Without, history
  // says nothing of counts, and all machines pass for one kind. Times on another kind of
  // machine than the head's say nothing of it.
  std::map<std::string, std::vector<ProfileOrigin>> origins;
};

}  // namespace gprofhub::reporter

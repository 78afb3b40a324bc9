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
  std::string binary;   // digest of the test's binary; empty: unknown
  std::string machine;  // kind of machine; empty: unknown
};

// The runs of one side, as repetitions of one measurement.
struct ComparisonSide {
  v1::Compared::Side about;  // times, executions and runs are filled in by CompareSides
  // By label; one profile per run, empty without a run.
  std::map<std::string, std::vector<profile::ComputedProfile>> targets;
  // Of a base: runs of older commits, nearest first (reporter/matching/match_target.h).
  std::map<std::string, std::vector<profile::ComputedProfile>> window;
  // By label: origins of the target's profiles, then of its window's. Without them history is not
  // used for counts, and all machines count as one kind. Times from another kind of machine than
  // the head's are not compared.
  std::map<std::string, std::vector<ProfileOrigin>> origins;
};

}  // namespace gprofhub::reporter

// What histories read of runs, and what was found in them, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace gprofhub::store {

// As much of a RunRecord as a trend needs.
struct RunHead {
  int64_t id = 0;
  std::string commit;
  std::string branch;
  std::string configuration;
  bool is_mainline = true;  // no pull request, no fork
  absl::Time ordered;       // RunRecord::ordered
};

// A run as it was. Whenever what its targets say may have changed, it has a greater revision: one
// was analysed, given up or queued once more; more executions came to a run that was whole, or
// whose targets were counted (rows/run_counts.h); some went.
struct RunState {
  int64_t run_id = 0;
  int64_t revision = 0;

  bool operator==(const RunState&) const = default;
};

// A branch's runs of one configuration.
struct BranchKey {
  std::string project;
  std::string branch;
  std::string configuration;
};

// What was found of a branch's changes in its newest runs, as they were then.
struct KeptChanges {
  std::vector<RunState> runs;  // newest first
  std::string payload;         // the reporter's
};

}  // namespace gprofhub::store

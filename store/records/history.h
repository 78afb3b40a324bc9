// Values of histories: runs as histories read them, and the changes found in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace gprofhub::store {

// The fields of a RunRecord that a trend needs.
struct RunHead {
  int64_t id = 0;
  std::string commit;
  std::string branch;
  std::string configuration;
  bool is_mainline = true;  // no pull request, no fork
  absl::Time ordered;       // RunRecord::ordered
};

// A snapshot of a run. Every event that may change the data of its targets increases the revision:
// a target was analysed, given up or queued again; executions were added to a complete run, or to
// one with counted targets (rows/run_counts.h); executions were deleted.
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

// The changes found in a branch's newest runs, as these runs were at the time.
struct KeptChanges {
  std::vector<RunState> runs;  // newest first
  std::string payload;         // encoded by the reporter
};

}  // namespace gprofhub::store

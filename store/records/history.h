// Runs as histories read them, and cached findings, as values.
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

// A run at a revision. The revision grows when results of the run's targets may have changed: a
// target was analysed, failed or was queued again; executions were added to a complete run or to
// one whose targets were counted (rows/run_counts.h); executions were deleted.
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

// Cached changes of a branch, computed from its newest runs at these revisions.
struct KeptChanges {
  std::vector<RunState> runs;  // newest first
  std::string payload;         // encoded by the reporter
};

}  // namespace gprofhub::store

// Counting a run's targets once, so that a list of runs need not (store/rows/run_counts.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

struct CountOptions {
  // Runs of one transaction. A run may have many thousands of targets.
  uint32_t runs_at_once = 8;
  // Is called between the transactions: it may wait for a while. An error ends the counting.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/store.h says what holds for all of them.
class RunCounts {
 public:
  explicit RunCounts(std::shared_ptr<sql::Database> database);

  // Keeps the counts of all runs that changed since they were counted and have no analysis to be
  // made. Returns how many runs those were. Several processes may do so at once. What was done
  // before an error stays done.
  absl::StatusOr<uint64_t> Keep(const CountOptions& options) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store

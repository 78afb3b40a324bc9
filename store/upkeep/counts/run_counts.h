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
  // Runs per transaction. A run may have many thousands of targets.
  uint32_t runs_at_once = 8;
  // Called between the transactions; may block. An error ends the counting.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/store.h documents what all parts guarantee.
class RunCounts {
 public:
  explicit RunCounts(std::shared_ptr<sql::Database> database);

  // Stores the counts of all runs without pending analyses whose counts are out of date. Returns
  // the number of these runs. Several processes may do so at once. An error does not undo earlier
  // steps.
  absl::StatusOr<uint64_t> Keep(const CountOptions& options) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store

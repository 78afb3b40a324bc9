// Writes summaries of days (store/rows/summaries.h). reporter/queries/trends.h
// computes their content.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/summaries.h"

namespace gprofhub::store {

// Counting a run's targets once, so that a list of runs need not (store/rows/kept_changes.h).

namespace sql {
class Database;
}

struct CountOptions {
  // Runs per transaction. A run may have many thousands of targets.
  uint32_t runs_at_once = 8;
  // Called between the transactions; may block. An error ends the counting.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/open_store.h documents what all parts guarantee.
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

namespace sql {
class Database;
}

// A part of the store: store/open_store.h documents what all parts guarantee. The order of calls
// for one span is Open, Add as often as needed, Close. Rows of an interrupted sequence are never
// read.
class Summaries {
 public:
  explicit Summaries(std::shared_ptr<sql::Database> database);

  // Spans that ended two days ago or earlier, with at least `least_runs` runs and no summary; at
  // most `limit`, in a fixed order.
  absl::StatusOr<std::vector<DueSpan>> FindDue(absl::Time now, uint32_t least_runs,
                                               uint32_t limit) const;

  // The targets that ever had points on the branch, by label.
  absl::StatusOr<std::vector<std::string>> TargetsOf(const BranchKey& branch) const;

  absl::StatusOr<OpenedSpan> Open(const DueSpan& due) const;
  // FAILED_PRECONDITION: a run of the span changed meanwhile.
  absl::Status Add(const OpenedSpan& opened, absl::Span<const TargetSummary> targets,
                   absl::Span<const SummaryRow> rows) const;
  // Whether it is read from now on: false if a run of the span changed meanwhile.
  absl::StatusOr<bool> Close(const DueSpan& due, const OpenedSpan& opened) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store

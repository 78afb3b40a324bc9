#include "store/upkeep/counts/run_counts.h"

#include <utility>

#include "store/rows/run_counts.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {

RunCounts::RunCounts(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<uint64_t> RunCounts::Keep(const CountOptions& options) const {
  const int64_t at_once = options.runs_at_once;
  uint64_t kept = 0;
  for (int64_t after = 0;;) {
    const absl::StatusOr<sql::KeptCounts> step =
        sql::WriteIn(*database_, [&](sql::Session& session) {
          return sql::KeepCounts(session, database_->dialect(), after, at_once);
        });
    if (!step.ok()) return step.status();
    kept += static_cast<uint64_t>(step->kept);
    if (step->looked_at < at_once) return kept;
    after = step->last_id;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

}  // namespace gprofhub::store

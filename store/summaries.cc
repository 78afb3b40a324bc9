#include "store/summaries.h"

#include <utility>

#include "base/status_macros.h"
#include "store/rows/kept_changes.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"

namespace gprofhub::store {

RunCounts::RunCounts(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<uint64_t> RunCounts::Keep(const CountOptions& options) const {
  const int64_t at_once = options.runs_at_once;
  uint64_t kept = 0;
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const sql::KeptCounts step,
                     sql::WriteIn(*database_, [&](sql::Session& session) {
                       return sql::KeepCounts(session, database_->dialect(), after, at_once);
                     }));
    kept += static_cast<uint64_t>(step.kept);
    if (step.looked_at < at_once) return kept;
    after = step.last_id;
    RETURN_IF_ERROR(options.pause());
  }
}

namespace {

// Uploads of a day that has just ended may still be under way.
constexpr absl::Duration kSettled = absl::Hours(48);

}  // namespace

Summaries::Summaries(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<std::vector<DueSpan>> Summaries::FindDue(absl::Time now, uint32_t least_runs,
                                                        uint32_t limit) const {
  return sql::ReadIn(*database_, [&](sql::Session& session) {
    return sql::FindDueSpans(session, now - kSettled, least_runs, limit);
  });
}

absl::StatusOr<std::vector<std::string>> Summaries::TargetsOf(const BranchKey& branch) const {
  return sql::ReadIn(*database_,
                     [&](sql::Session& session) { return sql::TargetsOfBranch(session, branch); });
}

absl::StatusOr<OpenedSpan> Summaries::Open(const DueSpan& due) const {
  return sql::WriteIn(*database_, [&](sql::Session& session) {
    return sql::OpenSpan(session, due.branch, due.span);
  });
}

absl::Status Summaries::Add(const OpenedSpan& opened, absl::Span<const TargetSummary> targets,
                            absl::Span<const SummaryRow> rows) const {
  return database_->Write([&](sql::Session& session) {
    return sql::AddSummaryRows(session, opened.id, targets, rows);
  });
}

absl::StatusOr<bool> Summaries::Close(const DueSpan& due, const OpenedSpan& opened) const {
  return sql::WriteIn(*database_, [&](sql::Session& session) {
    return sql::CloseSpan(session, database_->dialect(), due, opened);
  });
}

}  // namespace gprofhub::store

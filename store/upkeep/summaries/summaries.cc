#include "store/upkeep/summaries/summaries.h"

#include <utility>

#include "store/rows/summaries.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
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

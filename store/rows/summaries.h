// Summaries of days: what a history of years reads instead of each run.
//
// A summary covers all runs of the main line that are ordered in its span. It is deleted when one
// of them changes (sql/due_reports.h), is added or is deleted; queries then read the runs until
// there is a new summary. An incomplete span has `is_made` 0 and is not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/summaries.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// The branch's counted runs of the main line in this span, newest first.
absl::StatusOr<std::vector<RunHead>> ListSpanRuns(Session& session, const BranchKey& branch,
                                                  int64_t span);

// The first span from this one on that has such runs; nullopt: none does.
absl::StatusOr<std::optional<int64_t>> NextSpanWithRuns(Session& session, const BranchKey& branch,
                                                        int64_t span);

// Returns summaries, oldest span first. A span that is deleted meanwhile may be missing.
absl::StatusOr<std::vector<SpanSummary>> ReadSummaries(Session& session, const SummaryQuery& query);

// Returns at most `limit` spans that ended before `ended_before`, have at least the given number of
// runs, and no summary.
absl::StatusOr<std::vector<DueSpan>> FindDueSpans(Session& session, absl::Time ended_before,
                                                  int64_t least_runs, int64_t limit);

// The targets with points on the branch, by label.
absl::StatusOr<std::vector<std::string>> TargetsOfBranch(Session& session, const BranchKey& branch);

// Starts a span; deletes its earlier rows.
absl::StatusOr<OpenedSpan> OpenSpan(Session& session, const BranchKey& branch, int64_t span);

// Adds rows of the span. FAILED_PRECONDITION if the span was deleted because one of its runs
// changed.
absl::Status AddSummaryRows(Session& session, int64_t span_id,
                            absl::Span<const TargetSummary> targets,
                            absl::Span<const SummaryRow> rows);

// Makes the span readable if its runs still have the revisions of its start; otherwise deletes it.
// Returns which.
absl::StatusOr<bool> CloseSpan(Session& session, const Dialect& dialect, const DueSpan& due,
                               const OpenedSpan& opened);

}  // namespace gprofhub::store::sql

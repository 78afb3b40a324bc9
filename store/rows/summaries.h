// Summaries of days: a history of years reads them instead of each run.
//
// A summary covers all runs of the main line that are ordered in its span. It is deleted when one
// of them changes (sql/due_reports.h), is added later, or is deleted. Then queries read the runs
// until there is a new one. The row of an incomplete summary has `is_made` 0: readers ignore it.
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

// The stored summaries, the oldest span first. A span that is deleted meanwhile may be left out.
absl::StatusOr<std::vector<SpanSummary>> ReadSummaries(Session& session, const SummaryQuery& query);

// Spans that ended before `ended_before`, have at least `least_runs` runs, and no summary. At most
// `limit`.
absl::StatusOr<std::vector<DueSpan>> FindDueSpans(Session& session, absl::Time ended_before,
                                                  int64_t least_runs, int64_t limit);

// The targets with points on the branch, by label.
absl::StatusOr<std::vector<std::string>> TargetsOfBranch(Session& session, const BranchKey& branch);

// Starts a span: deletes existing rows of it.
absl::StatusOr<OpenedSpan> OpenSpan(Session& session, const BranchKey& branch, int64_t span);

// Adds rows of the span. FAILED_PRECONDITION: the span was deleted, or one of its runs changed.
absl::Status AddSummaryRows(Session& session, int64_t span_id,
                            absl::Span<const TargetSummary> targets,
                            absl::Span<const SummaryRow> rows);

// Publishes the span, if its runs are unchanged since it was opened; otherwise deletes it. Returns
// whether it was published.
absl::StatusOr<bool> CloseSpan(Session& session, const Dialect& dialect, const DueSpan& due,
                               const OpenedSpan& opened);

}  // namespace gprofhub::store::sql

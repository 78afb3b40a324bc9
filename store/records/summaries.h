// Summaries of a branch's days, as values. Days are kept four weeks at a time, a "span", so that a
// week is never in two of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/history.h"

namespace gprofhub::store {

inline constexpr int64_t kSpanDays = 28;

// The first Monday since 1970: the start of span 0. Older runs are in span 0, too.
inline constexpr int64_t kFirstSpanDay = 4;

// Start of the span, UTC.
inline absl::Time StartOfSpan(int64_t span) {
  return absl::UnixEpoch() + absl::Hours(24) * (kFirstSpanDay + kSpanDays * span);
}

// The span of a run of this time.
inline int64_t SpanOf(absl::Time ordered) {
  const int64_t day = absl::ToInt64Hours(ordered - absl::UnixEpoch()) / 24;
  return day <= kFirstSpanDay ? 0 : (day - kFirstSpanDay) / kSpanDays;
}

// Days of one function in a span, encoded by the reporter.
struct FunctionSummary {
  int64_t function_hash = 0;
  std::string payload;
};

// The summary of a span of a branch, for one target or for all together.
struct SpanSummary {
  int64_t span = 0;
  std::string days;                        // days with runs, encoded by the reporter
  std::vector<FunctionSummary> functions;  // the requested functions that exist
};

// A query for summaries.
struct SummaryQuery {
  BranchKey branch;
  int64_t first_span = 0;
  int64_t last_span = 0;
  std::string target;              // empty: all together
  std::vector<int64_t> functions;  // distinct hashes; at least one
};

// A span that is due for a summary.
struct DueSpan {
  BranchKey branch;
  int64_t span = 0;
};

// A span being summarised: its id, and the runs at the revisions of the start.
struct OpenedSpan {
  int64_t id = 0;
  std::vector<RunState> runs;
};

// Days of one target, or of all together, in a span.
struct TargetSummary {
  int64_t number = 0;  // numbers the span's targets; 0: all together
  std::string target;  // empty: all together
  std::string days;
};

// A row of a function.
struct SummaryRow {
  int64_t target = 0;  // TargetSummary::number
  FunctionSummary function;
};

}  // namespace gprofhub::store

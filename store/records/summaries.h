// Summaries of a branch's days, as values. Days are stored four weeks at a time, a "span", so that
// a week is never in two of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/history.h"

namespace gprofhub::store {

inline constexpr int64_t kSpanDays = 28;

// The first Monday since 1970: span 0 begins there, and includes everything older.
inline constexpr int64_t kFirstSpanDay = 4;

// Begin of the span, UTC.
inline absl::Time StartOfSpan(int64_t span) {
  return absl::UnixEpoch() + absl::Hours(24) * (kFirstSpanDay + kSpanDays * span);
}

// The span of a run of this time.
inline int64_t SpanOf(absl::Time ordered) {
  const int64_t day = absl::ToInt64Hours(ordered - absl::UnixEpoch()) / 24;
  return day <= kFirstSpanDay ? 0 : (day - kFirstSpanDay) / kSpanDays;
}

// A span's days of one function. The encoding is the reporter's.
struct FunctionSummary {
  int64_t function_hash = 0;
  std::string payload;
};

// The stored summary of one span of a branch, of one target or of all together.
struct SpanSummary {
  int64_t span = 0;
  std::string days;                        // which days have runs; the reporter's
  std::vector<FunctionSummary> functions;  // those requested that appear
};

// Parameters of a query for summaries.
struct SummaryQuery {
  BranchKey branch;
  int64_t first_span = 0;
  int64_t last_span = 0;
  std::string target;              // empty: all together
  std::vector<int64_t> functions;  // distinct hashes; at least one
};

// A span that deserves a summary and has none.
struct DueSpan {
  BranchKey branch;
  int64_t span = 0;
};

// A span being summarised: its id, and the runs at the revisions of the start.
struct OpenedSpan {
  int64_t id = 0;
  std::vector<RunState> runs;
};

// Data of one target, or of all together, in a span.
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

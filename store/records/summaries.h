// Summaries of days and histories of runs, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

// Values of histories: runs as histories read them, and the changes found in them.

// The fields of a RunRecord that a trend needs.
struct RunHead {
  int64_t id = 0;
  std::string commit;
  std::string branch;
  std::string configuration;
  bool is_mainline = true;  // no pull request, no fork
  absl::Time ordered;       // RunRecord::ordered
};

// A snapshot of a run. Every event that may change the data of its targets increases the revision:
// a target was analysed, given up or queued again; executions were added to a complete run, or to
// one with counted targets (rows/run_counts.h); executions were deleted.
struct RunState {
  int64_t run_id = 0;
  int64_t revision = 0;

  bool operator==(const RunState&) const = default;
};

// A branch's runs of one configuration.
struct BranchKey {
  std::string project;
  std::string branch;
  std::string configuration;
};

// The changes found in a branch's newest runs, as these runs were at the time.
struct KeptChanges {
  std::vector<RunState> runs;  // newest first
  std::string payload;         // encoded by the reporter
};

// Summaries of a branch's days, as values. Days are stored four weeks at a time, a "span", so that
// a week is never in two of them.

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

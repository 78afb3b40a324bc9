// A trend by days or weeks as a table, CSV or JSON.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// "run", "day", "week", and back; "" is a run. INVALID_ARGUMENT.
absl::string_view NameOfTrendBy(v1::TrendBy by);
absl::StatusOr<v1::TrendBy> TrendByOf(absl::string_view name);

// One line per period, oldest first, with the change of the median from period to period, a mark if
// a new level begins, and sparklines of the medians above.
std::string RenderPeriodsTable(const v1::GetTrendResponse& trend);

// Header line and one line per period (RFC 4180, line ends LF).
std::string RenderPeriodsCsv(const v1::GetTrendResponse& trend);

// {"function", "function_display", "dimension", "unit", "by", "periods": [{"begins", "unix_ms",
// "runs", "last_run_id", "calls", "self_seconds", "total_seconds", "calls_change",
// "self_change"}]}. Counts and times are {"least", "median", "most"}.
std::string RenderPeriodsJson(const v1::GetTrendResponse& trend);

}  // namespace gprofhub::reporter

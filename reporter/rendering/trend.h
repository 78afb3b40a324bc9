// A function's trend as a table or CSV, and the changes of a branch as text.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// A trend by days or weeks as a table or CSV.

// "run", "day", "week", and back; "" is a run. INVALID_ARGUMENT.
absl::string_view NameOfTrendBy(v1::TrendBy by);
absl::StatusOr<v1::TrendBy> TrendByOf(absl::string_view name);

// One line per period, oldest first, with the change of the median from period to period, a mark if
// a new level begins, and sparklines of the medians above.
std::string RenderPeriodsTable(const v1::GetTrendResponse& trend);

// Header line and one line per period (RFC 4180, line ends LF).
std::string RenderPeriodsCsv(const v1::GetTrendResponse& trend);

// Bars of eight heights between the minimum and the maximum, one character per value; all at medium
// height if the values are equal.
std::string Sparkline(const std::vector<double>& values);

// One line per run, oldest first, with the change of calls from run to run, sparklines of calls and
// of self time above, and a mark if a new level begins.
std::string RenderTrendTable(const v1::GetTrendResponse& trend);

// Header line and one line per run (RFC 4180, line ends LF).
std::string RenderTrendCsv(const v1::GetTrendResponse& trend);

// One paragraph per event, newest first: time, commit or range of commits, change, side effects;
// and the number of omitted older events. Names are made printable.
std::string RenderChangesText(const v1::GetChangesResponse& changes);

}  // namespace gprofhub::reporter

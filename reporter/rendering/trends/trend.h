// A trend as a table, CSV or JSON.
#pragma once

#include <string>
#include <vector>

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Bars of eight heights between the smallest and the largest value, one
// character a value; all in the middle where the values are the same.
std::string Sparkline(const std::vector<double>& values);

// One line a run, oldest first, with the change of calls from run to run and a
// sparkline of calls and of own time above, and a mark where a new level begins.
std::string RenderTrendTable(const v1::GetTrendResponse& trend);

// Header line and one line a run (RFC 4180, line ends LF).
std::string RenderTrendCsv(const v1::GetTrendResponse& trend);

// {"function", "function_display", "dimension", "points": [{"run_id", "commit",
// "branch", "unix_ms", "calls", "self_seconds", "self_error_seconds",
// "total_seconds", "total_error_seconds", "calls_change", "self_change"}]}; the last two null,
// "confirmed" or "unconfirmed".
std::string RenderTrendJson(const v1::GetTrendResponse& trend);

}  // namespace gprofhub::reporter

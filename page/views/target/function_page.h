// Data of a function's page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "page/graph/call_graph.h"
#include "page/html/html.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Number of functions that one function can be compared with.
inline constexpr size_t kMostBeside = 4;
// The query parameter of the n-th compared function, from 1.
inline std::string BesideField(size_t n) { return absl::StrCat("beside", n); }

// The default range.
inline constexpr uint32_t kRunsOfPage = 200;
inline constexpr uint32_t kDaysOfPage = 365;
inline constexpr uint32_t kWeeksOfPage = 260;

struct FunctionPage {
  v1::GetTrendResponse trend;
  std::string target;  // empty: all
  std::string branch;  // empty: all
  uint32_t limit = 0;  // of runs, days or weeks, as requested; 0: not given
  // Trends of the compared functions, over the same runs; an unknown one has notes.
  std::vector<v1::GetTrendResponse> beside;
  std::vector<std::string> notes;
  // In the newest run: the targets that have the function, and its costs there.
  std::string newest_run;
  struct Reached {
    std::string target;
    GraphEntry entry;
  };
  std::vector<Reached> reached;  // most time first
  Html around;                   // callers and callees in the first of them
};

// The function's demangled name.
inline absl::string_view DisplayOf(const v1::GetTrendResponse& trend) {
  return trend.function_display().empty() ? trend.function() : trend.function_display();
}

// Whether a new level of calls or of self time begins with this run, day or week.
template <typename Point>
bool BeginsLevel(const Point& point) {
  return point.calls_change() != v1::NO_CHANGE || point.self_change() != v1::NO_CHANGE;
}

}  // namespace gprofhub::page

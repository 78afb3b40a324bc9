// Parts that the pages about one target of a run share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "page/call_graph.h"
#include "page/html.h"
#include "page/stack_tree.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// The profile that a page is about.
struct TargetPlace {
  std::string run;  // its id
  std::string commit;
  std::string target;
};

// The heading of such a page: its title, the target, the run, and links to the other pages about
// the target. The current page, such as "flame", is marked.
Html TargetHead(const Context& context, const TargetPlace& place, absl::string_view title,
                absl::string_view here);

// The call graph page of a function, by linkage name; empty: the list of all functions.
Url GraphUrl(const Context& context, const TargetPlace& place, absl::string_view function);

// "0" or a duration in words. Seconds.
Html TimeOf(double seconds);
// A share, 0 to 1, with its bar.
Html ShareOf(double share);

// The hottest part of a call graph, drawn by a script.

// A script draws the graph; without scripts there is the table.
Html DrawnGraphView(const Context& context, const TargetPlace& place, const DrawnGraph& graph,
                    uint32_t nodes);
// {"nodes": [{"name", "display", "self_share", "share", "calls"}], "edges": [{"from", "to",
// "calls", "share"}]}; pure ASCII.
std::string DrawnGraphJson(const DrawnGraph& graph);

// A flame graph, drawn by a script; without scripts there is the table.

struct FlamePage {
  std::string base;              // a run to compare with; empty: none
  bool is_measured = false;      // the stacks were recorded; false: derived from the call graph
  double unit = 1e6;             // values per second
  std::vector<StackCost> costs;  // the table
  // For the forms that lead to other flame graphs.
  std::vector<std::string> targets;                       // of the run
  std::vector<std::pair<std::string, std::string>> runs;  // id and words; newest first
};
Html FlameView(const Context& context, const TargetPlace& place, const FlamePage& flame);

// Data of a function's page.

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
  // The range of dates, as requested: "2026-11-24"; empty: no limit. The last day is part of it.
  std::string from, until;
  // The choice: targets of the latest run, branches of the newest runs.
  std::vector<std::string> targets, branches;
  // The branch whose runs the chart joins by a line; empty: all.
  std::string line_branch;
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

// A profile as text and files: gprof's listings, downloads.

struct ListingChoice {
  std::string kind;  // "flat", "graph", "lines", "annotated"
  std::string words;
};
Html ListingView(const Context& context, const TargetPlace& place, const std::string& kind,
                 const std::vector<ListingChoice>& kinds, const std::string& text);

struct Download {
  std::string format, words, file;
  std::string image;  // its build-id, where the target has several; else empty
};
Html DownloadView(const Context& context, const TargetPlace& place,
                  const std::vector<Download>& downloads);

// Functions in link order, and the effect on the pages of the program's text.

struct OrderingPage {
  std::string text;  // the order, in the linker's format
  struct Moved {
    std::string name, display;
    double calls = 0;
    uint32_t place_now = 0, place_then = 0;
  };
  struct Image {
    std::string name;
    std::vector<bool> as_linked, in_order;  // per page: has executed code
    std::vector<Moved> moved;
  };
  std::vector<Image> images;
  std::string function;  // a linkage name to look for; empty: none
  // How the orders of earlier runs do on this one; empty: not requested.
  struct Drift {
    std::string run, commit;
    int64_t unix_ms = 0;
    uint64_t pages = 0;
  };
  std::vector<Drift> drift;  // newest first; the first is this run's own order
  std::string drift_error;   // why it is unknown; empty: known, or not requested
};
Html OrderingView(const Context& context, const TargetPlace& place, const OrderingPage& page);

}  // namespace gprofhub::page

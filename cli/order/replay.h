// `gprofhub order --replay`, `--verify` and `--store-trace`: measures the effect of an ordering,
// and checks whether a linker applied it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/replay.h"

namespace gprofhub::cli {

// Drift: the cost of the order in use relative to a new one.

struct NamedMetric {
  absl::string_view name;
  uint64_t analyzer::ReplayMetrics::*value;
};

// The metrics of a replay, named as in its JSON.
inline constexpr NamedMetric kReplayMetrics[] = {
    {"startup_pages", &analyzer::ReplayMetrics::startup_pages},
    {"pages", &analyzer::ReplayMetrics::pages},
    {"itlb_misses_64", &analyzer::ReplayMetrics::itlb_misses_64},
    {"itlb_misses_16", &analyzer::ReplayMetrics::itlb_misses_16},
    {"l1i_misses", &analyzer::ReplayMetrics::l1i_misses},
};

struct DriftLimit {
  NamedMetric metric;
  double percent = 0;  // allowed excess of the order in use over the new one
};

// Parses "METRIC=PERCENT" each. INVALID_ARGUMENT: unknown metric, or the percentage is not a
// non-negative number.
absl::StatusOr<std::vector<DriftLimit>> ParseDriftLimits(absl::Span<const std::string> texts);

// A sentence for each limit that `current` exceeds.
std::vector<std::string> DriftsBeyond(absl::Span<const DriftLimit> limits,
                                      absl::string_view current_name,
                                      const analyzer::ReplayMetrics& current,
                                      absl::string_view renewed_name,
                                      const analyzer::ReplayMetrics& renewed);

// Picture of the pages of text that a program touches.

struct PageStrip {
  std::string title;
  std::vector<analyzer::PageTouch> pages;
};

// For each strip a block of squares, one per page, row by row: dark if touched at start-up, light
// if touched later, empty if never touched. The SVG has titles and a legend. The PNG has only the
// squares, in the same order, ten pixels each with a margin of ten around each block. INTERNAL if
// libpng cannot write the picture because it has more than a million rows.
std::string PagesAsSvg(absl::Span<const PageStrip> strips);
absl::StatusOr<std::string> PagesAsPng(absl::Span<const PageStrip> strips);

struct ReplayArguments {
  std::string trace;                // stored, or lackey's text; "-": the latter from standard input
  std::string binary;               // the traced program
  std::string load_bias = "auto";   // hexadecimal; auto: valgrind's
  std::vector<std::string> orders;  // symbol files or linked programs
  std::vector<DriftLimit> max_drift;  // of the first order relative to the last; needs both
};

struct ReplayReport {
  std::string text;
  std::vector<std::string> drifts;  // a sentence for each exceeded limit
};

// JSON: the trace, the limit and the metrics of the program's own order and of each
// ordering. If `report` is not empty, a table for people instead, and the files report.svg and
// report.png: the pages that the first and the last ordering touch.
absl::StatusOr<ReplayReport> ReplayOrders(const ReplayArguments& arguments,
                                          const std::string& report);

// Writes the stored form of arguments.trace to `path`; returns a line about it.
absl::StatusOr<std::string> StoreTrace(const ReplayArguments& arguments, const std::string& path);

struct Verified {
  std::string text;
  bool all_placed = false;
};

// Checks a linked program against the ordering `names`.
absl::StatusOr<Verified> VerifyOrder(const std::string& binary,
                                     const std::vector<std::string>& names);

}  // namespace gprofhub::cli

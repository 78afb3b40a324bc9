// `gprofhub order --replay`, `--verify` and `--store-trace`: what an ordering does,
// and whether a linker did as it asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/replay.h"

namespace gprofhub::cli {

// How far an order that is in use has fallen behind a new one.

struct NamedMetric {
  absl::string_view name;
  uint64_t analyzer::ReplayMetrics::*value;
};

// Those of a replay, as its JSON names them.
inline constexpr NamedMetric kReplayMetrics[] = {
    {"startup_pages", &analyzer::ReplayMetrics::startup_pages},
    {"pages", &analyzer::ReplayMetrics::pages},
    {"itlb_misses_64", &analyzer::ReplayMetrics::itlb_misses_64},
    {"itlb_misses_16", &analyzer::ReplayMetrics::itlb_misses_16},
    {"l1i_misses", &analyzer::ReplayMetrics::l1i_misses},
};

struct DriftLimit {
  NamedMetric metric;
  double percent = 0;  // that the order in use may need more than the new one
};

// "METRIC=PERCENT" each. INVALID_ARGUMENT: there is no such metric, or the percentage
// is no number from 0 on.
absl::StatusOr<std::vector<DriftLimit>> ParseDriftLimits(absl::Span<const std::string> texts);

// A sentence for each limit that `current` exceeds.
std::vector<std::string> DriftsBeyond(absl::Span<const DriftLimit> limits,
                                      absl::string_view current_name,
                                      const analyzer::ReplayMetrics& current,
                                      absl::string_view renewed_name,
                                      const analyzer::ReplayMetrics& renewed);

// Which pages of text a program touches, as a picture.

struct PageStrip {
  std::string title;
  std::vector<analyzer::PageTouch> pages;
};

// One block of squares, a page each, row by row, for each strip: dark where it is
// touched at start-up, light where later, empty where never. The SVG has titles and a
// legend; the PNG the squares alone, in the same order, ten pixels each with a margin of ten
// around each block. INTERNAL if libpng cannot write it: it has more than a million rows.
std::string PagesAsSvg(absl::Span<const PageStrip> strips);
absl::StatusOr<std::string> PagesAsPng(absl::Span<const PageStrip> strips);

struct ReplayArguments {
  std::string trace;                // stored, or lackey's text; "-": the latter from standard input
  std::string binary;               // the traced program
  std::string load_bias = "auto";   // hexadecimal; auto: valgrind's
  std::vector<std::string> orders;  // symbol files or linked programs
  std::vector<DriftLimit> max_drift;  // of the first order, beside the last; needs both
};

struct ReplayReport {
  std::string text;
  std::vector<std::string> drifts;  // a sentence for each limit that is exceeded
};

// JSON: the trace, the limit and the metrics of the program's own order and of each
// ordering. With `report`, not empty, a table for people instead, and report.svg and
// report.png beside it: the pages that the first and the last ordering touch.
absl::StatusOr<ReplayReport> ReplayOrders(const ReplayArguments& arguments,
                                          const std::string& report);

// Writes the stored form of arguments.trace to `path`; returns a line about it.
absl::StatusOr<std::string> StoreTrace(const ReplayArguments& arguments, const std::string& path);

struct Verified {
  std::string text;
  bool all_placed = false;
};

// Holds a linked program to the ordering `names`.
absl::StatusOr<Verified> VerifyOrder(const std::string& binary,
                                     const std::vector<std::string>& names);

}  // namespace gprofhub::cli

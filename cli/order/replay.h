// `gprofhub order --replay`, `--verify` and `--store-trace`: measures the effect of an ordering,
// and checks whether a linker applied it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/order/drift.h"

namespace gprofhub::cli {

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

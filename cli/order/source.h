// Where `gprofhub order` takes its profiles from, and how it writes an ordering.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/command/command.h"
#include "reporter/policy/policy.h"

namespace gprofhub::cli {

struct OrderSource {
  std::vector<std::string> sources = {"latest"};  // folders or files, or a server's runs
  std::string target;                             // of a server's runs; empty: all
  std::string image;                              // program that wrote local profiles
  std::string algorithm = "default";
  // Targets of a server's runs and local sources; history and half-life are a server's.
  reporter::OrderingPolicy policy;
  ServerOptions server;
};

// A symbol file, or for kCallGraphAlgorithm a call graph file (ordering_text.h). Local
// sources are taken together, each of their runs as one; a text is stacks that perf
// sampled. NOT_FOUND: nothing to order. INVALID_ARGUMENT: local folders beside a
// server's runs.
absl::StatusOr<std::string> ReadOrdering(const OrderSource& source);

// "PATTERN=FACTOR": INVALID_ARGUMENT unless the factor is a number from 0 to 1e6.
absl::StatusOr<std::vector<reporter::OrderingWorkload>> ParseWeights(
    absl::Span<const std::string> texts);

// The object files of a map that `nm --print-file-name` printed, one a line: in the
// order of their first function in `names`, the others behind.
absl::StatusOr<std::string> FormatObjectFiles(absl::Span<const std::string> names,
                                              const std::string& map_file);

// The ordering in one of the formats "lld", "gold", "gnu-ld" or "text" (numbered, with
// C++ names). `binary`, unless empty, is a linked program: its clones of the ordering's
// functions are ordered, too, and cold parts of functions kept out.
absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> ordering,
                                           absl::string_view format, const std::string& binary);

}  // namespace gprofhub::cli

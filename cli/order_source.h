// Where `gprofhub order` takes its profiles from, and how it writes an ordering.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/test_code.h"
#include "cli/command.h"

namespace gprofhub {

struct OrderSource {
  std::vector<std::string> sources = {"latest"};  // folders or files, or one run of a server
  std::map<std::string, double> weights;          // by source; 1 where it has none
  std::string target;                             // of a server's run; empty: all
  std::string image;                              // program that wrote local profiles
  std::string algorithm = "default";
  ExcludeOptions exclude;
  ServerOptions server;
};

// A symbol file, or for kCallGraphAlgorithm a call graph file (ordering_text.h). Local
// sources are taken together, each of their runs as one. NOT_FOUND: nothing to order.
// INVALID_ARGUMENT: local folders beside a server's run, or several of the latter.
absl::StatusOr<std::string> ReadOrdering(const OrderSource& source);

// "PATH=FACTOR": INVALID_ARGUMENT unless the factor is a positive number.
absl::StatusOr<std::map<std::string, double>> ParseWeights(absl::Span<const std::string> texts);

// The names in another format: "lld", "gold", "gnu-ld" or "text" (numbered, with
// C++ names). `binary`, unless empty, is a linked program, which tells for the
// section formats which functions have a cold part.
absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> names,
                                           absl::string_view format, const std::string& binary);

}  // namespace gprofhub

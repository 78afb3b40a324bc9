// `gprofhub order`: the functions in link order.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/ordering_graph.h"
#include "analyzer/ordering/ordering_text.h"
#include "analyzer/ordering/start_up.h"
#include "cli/command/command.h"
#include "reporter/gate/policy.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddOrderCommand(CLI::App& app, CommandMain& run);

// Input of profiles and output of orderings for `gprofhub order`.

struct OrderSource {
  std::vector<std::string> sources = {"latest"};  // folders or files, or a server's runs
  std::string target;                             // of a server's runs; empty: all
  std::string image;                              // program that wrote local profiles
  analyzer::OrderingForm form = analyzer::OrderingForm::kSymbols;
  // Of local recordings: ordered by first calls instead, or these for LLVM.
  enum class FirstCallsAs { kNothing, kOrder, kTraces } first_calls = FirstCallsAs::kNothing;
  // Targets apply to a server's runs and local sources; history and half-life only to a server's.
  reporter::OrderingPolicy policy;
  ServerOptions server;
};

// The ordering in the source's form. Sources are either all local (ReadLocalGraph) or all a
// server's runs. NOT_FOUND: nothing to order, or local sources mixed with a server's runs.
absl::StatusOr<std::string> ReadOrdering(const OrderSource& source);

// The graph of local sources, each of whose runs is a training run; a text file contains stacks
// that perf sampled. NOT_FOUND: nothing to order.
absl::StatusOr<analyzer::OrderingGraph> ReadLocalGraph(const OrderSource& source);

// Adds the first calls of the processes in local recordings (first_calls.cc); `image` as in
// OrderSource. Processes whose recording has none are skipped.
absl::Status AddLocalFirstCalls(const std::string& path, const std::string& image, double weight,
                                analyzer::FirstCalls& calls);

// "PATTERN=FACTOR": INVALID_ARGUMENT unless the factor is a number from 0 to 1e6.
absl::StatusOr<std::vector<reporter::OrderingWorkload>> ParseWeights(
    absl::Span<const std::string> texts);

// The object files of a map that `nm --print-file-name` printed, one per line: in the order of
// their first function in `names`, then the others.
absl::StatusOr<std::string> FormatObjectFiles(absl::Span<const std::string> names,
                                              const std::string& map_file);

// The ordering in one of the formats "lld", "gold", "gnu-ld" or "text" (numbered, with
// C++ names). `binary`, unless empty, is a linked program: its clones of the ordering's functions
// are ordered, too, and cold parts of functions are excluded.
absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> ordering,
                                           absl::string_view format, const std::string& binary);

// Files of a Bazel workspace.

// The path of "//path:file" in the workspace that contains the folder `start`. INVALID_ARGUMENT:
// `label` does not have this form. NOT_FOUND: the folder is not in a workspace.
absl::StatusOr<std::string> PathOfLabel(absl::string_view label, const std::string& start);

// The folder in which `bazel run` was started, else the working directory.
std::string StartFolder();

}  // namespace gprofhub::cli

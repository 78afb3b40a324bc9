#include "cli/order/command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "analyzer/linker_files/symbol_file.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cli/local/policy_file.h"
#include "cli/order/options.h"
#include "cli/order/ordering_text.h"
#include "cli/order/replay.h"
#include "cli/order/source.h"
#include "cli/order/workspace_file.h"
#include "cli/output/write_file.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

// Writes to the file `output`, or to stdout if that is empty. Does not rewrite a file with the same
// text, which a build system would treat as changed.
int Print(const absl::StatusOr<std::string>& text, const std::string& output) {
  if (!text.ok()) return ReportStatus(text.status());
  if (output.empty()) return PrintOutput(*text);
  const absl::StatusOr<std::string> held = base::ReadFile(output);
  if (held.ok() && *held == *text) return kExitOk;
  return ReportStatus(WriteFile(output, *text));
}

// An earlier or new symbol file.
absl::StatusOr<std::string> OrderingOf(const OrderSource& source) {
  const std::string& first = source.sources.front();
  std::error_code error;
  if (source.sources.size() == 1 && fs::is_regular_file(first, error)) {
    absl::StatusOr<std::string> text = base::ReadFile(first);
    if (text.ok() && absl::StartsWith(*text, analyzer::kSymbolFileHeader)) return text;
  }
  return ReadOrdering(source);
}

int Verify(const OrderArguments& arguments) {
  const absl::StatusOr<std::string> text = OrderingOf(arguments.source);
  if (!text.ok()) return ReportStatus(text.status());
  const absl::StatusOr<Verified> verified =
      VerifyOrder(arguments.verify, analyzer::ParseSymbolFile(*text));
  if (!verified.ok()) return ReportStatus(verified.status());
  const int printed = PrintOutput(base::PrintableLines(verified->text));
  if (printed != kExitOk) return printed;
  return verified->all_placed ? kExitOk : kExitIncomplete;
}

int Replay(const OrderArguments& arguments) {
  const absl::StatusOr<ReplayReport> report = ReplayOrders(arguments.replay, arguments.report);
  if (!report.ok()) return ReportStatus(report.status());
  const int printed = Print(report->text, arguments.output);
  for (const std::string& drift : report->drifts) {
    std::cerr << "gprofhub: " << base::Printable(drift) << "\n";
  }
  return printed != kExitOk || report->drifts.empty() ? printed : kExitDrifted;
}

// Checks constraints that CLI11 cannot express, and derives values from combinations of options.
// INVALID_ARGUMENT for an invalid command line. NOT_FOUND for --write outside of a workspace.
absl::Status CompleteArguments(OrderArguments& arguments) {
  absl::StatusOr<std::vector<reporter::OrderingWorkload>> workloads =
      ParseWeights(arguments.weights);
  if (!workloads.ok()) return workloads.status();
  arguments.source.policy.workloads = *std::move(workloads);
  absl::StatusOr<std::vector<DriftLimit>> limits = ParseDriftLimits(arguments.max_drift);
  if (!limits.ok()) return limits.status();
  arguments.replay.max_drift = *std::move(limits);
  if ((arguments.format == "link") != !arguments.map_file.empty()) {
    return absl::InvalidArgumentError(
        "--format=link and --map go together: `nm --print-file-name --defined-only *.o > FILE`");
  }
  if (!arguments.label.empty()) {
    absl::StatusOr<std::string> path = PathOfLabel(arguments.label, StartFolder());
    if (!path.ok()) return path.status();
    arguments.output = *std::move(path);
  }
  if (arguments.replay.trace.empty()) return absl::OkStatus();
  if (arguments.replay.binary.empty()) {
    return absl::InvalidArgumentError("--replay needs --binary");
  }
  if (arguments.source.sources != OrderSource().sources) {
    arguments.replay.orders = arguments.source.sources;
  }
  if (!arguments.max_drift.empty() && arguments.replay.orders.size() < 2) {
    return absl::InvalidArgumentError(
        "--max-drift holds one order against another: name the order in use, then the new one");
  }
  return absl::OkStatus();
}

// The policy file's weights, behind those of the options.
absl::Status ApplyPolicyFile(OrderArguments& arguments) {
  const absl::StatusOr<reporter::Policy> file = ReadPolicyFile(arguments.policy_file);
  if (!file.ok()) return file.status();
  const reporter::OrderingPolicy& from_file = file->ordering;
  reporter::OrderingPolicy& policy = arguments.source.policy;
  policy.workloads.insert(policy.workloads.end(), from_file.workloads.begin(),
                          from_file.workloads.end());
  policy.exclude = from_file.exclude;
  policy.exclude.insert(policy.exclude.end(), arguments.exclude.begin(), arguments.exclude.end());
  policy.with_tests = from_file.with_tests || arguments.with_tests;
  policy.history = arguments.history.value_or(from_file.history);
  policy.half_life_days = arguments.half_life_days.value_or(from_file.half_life_days);
  return absl::OkStatus();
}

int PrintOrdering(OrderArguments& arguments) {
  if (arguments.format == "lld-call-graph") {
    arguments.source.form = OrderingForm::kCallGraph;
    return Print(ReadOrdering(arguments.source), arguments.output);
  }
  const absl::StatusOr<std::string> ordering = OrderingOf(arguments.source);
  if (!ordering.ok()) return ReportStatus(ordering.status());
  const std::vector<std::string> names = analyzer::ParseSymbolFile(*ordering);
  return Print(arguments.format == "link"
                   ? FormatObjectFiles(names, arguments.map_file)
                   : FormatOrdering(names, arguments.format, arguments.replay.binary),
               arguments.output);
}

int RunOrder(OrderArguments arguments) {
  if (absl::Status status = CompleteArguments(arguments); !status.ok()) {
    return absl::IsInvalidArgument(status) ? ReportUsage(status) : ReportStatus(status);
  }
  if (absl::Status status = ApplyPolicyFile(arguments); !status.ok()) return ReportStatus(status);
  if (!arguments.store_trace.empty()) {
    return Print(StoreTrace(arguments.replay, arguments.store_trace), arguments.output);
  }
  if (!arguments.replay.trace.empty()) return Replay(arguments);
  if (!arguments.verify.empty()) return Verify(arguments);
  return PrintOrdering(arguments);
}

}  // namespace

void AddOrderCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "order", "Print the functions in the order in which they should be linked");
  auto arguments = std::make_shared<OrderArguments>();
  AddOrderOptions(*command, *arguments);
  command->callback([arguments, &run] { run = [arguments] { return RunOrder(*arguments); }; });
}

}  // namespace gprofhub::cli

#include "cli/order/command.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analyzer/ordering/symbol_file.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cli/local/policy_file.h"
#include "cli/order/ordering_text.h"
#include "cli/order/replay.h"
#include "cli/order/source.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

struct OrderArguments {
  OrderSource source;
  std::vector<std::string> weights;
  std::vector<std::string> exclude;
  bool with_tests = false;
  std::optional<uint32_t> history;
  std::optional<double> half_life_days;
  std::string policy_file;
  std::string map_file;
  std::string format = "lld";
  std::string output;
  std::string label;  // to write to
  std::string verify;
  std::string report;
  std::string store_trace;
  std::vector<std::string> max_drift;
  ReplayArguments replay;
};

// "//path:file" below the workspace that this folder, or `bazel run`, is in.
absl::StatusOr<std::string> PathOfLabel(absl::string_view label) {
  const size_t colon = label.find(':');
  if (!absl::StartsWith(label, "//") || colon == absl::string_view::npos ||
      colon + 1 == label.size() || absl::StrContains(label, "..")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--write=", label, ": must be //path:file, a file of this workspace"));
  }
  const char* given = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  fs::path root = given != nullptr ? fs::path(given) : fs::current_path();
  const auto is_root = [](const fs::path& folder) {
    return fs::exists(folder / "WORKSPACE") || fs::exists(folder / "WORKSPACE.bazel") ||
           fs::exists(folder / "MODULE.bazel");
  };
  while (!is_root(root)) {
    if (root == root.parent_path()) {
      return absl::NotFoundError("--write: this folder is in no Bazel workspace");
    }
    root = root.parent_path();
  }
  return (root / std::string(label.substr(2, colon - 2)) / std::string(label.substr(colon + 1)))
      .string();
}

// Leaves a file alone that holds this text already.
int Write(const std::string& text, const std::string& path) {
  const absl::StatusOr<std::string> held = base::ReadFile(path);
  if (held.ok() && *held == text) return kExitOk;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) return ReportStatus(absl::PermissionDeniedError(path + " cannot be written"));
  return kExitOk;
}

int Print(const absl::StatusOr<std::string>& text, const std::string& output) {
  if (!text.ok()) return ReportStatus(text.status());
  if (!output.empty()) return Write(*text, output);
  std::cout << *text << std::flush;
  return kExitOk;
}

// A symbol file that was written before, or a new one.
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
  std::cout << base::PrintableLines(verified->text) << std::flush;
  return verified->all_placed ? kExitOk : kExitIncomplete;
}

int Replay(OrderArguments& arguments) {
  absl::StatusOr<std::vector<DriftLimit>> limits = ParseDriftLimits(arguments.max_drift);
  if (!limits.ok()) return ReportStatus(limits.status());
  arguments.replay.max_drift = *std::move(limits);
  const absl::StatusOr<ReplayReport> report = ReplayOrders(arguments.replay, arguments.report);
  if (!report.ok()) return ReportStatus(report.status());
  const int printed = Print(report->text, arguments.output);
  for (const std::string& drift : report->drifts) {
    std::cerr << "gprofhub: " << base::Printable(drift) << "\n";
  }
  return printed != kExitOk || report->drifts.empty() ? printed : kExitDrifted;
}

// The policy file's, with the options before it.
absl::StatusOr<reporter::OrderingPolicy> ReadOrderingPolicy(const OrderArguments& arguments) {
  absl::StatusOr<std::vector<reporter::OrderingWorkload>> workloads =
      ParseWeights(arguments.weights);
  if (!workloads.ok()) return workloads.status();
  const absl::StatusOr<reporter::Policy> policy = ReadPolicyFile(arguments.policy_file);
  if (!policy.ok()) return policy.status();
  reporter::OrderingPolicy ordering = policy->ordering;
  ordering.workloads.insert(ordering.workloads.begin(), workloads->begin(), workloads->end());
  ordering.exclude.insert(ordering.exclude.end(), arguments.exclude.begin(),
                          arguments.exclude.end());
  ordering.with_tests = ordering.with_tests || arguments.with_tests;
  ordering.history = arguments.history.value_or(ordering.history);
  ordering.half_life_days = arguments.half_life_days.value_or(ordering.half_life_days);
  return ordering;
}

int RunOrder(OrderArguments arguments) {
  absl::StatusOr<reporter::OrderingPolicy> policy = ReadOrderingPolicy(arguments);
  if (!policy.ok()) return ReportStatus(policy.status());
  arguments.source.policy = *std::move(policy);
  if ((arguments.format == "link") != !arguments.map_file.empty()) {
    return ReportStatus(absl::InvalidArgumentError(
        "--format=link and --map go together: `nm --print-file-name --defined-only *.o > FILE`"));
  }
  if (!arguments.label.empty()) {
    const absl::StatusOr<std::string> path = PathOfLabel(arguments.label);
    if (!path.ok()) return ReportStatus(path.status());
    arguments.output = *path;
  }
  if (!arguments.replay.trace.empty()) {
    if (arguments.replay.binary.empty()) {
      return ReportStatus(absl::InvalidArgumentError("--replay needs --binary"));
    }
    if (!arguments.store_trace.empty()) {
      return Print(StoreTrace(arguments.replay, arguments.store_trace), arguments.output);
    }
    if (arguments.source.sources != OrderSource().sources) {
      arguments.replay.orders = arguments.source.sources;
    }
    return Replay(arguments);
  }
  if (!arguments.verify.empty()) return Verify(arguments);
  if (arguments.format == "lld-call-graph") {
    arguments.source.algorithm = std::string(kCallGraphAlgorithm);
    return Print(ReadOrdering(arguments.source), arguments.output);
  }
  const absl::StatusOr<std::string> ordering = OrderingOf(arguments.source);
  if (!ordering.ok()) return ReportStatus(ordering.status());
  if (arguments.format == "link") {
    return Print(FormatObjectFiles(analyzer::ParseSymbolFile(*ordering), arguments.map_file),
                 arguments.output);
  }
  return Print(FormatOrdering(analyzer::ParseSymbolFile(*ordering), arguments.format,
                              arguments.replay.binary),
               arguments.output);
}

void AddSourceOptions(CLI::App& command, OrderArguments& arguments) {
  OrderSource& source = arguments.source;
  command
      .add_option("run", source.sources,
                  "Local folders as for `gprofhub diff`, and files of stacks that perf sampled; or "
                  "run ids, commits or latest on a server. All are taken together. Or one ordering "
                  "file, for another --format or --verify")
      ->capture_default_str();
  command.add_option("--target", source.target, "One target only (default: all of the run)");
  command.add_option("--algorithm", source.algorithm, "How to order")
      ->check(CLI::IsMember({"default", "cdsort", "c3", "gprof"}))
      ->capture_default_str();
  command
      .add_option("--format", arguments.format,
                  "For which linker; link orders object files, text is for people")
      ->check(CLI::IsMember({"lld", "lld-call-graph", "gold", "gnu-ld", "link", "text"}))
      ->capture_default_str();
  command.add_option("--image", source.image, "Program that wrote the local profiles")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddPolicyOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option("--weight", arguments.weights,
                  "Count the runs of this folder, or of the targets that match, FACTOR times; 0 "
                  "leaves them out (repeatable)")
      ->type_name("PATTERN=FACTOR")
      ->allow_extra_args(false);
  command
      .add_option("--exclude", arguments.exclude,
                  "Leave out functions whose name or source file matches (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_flag("--with-tests", arguments.with_tests,
                   "Keep test frameworks and the tests' own functions");
  command
      .add_option("--history", arguments.history,
                  "On a server: take so many runs of the main branch together, up to this one")
      ->check(CLI::Range(1, 100))
      ->type_name("RUNS");
  command
      .add_option("--half-life", arguments.half_life_days,
                  "On a server: what is so much older counts half")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("DAYS");
  command
      .add_option("--policy", arguments.policy_file,
                  absl::StrCat("Policy file (default: ", reporter::kPolicyFile,
                               " in this folder, if there is one)"))
      ->type_name("FILE");
}

void AddLinkingOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option("--map", arguments.map_file,
                  "For --format=link: the object files' functions, as nm --print-file-name prints "
                  "them")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option("--verify", arguments.verify,
                  "Say whether this linked program has the functions in order, instead")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddReplayOptions(CLI::App& command, OrderArguments& arguments) {
  CLI::Option* replay =
      command
          .add_option("--replay", arguments.replay.trace,
                      "Replay this instruction trace under each order named in the place of runs "
                      "(symbol files or linked programs); - for standard input")
          ->type_name("TRACE");
  command
      .add_option(
          "--binary", arguments.replay.binary,
          "Linked program: the one that was traced; for an order, the release that it is for")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option("--load-bias", arguments.replay.load_bias,
                  "What was added to the traced program's addresses, hexadecimal")
      ->needs(replay)
      ->capture_default_str();
  command
      .add_option("--store-trace", arguments.store_trace,
                  "Write the trace to this file, in its small form")
      ->needs(replay)
      ->type_name("FILE");
  command
      .add_option("--report", arguments.report,
                  "Print a table, and write NAME.svg and NAME.png: the pages touched before and "
                  "after")
      ->needs(replay)
      ->type_name("NAME");
  command
      .add_option("--max-drift", arguments.max_drift,
                  "Exit with 6 if the first order has so much more of a metric of the replay than "
                  "the last (repeatable)")
      ->needs(replay)
      ->type_name("METRIC=PERCENT")
      ->allow_extra_args(false);
}

void AddOutputOptions(CLI::App& command, OrderArguments& arguments) {
  CLI::Option* output =
      command.add_option("--output", arguments.output, "Write to this file (default: stdout)")
          ->type_name("FILE");
  command.add_option("--write", arguments.label, "Write to this file of the Bazel workspace")
      ->excludes(output)
      ->type_name("//PATH:FILE");
}

void SetOrderExamples(CLI::App& command) {
  SetExamples(
      command,
      {"gprofhub order --output app.order",
       "g++ -ffunction-sections … -fuse-ld=lld -Wl,--symbol-ordering-file=app.order",
       "gprofhub order --history=20 --half-life=14 --output app.order",
       "gprofhub order profiles/ --format=gold --output app.sections",
       "gprofhub order profiles/ production.folded --image app --weight production.folded=3",
       "gprofhub order app.order --format=gnu-ld --binary app --output app.ld",
       "gprofhub order app.order --verify app",
       "gprofhub order --replay app.trace --binary app old.order new.order",
       "gprofhub order --replay app.trace --binary app old.order new.order --max-drift pages=5"});
}

}  // namespace

void AddOrderCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "order", "Print the functions in the order in which they should be linked");
  auto arguments = std::make_shared<OrderArguments>();
  AddSourceOptions(*command, *arguments);
  AddPolicyOptions(*command, *arguments);
  AddLinkingOptions(*command, *arguments);
  AddReplayOptions(*command, *arguments);
  AddOutputOptions(*command, *arguments);
  AddServerOptions(*command, arguments->source.server);
  SetOrderExamples(*command);
  command->callback([arguments, &run] { run = [arguments] { return RunOrder(*arguments); }; });
}

}  // namespace gprofhub::cli

#include "cli/order/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analyzer/ordering/linker_files.h"
#include "analyzer/ordering/ordering_text.h"
#include "analyzer/ordering/start_up.h"
#include "analyzer/worker/target_profile.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/client/policy_file.h"
#include "cli/client/profiles.h"
#include "cli/client/query_client.h"
#include "cli/command/command.h"
#include "cli/order/replay.h"
#include "profile/demangle.h"
#include "profile/elf/read_image.h"
#include "profile/recording/perf_text.h"
#include "reporter/gate/policy.h"

namespace gprofhub::cli {

namespace {

// Whether the text can be a path, but no branch or other name of a run.
bool IsPathOnly(absl::string_view text) {
  return absl::StartsWith(text, "/") || absl::StartsWith(text, ".") || absl::EndsWith(text, "/") ||
         absl::StrContains(text, "//") || absl::StrContains(text, "..");
}

absl::StatusOr<profile::ComputedProfile> ReadStacks(const std::string& path,
                                                    const std::string& image) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path));
  ASSIGN_OR_RETURN(const profile::SampledStacks stacks, profile::ParseSampledStacks(text, path));
  ASSIGN_OR_RETURN(const profile::SymbolTable program, image.empty()
                                                           ? analyzer::ProgramOfNames(stacks)
                                                           : profile::ReadElfSymbols(image));
  if (program.functions.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": no linkage names; pass the program with --image, or write the file with "
                     "`perf script --no-demangle`"));
  }
  ASSIGN_OR_RETURN(const profile::ResolvedStacks resolved,
                   profile::ResolveStacks(stacks, program, path));
  analyzer::SampledProfile profile;
  profile.Add(resolved.stacks, program);
  return profile.Take();
}

double WeightOf(const reporter::OrderingPolicy& policy, absl::string_view path) {
  while (path.size() > 1 && absl::ConsumeSuffix(&path, "/")) {
  }
  for (const reporter::OrderingWorkload& workload : policy.workloads) {
    if (base::GlobMatches(workload.target, path)) return workload.weight;
  }
  return 1;
}

absl::StatusOr<std::string> OrderAtServer(const OrderSource& source) {
  v1::GetOrderingRequest request;
  request.set_run(source.sources.front());
  for (size_t i = 1; i < source.sources.size(); ++i) request.add_more_runs(source.sources[i]);
  request.set_target(source.target);
  request.set_call_graph(source.form == analyzer::OrderingForm::kCallGraph);
  request.set_history(source.policy.history);
  request.set_half_life_days(source.policy.half_life_days);
  for (const reporter::OrderingWorkload& workload : source.policy.workloads) {
    v1::OrderingWorkload* const sent = request.add_workloads();
    sent->set_target(workload.target);
    sent->set_weight(workload.weight);
  }
  for (const std::string& pattern : source.policy.exclude) request.add_exclude(pattern);
  request.set_with_tests(source.policy.with_tests);
  return QueryClient(source.server).Call(&QueryStub::GetOrdering, request);
}

// Functions with an additional part in .text.unlikely.
absl::flat_hash_set<std::string> SplitFunctions(const std::vector<std::string>& in_binary) {
  absl::flat_hash_set<std::string> split;
  for (absl::string_view name : in_binary) {
    if (absl::ConsumeSuffix(&name, ".cold")) split.emplace(name);
  }
  return split;
}

absl::StatusOr<std::vector<std::string>> FunctionNames(const std::string& binary) {
  std::vector<std::string> names;
  if (binary.empty()) return names;
  ASSIGN_OR_RETURN(const profile::SymbolTable symbols,
                   profile::ReadElfSymbols(binary, {.with_lines = false}));
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (symbol.is_function && analyzer::CanBePlaced(symbol.name)) names.push_back(symbol.name);
  }
  return names;
}

}  // namespace

absl::StatusOr<analyzer::OrderingGraph> ReadLocalGraph(const OrderSource& source) {
  const analyzer::ExcludeOptions exclude = {.tests = !source.policy.with_tests,
                                            .patterns = source.policy.exclude};
  analyzer::OrderingGraphBuilder builder;
  analyzer::MatchingLimit unlimited;
  for (const std::string& path : source.sources) {
    const double weight = WeightOf(source.policy, path);
    if (weight == 0) continue;
    std::vector<profile::ComputedProfile> runs;
    if (profile::HoldsSampledStacks(path)) {
      ASSIGN_OR_RETURN(profile::ComputedProfile run, ReadStacks(path, source.image));
      runs.push_back(std::move(run));
    } else {
      ASSIGN_OR_RETURN(std::vector<profile::ComputedProfile> read,
                       ReadLocalRuns(path, source.image));
      runs = std::move(read);
    }
    for (const profile::ComputedProfile& run : runs) {
      ASSIGN_OR_RETURN(const std::vector<bool> excluded,
                       analyzer::ExcludedFunctions(run, exclude, unlimited));
      builder.AddRun(run, weight, excluded);
    }
  }
  analyzer::OrderingGraph graph = builder.Take();
  if (graph.functions.empty()) {
    return absl::NotFoundError(
        absl::StrCat(source.sources.front(), ": no functions to order",
                     exclude.tests ? "; pass --with-tests to include test code" : ""));
  }
  return graph;
}

namespace {

// The text by first calls, for the functions of `graph`, which is of the same sources.
absl::StatusOr<std::string> ReadFirstCalls(const OrderSource& source,
                                           const analyzer::OrderingGraph& graph) {
  analyzer::FirstCalls calls(graph);
  for (const std::string& path : source.sources) {
    const double weight = WeightOf(source.policy, path);
    if (weight == 0 || profile::HoldsSampledStacks(path)) continue;
    RETURN_IF_ERROR(AddLocalFirstCalls(path, source.image, weight, calls));
  }
  if (calls.orders().empty()) {
    return absl::NotFoundError(absl::StrCat(
        source.sources.front(),
        ": no recording has the order of first calls; record with --config=gprof_mcount, or build "
        "with -pg and the runtime"));
  }
  std::cerr << "gprofhub: " << calls.CountCalled() << " of " << graph.functions.size()
            << " functions have a first call, in " << calls.orders().size()
            << (calls.orders().size() == 1 ? " order\n" : " different orders\n");
  if (source.first_calls == OrderSource::FirstCallsAs::kTraces) {
    return analyzer::FormatTemporalTraces(graph, calls);
  }
  return analyzer::FormatSymbolFile(
      analyzer::NamesInOrder(graph, analyzer::OrderByFirstCalls(graph, calls)));
}

}  // namespace

absl::StatusOr<std::string> ReadOrdering(const OrderSource& source) {
  size_t local = 0;
  for (const std::string& path : source.sources) {
    std::error_code error;
    local += std::filesystem::exists(path, error) ? 1 : 0;
  }
  if (local == 0) {
    if (source.first_calls != OrderSource::FirstCallsAs::kNothing) {
      return absl::NotFoundError(
          absl::StrCat(source.sources.front(),
                       " is not a local path; the order of first calls is in local recordings, and "
                       "not in a server's profiles"));
    }
    for (const std::string& name : source.sources) {
      if (!IsPathOnly(name)) continue;
      return absl::NotFoundError(
          absl::StrCat(name, " is neither a local path nor a run of a server"));
    }
    absl::StatusOr<std::string> order = OrderAtServer(source);
    if (order.ok()) return order;
    // A mistyped path is taken for a branch.
    return absl::Status(order.status().code(),
                        absl::StrCat(order.status().message(), " (no local path is named ",
                                     base::Printable(source.sources.front()), ")"));
  }
  for (const std::string& path : source.sources) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return absl::NotFoundError(absl::StrCat(
          path, " is not a local path; runs of a server cannot be combined with local folders"));
    }
  }
  ASSIGN_OR_RETURN(const analyzer::OrderingGraph graph, ReadLocalGraph(source));
  if (source.first_calls != OrderSource::FirstCallsAs::kNothing) {
    return ReadFirstCalls(source, graph);
  }
  return analyzer::OrderingTextOf(graph, source.form);
}

absl::StatusOr<std::vector<reporter::OrderingWorkload>> ParseWeights(
    absl::Span<const std::string> texts) {
  std::vector<reporter::OrderingWorkload> workloads;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    double factor = 0;
    if (equals == std::string::npos || !absl::SimpleAtod(text.substr(equals + 1), &factor) ||
        !(factor >= 0) || factor > 1e6) {
      return absl::InvalidArgumentError(
          absl::StrCat("--weight=", text, ": must be PATTERN=FACTOR, with a factor from 0 to 1e6"));
    }
    absl::string_view pattern = absl::string_view(text).substr(0, equals);
    while (pattern.size() > 1 && absl::ConsumeSuffix(&pattern, "/")) {
    }
    workloads.push_back({std::string(pattern), factor});
  }
  return workloads;
}

absl::StatusOr<std::string> FormatObjectFiles(absl::Span<const std::string> names,
                                              const std::string& map_file) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(map_file));
  ASSIGN_OR_RETURN(const std::vector<analyzer::MappedFunction> map,
                   analyzer::ParseFileMap(text, map_file));
  absl::flat_hash_map<absl::string_view, absl::string_view> file_of;
  for (const analyzer::MappedFunction& function : map) {
    if (function.is_defined) file_of.try_emplace(function.function, function.file);
  }
  std::vector<absl::string_view> files;
  for (const std::string& name : names) {
    const auto file = file_of.find(name);
    if (file != file_of.end()) files.push_back(file->second);
  }
  std::string result;
  for (const std::string& file : analyzer::OrderFiles(map, files))
    absl::StrAppend(&result, file, "\n");
  return result;
}

absl::StatusOr<std::string> FormatOrdering(absl::Span<const std::string> ordering,
                                           absl::string_view format, const std::string& binary) {
  ASSIGN_OR_RETURN(const std::vector<std::string> in_binary, FunctionNames(binary));
  const std::vector<std::string> names = analyzer::WithClones(ordering, in_binary);
  if (format == "lld") return analyzer::FormatSymbolFile(names);
  if (format == "gold") return analyzer::FormatGoldSections(names, SplitFunctions(in_binary));
  if (format == "gnu-ld") return analyzer::FormatLinkerScript(names, SplitFunctions(in_binary));
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&text, i + 1, "\t", profile::Demangle(names[i]), "\n");
  }
  return text;
}

}  // namespace gprofhub::cli

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

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
  bool start_up = false;
  std::string output;
  std::string label;  // of the output file
  std::string verify;
  std::string report;
  std::string store_trace;
  std::vector<std::string> max_drift;
  ReplayArguments replay;
};

// Declares the command's options and examples.
void AddOrderOptions(CLI::App& command, OrderArguments& arguments);

namespace {

void AddSourceOptions(CLI::App& command, OrderArguments& arguments) {
  OrderSource& source = arguments.source;
  command
      .add_option(
          "run", source.sources,
          "Local folders as for `gprofhub diff`, and files of stacks sampled by perf; or "
          "runs of a server, as for `gprofhub report`. All are combined. Or one ordering file, "
          "for another --format or --verify")
      ->capture_default_str();
  command.add_option("--target", source.target,
                     "Only this target (default: all targets of the run)");
  command
      .add_option(
          "--format", arguments.format,
          "Linker to print the order for; link orders object files, text is human-readable, "
          "llvm-traces are first calls for llvm-profdata")
      ->check(
          CLI::IsMember({"lld", "lld-call-graph", "gold", "gnu-ld", "link", "llvm-traces", "text"}))
      ->capture_default_str();
  command.add_flag("--start-up", arguments.start_up,
                   "Order by first calls, for the start of the program; from local recordings of "
                   "--config=gprof_mcount");
  command.add_option("--image", source.image, "Program that wrote the local profiles")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddPolicyOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option("--weight", arguments.weights,
                  "Count the runs of this folder, or of matching targets, FACTOR times; 0 excludes "
                  "them (repeatable)")
      ->type_name("PATTERN=FACTOR")
      ->allow_extra_args(false);
  command
      .add_option("--exclude", arguments.exclude,
                  "Exclude functions whose name or source file matches (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_flag("--with-tests", arguments.with_tests,
                   "Include test frameworks and the tests' own functions");
  command
      .add_option("--history", arguments.history,
                  "On a server: number of runs of the main branch, up to this one, to combine")
      ->check(CLI::Range(1, 100))
      ->type_name("RUNS");
  command
      .add_option("--half-life", arguments.half_life_days,
                  "On a server: age at which a run counts half")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("DAYS");
  command
      .add_option("--policy", arguments.policy_file,
                  absl::StrCat("Policy file (default: ", reporter::kPolicyFile,
                               " in the current directory or above it, if it exists)"))
      ->type_name("FILE");
}

void AddLinkingOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option(
          "--map", arguments.map_file,
          "For --format=link: functions of the object files, as printed by nm --print-file-name")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option(
          "--verify", arguments.verify,
          "Check whether this linked program has the functions in order, instead of printing it")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddReplayOptions(CLI::App& command, OrderArguments& arguments) {
  CLI::Option* replay =
      command
          .add_option("--replay", arguments.replay.trace,
                      "Replay this instruction trace under each order given in place of runs "
                      "(symbol files or linked programs); - for stdin")
          ->type_name("TRACE");
  command
      .add_option("--binary", arguments.replay.binary,
                  "Linked program: the traced one; for an order, the release it is for")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option("--load-bias", arguments.replay.load_bias,
                  "Load bias of the traced program, hexadecimal")
      ->needs(replay)
      ->capture_default_str();
  command
      .add_option("--store-trace", arguments.store_trace,
                  "Write the trace to this file, in compact form")
      ->needs(replay)
      ->type_name("FILE");
  command
      .add_option(
          "--report", arguments.report,
          "Print a table, and draw the pages touched before and after in NAME.svg and NAME.png")
      ->needs(replay)
      ->type_name("NAME");
  command
      .add_option("--max-drift", arguments.max_drift,
                  "Exit with 6 if a metric of the replay is more than PERCENT higher for the first "
                  "order than for the last (repeatable)")
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
       "gprofhub order profiles/ --start-up --output app.order",
       "gprofhub order profiles/ production.folded --image app --weight production.folded=3",
       "gprofhub order app.order --format=gnu-ld --binary app --output app.ld",
       "gprofhub order app.order --verify app",
       "gprofhub order --replay app.trace --binary app old.order new.order",
       "gprofhub order --replay app.trace --binary app old.order new.order --max-drift pages=5"});
}

}  // namespace

void AddOrderOptions(CLI::App& command, OrderArguments& arguments) {
  AddSourceOptions(command, arguments);
  AddPolicyOptions(command, arguments);
  AddLinkingOptions(command, arguments);
  AddReplayOptions(command, arguments);
  AddOutputOptions(command, arguments);
  AddServerOptions(command, arguments.source.server);
  SetOrderExamples(command);
}

namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<std::string> PathOfLabel(absl::string_view label, const std::string& start) {
  const size_t colon = label.find(':');
  if (!absl::StartsWith(label, "//") || colon == absl::string_view::npos ||
      colon + 1 == label.size() || absl::StrContains(label, "..")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--write=", label, ": must be //path:file, a file of this workspace"));
  }
  fs::path root = fs::absolute(start);
  const auto is_root = [](const fs::path& folder) {
    return fs::exists(folder / "WORKSPACE") || fs::exists(folder / "WORKSPACE.bazel") ||
           fs::exists(folder / "MODULE.bazel");
  };
  while (!is_root(root)) {
    if (root == root.parent_path()) {
      return absl::NotFoundError("--write: the current directory is not in a Bazel workspace");
    }
    root = root.parent_path();
  }
  return (root / std::string(label.substr(2, colon - 2)) / std::string(label.substr(colon + 1)))
      .string();
}

std::string StartFolder() {
  const char* given = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return given != nullptr ? given : fs::current_path().string();
}

namespace {

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
  ASSIGN_OR_RETURN(std::vector<reporter::OrderingWorkload> workloads,
                   ParseWeights(arguments.weights));
  arguments.source.policy.workloads = std::move(workloads);
  ASSIGN_OR_RETURN(std::vector<DriftLimit> limits, ParseDriftLimits(arguments.max_drift));
  arguments.replay.max_drift = std::move(limits);
  if ((arguments.format == "link") != !arguments.map_file.empty()) {
    return absl::InvalidArgumentError(
        "--format=link and --map go together: `nm --print-file-name --defined-only *.o > FILE`");
  }
  if (arguments.start_up) arguments.source.first_calls = OrderSource::FirstCallsAs::kOrder;
  if (arguments.format == "llvm-traces") {
    arguments.source.first_calls = OrderSource::FirstCallsAs::kTraces;
  }
  if (arguments.format == "lld-call-graph") {
    if (arguments.start_up) {
      return absl::InvalidArgumentError(
          "--start-up is by first calls, --format=lld-call-graph by calls; use "
          "--format=llvm-traces for lld's own sort");
    }
    arguments.source.form = analyzer::OrderingForm::kCallGraph;
  }
  if (!arguments.label.empty()) {
    ASSIGN_OR_RETURN(std::string path, PathOfLabel(arguments.label, StartFolder()));
    arguments.output = std::move(path);
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
        "--max-drift compares two orders: give the order in use, then the new one");
  }
  return absl::OkStatus();
}

// The policy file's weights, behind those of the options.
absl::Status ApplyPolicyFile(OrderArguments& arguments) {
  ASSIGN_OR_RETURN(const reporter::Policy file, ReadPolicyFile(arguments.policy_file));
  const reporter::OrderingPolicy& from_file = file.ordering;
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
  if (arguments.source.form == analyzer::OrderingForm::kCallGraph ||
      arguments.source.first_calls == OrderSource::FirstCallsAs::kTraces) {
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

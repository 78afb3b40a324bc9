#include "cli/bisect/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>

#include "absl/status/status.h"
#include "base/read_file.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kMaxReportBytes = 256 << 20;
constexpr uint32_t kAllFindings = 10'000;

absl::StatusOr<v1::Report> ReportAtServer(const SoughtOptions& options, const Range& range) {
  QueryClient client(options.server);
  v1::CompareRequest request;
  request.set_head(range.head);
  request.set_base(range.base);
  request.set_limit(kAllFindings);
  absl::StatusOr<v1::Report> report = client.Compare(request);
  if (!absl::IsNotFound(report.status())) return report;
  // The base may have no run of its own. A finding has the same id against any baseline.
  request.clear_base();
  return client.Compare(request);
}

absl::StatusOr<v1::Report> ReportInFile(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxReportBytes);
  if (!text.ok()) return text.status();
  return ReadReportJson(*text, path);
}

}  // namespace

void AddSoughtOptions(CLI::App& command, SoughtOptions& options) {
  const std::string what = "What to search for";
  command.add_option("--finding", options.finding, "A finding by its id, of a report")
      ->type_name("ID")
      ->group(what);
  command
      .add_option("--report", options.report,
                  "The report that has the finding, as `gprofhub report --format=json` prints it "
                  "(default: the server is asked for the report on HEAD against BASE)")
      ->type_name("FILE")
      ->group(what);
  command
      .add_option("--function", options.question.function,
                  "Instead of a finding: the function that is called, by its linkage name")
      ->group(what);
  command
      .add_option("--caller", options.question.caller,
                  "Its caller (default: calls from everywhere count)")
      ->group(what);
  command.add_option("--target", options.question.target, "The test that shows it")
      ->type_name("LABEL")
      ->group(what);
  const std::string how = "How it is built";
  command
      .add_option("--config", options.configuration,
                  "Bazel's --config (default: the finding's, else gprof)")
      ->group(how);
  command
      .add_option("--bazel-option", options.bazel_options,
                  "A further option for `bazel test` (repeatable)")
      ->allow_extra_args(false)
      ->group(how);
  command.add_option("--bazel", options.bazel, "The program that is Bazel")
      ->capture_default_str()
      ->group(how);
  AddServerOptions(command, options.server);
}

void CheckSoughtOptions(const SoughtOptions& options) {
  if (options.finding.empty() == options.question.function.empty()) {
    throw CLI::ValidationError("--finding", "give --finding, or --function and --target");
  }
  if (!options.finding.empty()) return;
  if (options.question.target.empty()) {
    throw CLI::ValidationError("--function", "needs --target, the test that calls it");
  }
  if (!options.report.empty()) throw CLI::ValidationError("--report", "needs --finding");
}

absl::StatusOr<Sought> FindSought(const SoughtOptions& options, const std::optional<Range>& range) {
  if (options.finding.empty()) return Sought{options.question, "", {}};
  if (options.report.empty() && !range.has_value()) {
    return absl::InvalidArgumentError("--finding needs --report here");
  }
  const absl::StatusOr<v1::Report> report =
      options.report.empty() ? ReportAtServer(options, *range) : ReportInFile(options.report);
  if (!report.ok()) return report.status();
  absl::StatusOr<Sought> sought = FindQuestion(*report, options.finding);
  if (!sought.ok()) return sought.status();
  // The finding's test may be slow; another test may show the same change.
  if (!options.question.target.empty()) sought->question.target = options.question.target;
  return sought;
}

Setting SettingOf(const SoughtOptions& options, const Sought& sought) {
  const ModeOptions mode = OptionsOf(sought.configuration);
  Setting setting = {sought.question, options.configuration, {}};
  if (setting.configuration.empty()) setting.configuration = mode.configuration;
  if (!mode.compilation_mode.empty()) setting.bazel_options.push_back(mode.compilation_mode);
  setting.bazel_options.insert(setting.bazel_options.end(), options.bazel_options.begin(),
                               options.bazel_options.end());
  return setting;
}

}  // namespace gprofhub::cli

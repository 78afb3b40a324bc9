#include "cli/client/make_report.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/policy_file.h"
#include "cli/client/profiles.h"
#include "cli/client/query_client.h"
#include "cli/command/terminal.h"
#include "profile/target_names.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/explain.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/markdown.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

// A label as a regular expression of Bazel's --runs_per_test. '@' ends that expression, and Bazel
// compares another number of '@' than its events have. So they are matched by what they are not.
std::string Pattern(absl::string_view label) {
  std::string pattern = "^";
  if (absl::StartsWith(label, "@")) {
    pattern += "[^A-Za-z0-9/]*";
    label.remove_prefix(std::min(label.find_first_not_of('@'), label.size()));
  }
  for (const char c : label) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (c == '@') {
      pattern += '.';
      continue;
    }
    if (is_ascii && !absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains("/:_-", c)) {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern + "$";
}

absl::StatusOr<reporter::ComparisonSide> ReadSide(const std::string& path,
                                                  const std::string& image) {
  ASSIGN_OR_RETURN(std::vector<profile::ComputedProfile> runs, ReadLocalRuns(path, image));
  reporter::ComparisonSide side;
  side.about.set_run_id(path);
  side.about.set_executions(static_cast<uint32_t>(runs.size()));
  side.targets.emplace(kLocalTarget, std::move(runs));
  return side;
}

struct LocalSides {
  reporter::ComparisonSide base, head;
};

absl::StatusOr<LocalSides> ReadSides(const ComparisonRequest& request) {
  ASSIGN_OR_RETURN(reporter::ComparisonSide base, ReadSide(request.base, request.image));
  ASSIGN_OR_RETURN(reporter::ComparisonSide head, ReadSide(request.head, request.image));
  return LocalSides{std::move(base), std::move(head)};
}

absl::StatusOr<v1::Report> CompareLocal(const ComparisonRequest& request) {
  ASSIGN_OR_RETURN(const LocalSides sides, ReadSides(request));
  reporter::CompareOptions options;
  if (!request.all_times) options.most_quiet_times = reporter::kQuietTimes;
  v1::Report report = reporter::CompareSides(sides.base, sides.head, options);
  report.mutable_compared()->set_baseline_reason("given");
  return report;
}

absl::StatusOr<v1::Explanation> ExplainLocal(const ComparisonRequest& request,
                                             const std::string& id) {
  ASSIGN_OR_RETURN(const LocalSides sides, ReadSides(request));
  const v1::Report report =
      reporter::CompareSides(sides.base, sides.head, reporter::CompareOptions());
  ASSIGN_OR_RETURN(const v1::Finding finding, reporter::FindFinding(report, id));
  return reporter::Explain(
      report, finding, {sides.base.targets.at(kLocalTarget), sides.head.targets.at(kLocalTarget)});
}

absl::StatusOr<v1::Report> CompareAtServer(const ComparisonRequest& request) {
  v1::CompareRequest compare;
  compare.set_base(request.base);
  compare.set_head(request.head);
  compare.set_all_times(request.all_times);
  return QueryClient(request.server).Call(&QueryStub::Compare, compare);
}

bool IsPath(const std::string& text) {
  std::error_code error;
  return !text.empty() && std::filesystem::exists(text, error);
}

// Both sides are local, or neither is.
absl::Status CheckSides(const ComparisonRequest& request) {
  const bool base_is_path = IsPath(request.base);
  if (base_is_path == IsPath(request.head) && (base_is_path || request.image.empty())) {
    return absl::OkStatus();
  }
  const std::string& missing = base_is_path ? request.head : request.base;
  return absl::NotFoundError(
      absl::StrCat(missing, " is not a local path; give two local paths, or two runs"));
}

}  // namespace

bool IsLocal(const ComparisonRequest& request) {
  return IsPath(request.base) && IsPath(request.head);
}

absl::StatusOr<v1::Report> MakeReport(const ComparisonRequest& request) {
  RETURN_IF_ERROR(CheckSides(request));
  return IsLocal(request) ? CompareLocal(request) : CompareAtServer(request);
}

absl::StatusOr<v1::Explanation> ExplainFinding(const ComparisonRequest& request,
                                               const std::string& id) {
  RETURN_IF_ERROR(CheckSides(request));
  if (IsLocal(request)) return ExplainLocal(request, id);
  v1::ExplainRequest explain;
  explain.set_finding(id);
  explain.set_base(request.base);
  explain.set_head(request.head);
  return QueryClient(request.server).Call(&QueryStub::Explain, explain);
}

namespace {

constexpr size_t kMostPatchBytes = size_t{1} << 30;

std::string Render(const v1::Report& report, const ReportOutputOptions& options,
                   const std::string& project) {
  if (options.format == "json") return reporter::RenderJson(report);
  if (options.format == "markdown") {
    reporter::MarkdownOptions markdown;
    markdown.project = project;
    return reporter::RenderMarkdown(report, markdown);
  }
  reporter::TextOptions text;
  text.all = options.all;
  text.color = StdoutHasColor();
  return reporter::RenderText(report, text);
}

// Names of verdicts, for --fail-on: all but the unspecified one.
std::vector<std::string> VerdictNames() {
  std::vector<std::string> names;
  const google::protobuf::EnumDescriptor& verdicts = *v1::Finding::Verdict_descriptor();
  for (int i = 0; i < verdicts.value_count(); ++i) {
    const auto verdict = static_cast<v1::Finding::Verdict>(verdicts.value(i)->number());
    if (verdict != v1::Finding::VERDICT_UNSPECIFIED)
      names.push_back(reporter::VerdictName(verdict));
  }
  return names;
}

// "jsonParse: regressed in //db:query_test, +54%, about +0.25 s CPU (+3.2%) (finding a2edb2b79c)".
std::string FailingFinding(const v1::Finding& finding) {
  return absl::StrCat(reporter::FunctionName(finding.function_display()), ": ",
                      reporter::VerdictName(finding.verdict()), " in ",
                      base::Printable(finding.target()), ", ",
                      reporter::HumanEffect(finding.effect_percent()), ", ",
                      reporter::ShareWords(reporter::RowOfFinding(finding)), " (finding ",
                      reporter::FindingId(finding), ")");
}

constexpr size_t kMostFailingNamed = 10;

int ReportFailing(const std::vector<std::string>& failing) {
  if (failing.empty()) return kExitOk;
  const size_t count = failing.size();
  std::string text =
      absl::StrCat(count, count == 1 ? " finding matches" : " findings match", " --fail-on:");
  for (size_t i = 0; i < std::min(count, kMostFailingNamed); ++i) {
    absl::StrAppend(&text, "\n  ", failing[i]);
  }
  if (count > kMostFailingNamed) {
    absl::StrAppend(&text, "\n  and ", count - kMostFailingNamed, " more");
  }
  return ReportStatus(absl::FailedPreconditionError(text));
}

// What ends a report on a terminal.
std::string EndOfText(const std::string& text, const std::string& page_url) {
  std::string end;
  if (!page_url.empty()) absl::StrAppend(&end, "\n", base::Printable(page_url), "\n");
  const ScreenSize screen = StdoutScreen();
  if (screen.lines > 0 && LinesOnScreen(text + end, screen.columns) >= screen.lines) {
    absl::StrAppend(&end, "\n", text.substr(0, text.find('\n')), "\n");
  }
  return end;
}

}  // namespace

bool PrintsAllTimes(const ReportOutputOptions& options) {
  return options.all || options.format == "json";
}

void AddReportOutputOptions(CLI::App& command, ReportOutputOptions& options) {
  command.add_option("--format", options.format, "Output format")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options.all,
                   "List every finding in the text, not only the changes that matter most");
  command
      .add_option("--limit", options.limit,
                  "Print at most this many findings, most important first (default: all)")
      ->check(CLI::Range(1u, 1'000'000u));
  command
      .add_option("--patch", options.patch,
                  "Change under review, as printed by git diff (-: stdin); findings in the lines "
                  "it touches are marked")
      ->type_name("FILE");
  command
      .add_option("--fail-on", options.fail_on,
                  "Exit with 1 if a finding has one of these verdicts (comma-separated)")
      ->delimiter(',')
      ->check(CLI::IsMember(VerdictNames()));
  command
      .add_option("--fail-above", options.fail_above_percent,
                  "With --fail-on: minimum effect of a finding on the test's CPU, in percent "
                  "(without samples it is unknown: then only 0 matches)")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
}

int PrintReport(v1::Report report, const ReportOutputOptions& options, const std::string& project,
                const std::string& page_url) {
  if (!options.patch.empty()) {
    std::string patch;
    const absl::Status read = options.patch == "-"
                                  ? base::ReadStandardInput(patch, kMostPatchBytes)
                                  : base::ReadFileInto(options.patch, patch, kMostPatchBytes);
    if (!read.ok()) return ReportStatus(read);
    reporter::MarkChangedLines(reporter::LinesOfGitDiff(patch), report);
  }
  std::vector<std::string> failing;
  for (const v1::Finding& finding : report.findings()) {
    // The test's own code and input change on purpose, as for the gate.
    if (!finding.in_test() &&
        std::count(options.fail_on.begin(), options.fail_on.end(),
                   reporter::VerdictName(finding.verdict())) > 0 &&
        reporter::CpuEffect(finding) * 100 >= options.fail_above_percent) {
      failing.push_back(FailingFinding(finding));
    }
  }
  if (options.limit > 0) reporter::LimitFindings(options.limit, report);
  const std::string text = Render(report, options, project);
  const int printed = options.format == "text"
                          ? PrintText(absl::StrCat(text, EndOfText(text, page_url)))
                          : PrintOutput(text);
  return printed != kExitOk ? printed : ReportFailing(failing);
}

absl::StatusOr<std::string> ComparisonPage(QueryClient& client, const std::string& run,
                                           const std::string& base) {
  v1::GetRunRequest request;
  request.set_run(run);
  ASSIGN_OR_RETURN(const v1::Run found, client.Call(&QueryStub::GetRun, request));
  if (base.empty() || found.page_url().empty()) return found.page_url();
  request.set_run(base);
  ASSIGN_OR_RETURN(const v1::Run base_run, client.Call(&QueryStub::GetRun, request));
  return absl::StrCat(found.page_url(), "?base=", base_run.run_id());
}

std::string BazelArguments(const std::vector<v1::Rerun>& reruns) {
  std::vector<std::string> tests;
  std::map<std::string, uint32_t> runs;
  for (const v1::Rerun& rerun : reruns) {
    // Hostile labels cannot become options: they come after "--".
    if (base::Printable(rerun.target()) != rerun.target()) continue;
    const std::string test = profile::TestOf(rerun.target());
    const auto [entry, is_new] = runs.try_emplace(test, 0);
    entry->second = std::max(entry->second, rerun.runs());
    if (is_new) tests.push_back(test);
  }
  std::string options, labels;
  for (const std::string& test : tests) {
    if (runs[test] > 1) {
      absl::StrAppend(&options, "--runs_per_test=", Pattern(test), "@", runs[test], "\n");
    }
    absl::StrAppend(&labels, test, "\n");
  }
  return labels.empty() ? "" : absl::StrCat(options, "--\n", labels);
}

}  // namespace gprofhub::cli

#include "cli/output/report.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "base/read_file.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/markdown.h"
#include "reporter/rendering/text.h"
#include "reporter/text/numbers.h"

namespace gprofhub::cli {
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
  text.color = isatty(STDOUT_FILENO) != 0;
  return reporter::RenderText(report, text);
}

}  // namespace

void AddReportOutputOptions(CLI::App& command, ReportOutputOptions& options) {
  command.add_option("--format", options.format, "How to print it")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options.all,
                   "List every finding in the text, not only the changes that matter most");
  command.add_option("--limit", options.limit, "At most this many findings, the most important")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  command
      .add_option("--patch", options.patch,
                  "The change under review, as git diff prints it (-: stdin): findings in lines "
                  "that it touches are marked")
      ->type_name("FILE");
  command
      .add_option("--fail-on", options.fail_on,
                  "End with exit code 1 if there is a finding with this verdict; may be a list")
      ->delimiter(',')
      ->check(
          CLI::IsMember({"regressed", "improved", "shifted", "new", "vanished", "cannot_tell"}));
  command
      .add_option("--fail-above", options.fail_above_percent,
                  "… that stands for at least this share of the test's CPU, in percent (without "
                  "samples no share is known: then only 0 is reached)")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
}

int PrintReport(v1::Report report, const ReportOutputOptions& options, const std::string& project) {
  if (!options.patch.empty()) {
    std::string patch;
    const absl::Status read = options.patch == "-"
                                  ? base::ReadStandardInput(patch, kMostPatchBytes)
                                  : base::ReadFileInto(options.patch, patch, kMostPatchBytes);
    if (!read.ok()) return ReportStatus(read);
    reporter::MarkChangedLines(reporter::LinesOfGitDiff(patch), report);
  }
  const int printed = PrintOutput(Render(report, options, project));
  if (printed != kExitOk) return printed;

  size_t failing = 0;
  for (const v1::Finding& finding : report.findings()) {
    failing += std::count(options.fail_on.begin(), options.fail_on.end(),
                          reporter::VerdictName(finding.verdict())) > 0 &&
               finding.impact() * 100 >= options.fail_above_percent;
  }
  if (failing == 0) return kExitOk;
  std::cerr << "gprofhub: " << failing << (failing == 1 ? " finding" : " findings")
            << " that --fail-on names, of at least "
            << reporter::HumanShare(options.fail_above_percent / 100) << " of a test's CPU\n";
  return kExitFailure;
}

}  // namespace gprofhub::cli

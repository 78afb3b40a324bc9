// Shared code of `gprofhub report` and `gprofhub diff`: printing a report, and deciding the exit
// code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "proto/findings.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct ReportOutputOptions {
  std::string format = "text";
  uint32_t limit = 1000;
  bool all = false;                  // text: list everything
  std::vector<std::string> fail_on;  // verdict names
  double fail_above_percent = 0.5;
  std::string patch;  // a file's name, "-" for stdin; empty: none
};

// Adds --format, --all, --limit, --patch, --fail-on and --fail-above.
void AddReportOutputOptions(CLI::App& command, ReportOutputOptions& options);

// Prints the report to stdout, findings in the patch's lines marked, in colours if that is a
// terminal. Returns kExitFailure, with a sentence on stderr, if a finding has one of the verdicts
// of fail_on and a share of more than fail_above_percent of its target's CPU.
int PrintReport(v1::Report report, const ReportOutputOptions& options, const std::string& project);

}  // namespace gprofhub::cli

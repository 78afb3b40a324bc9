// A report from wherever its two sides are: runs of the server, or local profiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/client/query_client.h"
#include "cli/command/command.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct ComparisonRequest {
  ServerOptions server;
  std::string base;   // a run, or a local path; empty: the server chooses
  std::string head;   // a run, or a local path
  std::string image;  // the program that wrote the local profiles; may be empty
  // Whether all unchanged and inconclusive times are findings, not only the 1,000 most important.
  bool all_times = false;
};

// Whether head and base are existing paths, so that the server is not needed.
bool IsLocal(const ComparisonRequest& request);

// NOT_FOUND where only one of the two is an existing path; else the errors of
// ReadLocalRuns or of the server.
absl::StatusOr<v1::Report> MakeReport(const ComparisonRequest& request);

// The paths to the finding with this id (or prefix of an id) of that comparison, with all times.
// Errors are MakeReport's, and FindFinding's or the server's for the id.
absl::StatusOr<v1::Explanation> ExplainFinding(const ComparisonRequest& request,
                                               const std::string& id);

// Shared code of `gprofhub report` and `gprofhub diff`: printing a report, and deciding the exit
// code.

struct ReportOutputOptions {
  std::string format = "text";
  bool all = false;                  // text: list everything
  uint32_t limit = 0;                // print at most so many findings; 0: all
  std::vector<std::string> fail_on;  // verdict names
  double fail_above_percent = 0.5;
  std::string patch;  // a file's name, "-" for stdin; empty: none
};

// Whether unchanged and inconclusive times are all printed.
bool PrintsAllTimes(const ReportOutputOptions& options);

// Adds --format, --all, --limit, --patch, --fail-on and --fail-above.
void AddReportOutputOptions(CLI::App& command, ReportOutputOptions& options);

// Prints the report to stdout, findings in the patch's lines marked, in colours if that is a
// terminal, as many as the options' limit. Text ends with the address of its page, unless that is
// empty, and on a screen that it exceeds with its first line, the verdict. Returns kExitFailure,
// with the findings on stderr, if some have one of the verdicts of fail_on and a share of more than
// fail_above_percent of their target's CPU.
int PrintReport(v1::Report report, const ReportOutputOptions& options, const std::string& project,
                const std::string& page_url = "");

// The address of the comparison of these runs on the server's pages; empty if the server does not
// know it. `base`: as the user gave it.
absl::StatusOr<std::string> ComparisonPage(QueryClient& client, const std::string& run,
                                           const std::string& base);

// Tests to run again, as arguments of Bazel.

// Arguments of `bazel test`, one a line: how often, then "--" and what; nothing for an empty list.
// Parts of one test (ci/upload/results/test_events.h) are run by the test, as often as the one that
// needs it most. Targets that could not be printed are left out.
std::string BazelArguments(const std::vector<v1::Rerun>& reruns);

}  // namespace gprofhub::cli

// The list of runs, and one run.
#pragma once

#include <string>
#include <vector>

#include "page/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"
#include "store/invocations.h"

namespace gprofhub::page {

struct RunsQuery {
  std::string branch, pull_request, commit;  // parts of the runs'
  // Suggestions: those of the newest runs.
  std::vector<std::string> branches, pull_requests;
};
Html RunsView(const Context& context, const std::vector<v1::Run>& runs, const RunsQuery& query);

struct RunShown {
  v1::Run run;                       // with its targets, and their executions
  std::vector<store::KeptLog> logs;  // of its tests; by Bazel's labels
  // That sent its build events, newest first.
  std::vector<std::string> invocations;
};
Html RunView(const Context& context, const RunShown& shown);

// State of the run's analysis: in progress, failed or done.
Html JobsOf(const v1::Run& run);

// A link to the comparison of the run with its baseline. A script replaces its words by the
// verdict, which the server computes on request. Pending runs have the state of their analysis.
Html VerdictOf(absl::string_view project, const v1::Run& run);
Html VerdictOf(absl::string_view project, absl::string_view run);

// A form: two runs of the table can be chosen and compared. `runs` come without their targets.
Html RunsTable(const Context& context, absl::string_view caption, const std::vector<v1::Run>& runs);

// The address that compares the two runs of such a form, and the name of a run's field in it.
Url CompareChosenUrl(absl::string_view project);
inline constexpr absl::string_view kChosenRun = "run-";

// "Run 12 of #41", "Run 12 of main".
std::string RunTitle(const v1::Run& run);

}  // namespace gprofhub::page

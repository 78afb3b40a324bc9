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
  std::string branch, pull_request, commit;
};
Html RunsView(const Context& context, const std::vector<v1::Run>& runs, const RunsQuery& query);

struct RunShown {
  v1::Run run;                       // with its targets, and their executions
  std::vector<store::KeptLog> logs;  // of its tests; by Bazel's labels
};
Html RunView(const Context& context, const RunShown& shown);

// State of the run's analysis: in progress, failed or done.
Html JobsOf(const v1::Run& run);

// `runs` come without their targets.
Html RunsTable(const Context& context, absl::string_view caption, const std::vector<v1::Run>& runs);

// Such as "run 12" with its branch or pull request.
std::string RunTitle(const v1::Run& run);

}  // namespace gprofhub::page

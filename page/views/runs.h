// What there is: projects, runs, one run, what changed on the main line.
#pragma once

#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

struct ProjectSummary {
  std::string project;
  std::vector<v1::Run> latest;  // newest first; may be empty
};
Html ProjectsView(const std::vector<ProjectSummary>& projects);

// Runs without their targets, newest first. `changes`: of the main line; events empty where there
// are none. `changes_error`: why they are not known; empty: they are.
Html ProjectView(const Context& context, const std::vector<v1::Run>& runs,
                 const v1::GetChangesResponse& changes, const std::string& changes_error);

struct RunsQuery {
  std::string branch, pull_request, commit;
};
Html RunsView(const Context& context, const std::vector<v1::Run>& runs, const RunsQuery& query);

Html RunView(const Context& context, const v1::Run& run);

Html ChangesView(const Context& context, const v1::GetChangesResponse& changes);

// Such as "run 12" with its branch or pull request.
std::string RunTitle(const v1::Run& run);

}  // namespace gprofhub::page

// Overview pages: all projects, one project, changes on its main line.
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

// Runs without their targets, newest first. `changes`: of the main line; without events if nothing
// changed. `changes_error`: why the changes are unknown; empty: they are known.
Html ProjectView(const Context& context, const std::vector<v1::Run>& runs,
                 const v1::GetChangesResponse& changes, const std::string& changes_error);

Html ChangesView(const Context& context, const v1::GetChangesResponse& changes);

}  // namespace gprofhub::page

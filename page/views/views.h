// Views of whole pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "page/html.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"
#include "page/views/target.h"
#include "profile/computed.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Comparison page: the verdict and every finding.

Html ComparisonView(const Context& context, const Comparison& comparison);

// "#17 faster-json", "Run 7 of main".
std::string ComparisonTitle(const Comparison& comparison);

// Overview pages: all projects, one project, changes on its main line.

struct ProjectSummary {
  std::string project;
  std::vector<v1::Run> latest;  // newest first; may be empty
};
// Without projects: the commands that upload the first run. `upload_server`: "host:port" for them.
// `needs_token`: whether an upload needs one.
Html ProjectsView(const std::vector<ProjectSummary>& projects, const std::string& upload_server,
                  bool needs_token);

// Runs without their targets, newest first. `changes`: of the main line; without events if nothing
// changed. `changes_error`: why the changes are unknown; empty: they are known.
Html ProjectView(const Context& context, const std::vector<v1::Run>& runs,
                 const v1::GetChangesResponse& changes, const std::string& changes_error);

Html ChangesView(const Context& context, const v1::GetChangesResponse& changes);

// Call graph page: one function, its callers above, its callees below.

struct GraphQuery {
  std::optional<uint32_t> function;  // row; nothing: the list of functions
  std::string part;                  // name filter of the list
};
Html CallGraphView(const Context& context, const TargetPlace& place,
                   const profile::ComputedProfile& profile, const GraphQuery& query);

// The tables of callers and callees of the function in this row.
Html CallersAndCallees(const Context& context, const TargetPlace& place,
                       const profile::ComputedProfile& profile, uint32_t function);

// One function over time.

Html FunctionView(const Context& context, const FunctionPage& page);
// Asks which function is meant if the name is ambiguous, or reports that none matches.
Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message);

// Chart of a function's trend.

// Placeholder with all values, which a script replaces by the chart; until then it shows dots. For
// days and weeks the lines are medians, and the bands go from the minimum to the maximum; for runs
// the bands are sampling errors.
Html TrendChart(const Context& context, const FunctionPage& page);

// A function's trend as a table.

// Run by run, newest first. A long table has the newest runs, and those at which a level begins.
Html RunsTable(const Context& context, const FunctionPage& page);

// By day or by week, newest first.
Html PeriodsTable(const Context& context, const FunctionPage& page);

}  // namespace gprofhub::page

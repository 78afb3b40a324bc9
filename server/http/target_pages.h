// Views of one target in one run: call graph, flame graph, listing, files, …
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "page/views/target.h"
#include "server/http/function_page.h"
#include "server/http/target_data.h"

namespace gprofhub::server {

// Changes of a run: the comparison, and one finding of it with its evidence.

// Errors are CompareRuns's and FindFinding's.
absl::StatusOr<PageAnswer> ComparisonPage(PageCall& call);
absl::StatusOr<PageAnswer> FindingPage(PageCall& call);

// The run and target of a page.

struct Subject {
  TargetOfRun found;
  page::TargetPlace place;
};

// With a link back to the run. `script` as for page::Frame.
PageAnswer ShowTarget(const PageCall& call, const Subject& subject, const std::string& title,
                      const std::string& script, const page::Html& content);

// The address's last segment selects the page, its query the target.
absl::StatusOr<PageAnswer> TargetPage(PageCall& call);

}  // namespace gprofhub::server

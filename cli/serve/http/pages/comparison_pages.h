// Changes of a run: the comparison, and one finding of it with its evidence.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// Errors are CompareRuns's and FindFinding's.
absl::StatusOr<PageAnswer> ComparisonPage(PageCall& call);
absl::StatusOr<PageAnswer> FindingPage(PageCall& call);

}  // namespace gprofhub::cli

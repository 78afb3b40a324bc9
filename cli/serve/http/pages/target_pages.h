// Views of one target in one run: call graph, flame graph, listing, files, …
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// The address's last segment selects the page, its query the target.
absl::StatusOr<PageAnswer> TargetPage(PageCall& call);

}  // namespace gprofhub::cli

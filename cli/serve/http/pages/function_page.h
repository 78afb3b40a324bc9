// One function over the runs, or the functions whose name contains a text.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

absl::StatusOr<PageAnswer> FunctionPage(PageCall& call);

}  // namespace gprofhub::cli

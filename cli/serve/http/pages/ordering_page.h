// The functions of a target in link order.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/subject.h"

namespace gprofhub::cli {

absl::StatusOr<PageAnswer> OrderingPage(const PageCall& call, const Subject& subject);

}  // namespace gprofhub::cli

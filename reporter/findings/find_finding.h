// Looks up a finding by its id.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// The finding of the report whose id (FindingId) is `id`, or the only one with that prefix.
// NOT_FOUND, or INVALID_ARGUMENT if `id` is malformed or ambiguous; both explain how to get an id.
absl::StatusOr<v1::Finding> FindFinding(const v1::Report& report, absl::string_view id);

}  // namespace gprofhub::reporter

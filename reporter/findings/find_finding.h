// The finding that people name by its id.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// The finding of the report whose id (FindingId) is `id`, or alone begins so. NOT_FOUND if there is
// none, INVALID_ARGUMENT if `id` is no beginning of an id or that of several; both say how to get
// one.
absl::StatusOr<v1::Finding> FindFinding(const v1::Report& report, absl::string_view id);

}  // namespace gprofhub::reporter

// Resolves runs and targets by name.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The run named by `text`: a run's id, a commit (at least 7 digits; its most recently uploaded
// run), or "latest" (also if `text` is empty), the project's most recently uploaded run, whatever
// its branch and its commit's time. A run of sampled profiles is chosen for a commit or as the
// latest only if there are no others, and a window only if there is nothing else.
absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text);

// FAILED_PRECONDITION for a run of sampled profiles: its counts are not exact.
absl::Status CheckCounted(const store::RunRecord& run);

// The same, and FAILED_PRECONDITION for a window: its counts depend on its load.
absl::Status CheckComparable(const store::RunRecord& run);

// The run's target with this label; for an empty label, its only one. Errors list the existing
// ones.
absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label);

// Whether the text may be a commit: 7 to 64 lower-case hexadecimal digits.
bool LooksLikeCommit(absl::string_view text);

}  // namespace gprofhub::reporter

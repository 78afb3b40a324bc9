// The runs and targets that people name.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The run that `text` names: a run's id, a commit (at least 7 digits of it; its run that
// came in last), or "latest" (also where `text` is empty), the project's run that came in last,
// whatever its branch and its commit's time. A run of sampled profiles is a commit's or the latest
// only where there are no others, and a window only where there is nothing else.
absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text);

// FAILED_PRECONDITION of a run of sampled profiles: its counts are not exact.
absl::Status CheckCounted(const store::RunRecord& run);

// The same, and FAILED_PRECONDITION of a window: what it counted depends on what it was asked.
absl::Status CheckComparable(const store::RunRecord& run);

// The run's target of this label; with an empty label, its only one. Errors
// list what there is.
absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label);

// Whether the text may be a commit: 7 to 64 lower-case hexadecimal digits.
bool LooksLikeCommit(absl::string_view text);

}  // namespace gprofhub::reporter

// Query service: follow-ups of a report, namely rerun requests and culprit commits of changes.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Errors are FindRun's.
absl::StatusOr<v1::AskedRerun> GetAskedRerun(const store::Reading& reading,
                                             const store::GateRecords& gate,
                                             const v1::GetAskedRerunRequest& request);

// INVALID_ARGUMENT names the field.
absl::StatusOr<v1::RecordCulpritResponse> RecordCulprit(const store::GateRecords& gate,
                                                        const v1::RecordCulpritRequest& request,
                                                        absl::Time now);

// Sets each change's culprit commit, if a bisection of the same calls found one in the change's
// range: if the range's own ends were searched, or by the ancestors of its last commit. The newest
// bisection applies.
absl::Status AddCulprits(const store::Reading& reading, const store::GateRecords& gate,
                         const std::string& project, v1::GetChangesResponse& changes);

}  // namespace gprofhub::reporter

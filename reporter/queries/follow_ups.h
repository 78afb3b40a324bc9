// The query service's answers on what followed a report: who wants tests run again, and with which
// commits changes came.
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

// INVALID_ARGUMENT naming the field.
absl::StatusOr<v1::RecordCulpritResponse> RecordCulprit(const store::GateRecords& gate,
                                                        const v1::RecordCulpritRequest& request,
                                                        absl::Time now);

// Gives each change the commit with which it came, if a search of the same calls found one that
// lies in the change's range: as the range's own ends were searched, or as the ancestors of its
// last commit say. The newest search counts.
absl::Status AddCulprits(const store::Reading& reading, const store::GateRecords& gate,
                         const std::string& project, v1::GetChangesResponse& changes);

}  // namespace gprofhub::reporter

// Query service: the gate, independent of transport.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Query service: follow-ups of a report, namely rerun requests and culprit commits of changes.

// Errors are FindRun's.
absl::StatusOr<v1::AskedRerun> GetAskedRerun(const store::Reading& reading,
                                             const store::GateRecords& gate,
                                             const v1::GetAskedRerunRequest& request);

// INVALID_ARGUMENT names the field.
absl::StatusOr<v1::RecordCulpritResponse> RecordCulprit(const store::GateRecords& gate,
                                                        const v1::RecordCulpritRequest& request,
                                                        const store::Actor& by, absl::Time now);

// Sets each change's culprit commit, if a bisection of the same calls found one in the change's
// range: if the range's own ends were searched, or by the ancestors of its last commit. The newest
// bisection applies.
absl::Status AddCulprits(const store::Reading& reading, const store::GateRecords& gate,
                         const std::string& project, v1::GetChangesResponse& changes);

// The author is `by`, whatever the request contains; the request's author is used only if `by` has
// no name. INVALID_ARGUMENT for an invalid field or an expiry in the past; else the store's errors.
absl::StatusOr<v1::Acknowledgement> Acknowledge(const store::GateRecords& gate,
                                                const v1::AcknowledgeRequest& request,
                                                const store::Actor& by, absl::Time now);
// Revokes an acknowledgement of `by`'s token or, with `anybodys`, of anyone. NOT_FOUND;
// PERMISSION_DENIED; the store's errors.
absl::StatusOr<v1::Acknowledgement> TakeBackAcknowledgement(
    const store::GateRecords& gate, const v1::TakeBackAcknowledgementRequest& request,
    const store::Actor& by, bool anybodys, absl::Time now);
absl::StatusOr<v1::ListAcknowledgementsResponse> ListAcknowledgements(
    const store::GateRecords& gate, const v1::ListAcknowledgementsRequest& request);
// The run's pull request is that of the upload, whatever the request contains. INVALID_ARGUMENT for
// an invalid field and for too many findings; else the errors of FindRun, of `permit`, and of the
// store.
absl::StatusOr<v1::RecordGatedResponse> RecordGated(
    const store::Reading& reading, const store::GateRecords& gate,
    const v1::RecordGatedRequest& request,
    const std::function<absl::Status(const store::RunRecord& run)>& permit);
absl::StatusOr<v1::GetGateStatsResponse> GetGateStats(const store::Reading& reading,
                                                      const store::GateRecords& gate,
                                                      const v1::GetGateStatsRequest& request);

// Converts the message for the gate.
store::AcknowledgementRecord ToRecord(const v1::Acknowledgement& acknowledgement);

}  // namespace gprofhub::reporter

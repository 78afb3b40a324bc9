// Query service: the gate, independent of transport.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::reporter {

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
// an invalid field and for too many findings; else the errors of FindRun and the store.
absl::StatusOr<v1::RecordGatedResponse> RecordGated(const store::Reading& reading,
                                                    const store::GateRecords& gate,
                                                    const v1::RecordGatedRequest& request);
absl::StatusOr<v1::GetGateStatsResponse> GetGateStats(const store::Reading& reading,
                                                      const store::GateRecords& gate,
                                                      const v1::GetGateStatsRequest& request);

// Converts the message for the gate.
store::AcknowledgementRecord ToRecord(const v1::Acknowledgement& acknowledgement);

}  // namespace gprofhub::reporter

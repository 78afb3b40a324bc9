// The principal that sends an invocation's events, stored with them: after a restart the rest is
// recorded with the same rights.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/bes/record_attempt.h"
#include "proto/invocation.pb.h"

namespace gprofhub::collector {

v1::InvocationSender ToRecord(const AttemptSender& sender);

// Reads the sender of an invocation's first record. DATA_LOSS if the record is malformed.
absl::StatusOr<AttemptSender> SenderIn(absl::string_view records, absl::string_view project);

// Whether both senders have the same rights and equal claims of their ID tokens: an invocation can
// only be continued by a sender equivalent to the first one.
bool HaveSameRights(const AttemptSender& a, const AttemptSender& b);

}  // namespace gprofhub::collector

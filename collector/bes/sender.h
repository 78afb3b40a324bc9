// Who sends an invocation's events, as it is kept with them: after a restart the rest is recorded
// with the same rights.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/bes/record_attempt.h"
#include "proto/invocation.pb.h"

namespace gprofhub::collector {

v1::InvocationSender ToRecord(const AttemptSender& sender);

// Of the first of an invocation's records. DATA_LOSS if they are none.
absl::StatusOr<AttemptSender> SenderIn(absl::string_view records, absl::string_view project);

// Whether what one may do, the other may, too, and an ID token says the same of both: whoever goes
// on with an invocation must be as whoever began it.
bool HaveSameRights(const AttemptSender& a, const AttemptSender& b);

}  // namespace gprofhub::collector

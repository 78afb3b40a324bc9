// What people say about findings: that a change is all right, and that it is not after all.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// What the forms send. The call's visitor may acknowledge in its project. Each leads back to the
// page that has the form. Errors are reporter::Acknowledge's and TakeBackAcknowledgement's.
absl::StatusOr<PageAnswer> Acknowledge(const PageCall& call);
absl::StatusOr<PageAnswer> TakeBack(const PageCall& call);

}  // namespace gprofhub::cli

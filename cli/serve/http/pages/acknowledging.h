// Acknowledgements of findings on pages, and their revocation.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// Handlers of the forms. The call's visitor may acknowledge in its project. Each redirects to the
// page with the form. Errors are reporter::Acknowledge's and TakeBackAcknowledgement's.
absl::StatusOr<PageAnswer> Acknowledge(const PageCall& call);
absl::StatusOr<PageAnswer> TakeBack(const PageCall& call);

}  // namespace gprofhub::cli

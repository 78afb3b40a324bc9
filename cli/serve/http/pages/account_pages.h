// Logging in and out.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// `refusal`: why the last attempt failed; empty: there was none. `next`: where to go then.
PageAnswer LoginForm(const PageCall& call, const std::string& refusal, const std::string& next);

// What the form sends. The cookie of a session, or the form again.
absl::StatusOr<PageAnswer> LogIn(PageCall& call);
absl::StatusOr<PageAnswer> LogOut(PageCall& call);

}  // namespace gprofhub::cli

// Logging in and out.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// `refusal`: why the last attempt failed; empty: first attempt. `next`: the page after the log-in.
PageAnswer LoginForm(const PageCall& call, const std::string& refusal, const std::string& next);

// Handles the form. Returns a session cookie, or the form again.
absl::StatusOr<PageAnswer> LogIn(PageCall& call);
absl::StatusOr<PageAnswer> LogOut(PageCall& call);

// Redirects to the issuer's page, and handles the redirect back. NOT_FOUND without an issuer;
// LoginIssuer's errors.
absl::StatusOr<PageAnswer> GoToIssuer(PageCall& call);
absl::StatusOr<PageAnswer> ComeFromIssuer(PageCall& call);

}  // namespace gprofhub::cli

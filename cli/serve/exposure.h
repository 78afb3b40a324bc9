// Checks who can reach a server, and whether that is allowed.
#pragma once

#include "absl/status/status.h"
#include "cli/serve/serve_options.h"
#include "store/tokens.h"

namespace gprofhub::cli {

// Warns of what only a front stops where other machines reach the server. FAILED_PRECONDITION where
// they could use it and no token exists; errors of addresses and of the store.
absl::Status CheckExposure(const store::Tokens& tokens, const ServeOptions& options);

}  // namespace gprofhub::cli

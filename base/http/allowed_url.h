// Policy for URLs that the client may request.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// INVALID_ARGUMENT unless the URL is https, or http to a loopback address (elsewhere a token would
// be sent in clear text), without user information, blanks and control characters.
absl::Status CheckHttpUrl(absl::string_view url);

}  // namespace gprofhub::base

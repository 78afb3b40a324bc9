// Which URLs may be called.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// INVALID_ARGUMENT unless the URL is https, or http to this machine: elsewhere a token would be
// sent in the clear. No user stands in it, and no blank or control character.
absl::Status CheckHttpUrl(absl::string_view url);

}  // namespace gprofhub::base

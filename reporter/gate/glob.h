// Patterns of names, in policies and acknowledgements.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub {

// Whether the whole `text` matches: '*' stands for any characters, '/' and none
// included, '?' for one byte, everything else for itself. Takes at most
// pattern × text steps, whatever the pattern.
bool GlobMatches(absl::string_view pattern, absl::string_view text);

}  // namespace gprofhub

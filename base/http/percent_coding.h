// Percent coding of text in URLs (RFC 3986, 2.1).
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Encodes every byte but letters, digits, '-', '.', '_' and '~' as %XX.
std::string PercentEncoded(absl::string_view text);

// Decodes every %XX; a '%' without two hexadecimal digits after it stays.
std::string PercentDecoded(absl::string_view text);

}  // namespace gprofhub::base

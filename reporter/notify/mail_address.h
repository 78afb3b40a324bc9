// Validation of mail addresses and SMTP URLs, against injection into a line-based protocol.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Whether the text is a plain address "local@domain" (RFC 5321 without quoted local parts): ASCII,
// without blanks, controls, brackets, quotes, commas, and of at most 254 bytes.
bool IsMailAddress(absl::string_view text);

// INVALID_ARGUMENT unless the URL is "smtp://HOST[:PORT]" or "smtps://HOST[:PORT]".
absl::Status CheckSmtpUrl(absl::string_view url);

// Whether the host of such a URL is loopback: "localhost", "127.0.0.1" or "[::1]".
bool IsLoopbackSmtp(absl::string_view url);

}  // namespace gprofhub::reporter

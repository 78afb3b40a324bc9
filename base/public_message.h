// What an error says to whom. An operator reads all of it in the log. A client must not learn from
// it where the server's files and its database are.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// The payload that holds the words for clients.
inline constexpr absl::string_view kPublicMessage = "gprofhub/public_message";

// The same error, of which clients are told `message` only.
absl::Status WithPublicMessage(absl::Status status, absl::string_view message);

// What clients are told of the error: its whole message, unless it has words for them.
std::string PublicMessageOf(const absl::Status& status);

}  // namespace gprofhub::base

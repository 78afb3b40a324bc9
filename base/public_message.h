// Separate error messages for operators and clients. An operator reads the full message in the log.
// A client must not learn from it where the server's files and its database are.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Payload that holds the message for clients.
inline constexpr absl::string_view kPublicMessage = "gprofhub/public_message";

// The same error, with `message` as the only text that clients receive.
absl::Status WithPublicMessage(absl::Status status, absl::string_view message);

// The message for clients: the public one if set, otherwise the full message.
std::string PublicMessageOf(const absl::Status& status);

}  // namespace gprofhub::base

// Messages of errors: context for the reader, and nothing that a client must not learn.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Separate error messages for operators and clients. An operator reads the full message in the log.
// A client must not learn from it where the server's files and its database are.

// Payload that holds the message for clients.
inline constexpr absl::string_view kPublicMessage = "gprofhub/public_message";

// The same error, with `message` as the only text that clients receive.
absl::Status WithPublicMessage(absl::Status status, absl::string_view message);

// The message for clients: the public one if set, otherwise the full message.
std::string PublicMessageOf(const absl::Status& status);

// Adds context to error messages.

// Prefixes the message with "`text`: " and keeps the payloads. OK stays OK.
inline absl::Status WithContext(const absl::Status& status, absl::string_view text) {
  if (status.ok()) return status;
  absl::Status explained(status.code(), absl::StrCat(text, ": ", status.message()));
  status.ForEachPayload([&explained](absl::string_view type, const absl::Cord& payload) {
    explained.SetPayload(type, payload);
  });
  return explained;
}

}  // namespace gprofhub::base

// Adds context to error messages.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

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

#include "base/status.h"

#include "absl/strings/cord.h"

namespace gprofhub::base {

absl::Status WithPublicMessage(absl::Status status, absl::string_view message) {
  status.SetPayload(kPublicMessage, absl::Cord(message));
  return status;
}

std::string PublicMessageOf(const absl::Status& status) {
  const auto message = status.GetPayload(kPublicMessage);
  return message.has_value() ? std::string(*message) : std::string(status.message());
}

}  // namespace gprofhub::base

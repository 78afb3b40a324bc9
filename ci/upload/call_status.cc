#include "ci/upload/call_status.h"

#include <string>

namespace gprofhub::ci {

absl::Status StatusOfCall(const grpc::Status& status) {
  // Abseil's codes are gRPC's.
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  std::string message = status.error_message();
  if (message.empty()) message = absl::StatusCodeToString(code);
  return absl::Status(code, message);
}

}  // namespace gprofhub::ci

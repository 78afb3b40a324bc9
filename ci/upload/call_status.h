// Converts a gRPC status to absl::Status.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace gprofhub::ci {

// The same code and message. An error always has a message: gRPC itself gives none for some, and
// then it is the code's name, such as "UNIMPLEMENTED".
absl::Status StatusOfCall(const grpc::Status& status);

}  // namespace gprofhub::ci

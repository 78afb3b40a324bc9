// Errors about one field of a request.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// Payload of such an error: a serialized BadRequest (proto/status_details.proto).
inline constexpr absl::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";

// INVALID_ARGUMENT "<field>: <problem>" with a BadRequest payload that names
// the field. `field` is the path in the message, such as "header.run.commit".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// The same with RESOURCE_EXHAUSTED, for a size over the limit.
absl::Status FieldTooLarge(absl::string_view field, absl::string_view problem);

}  // namespace gprofhub::collector

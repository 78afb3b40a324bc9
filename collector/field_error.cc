#include "collector/field_error.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {

namespace {

absl::Status MakeError(absl::StatusCode code, absl::string_view field, absl::string_view problem) {
  absl::Status status(code, absl::StrCat(field, ": ", problem));
  v1::BadRequest details;
  v1::BadRequest::FieldViolation* violation = details.add_field_violations();
  violation->set_field(std::string(field));
  violation->set_description(std::string(problem));
  status.SetPayload(kBadRequestUrl, absl::Cord(details.SerializeAsString()));
  return status;
}

}  // namespace

absl::Status FieldError(absl::string_view field, absl::string_view problem) {
  return MakeError(absl::StatusCode::kInvalidArgument, field, problem);
}

absl::Status FieldTooLarge(absl::string_view field, absl::string_view problem) {
  return MakeError(absl::StatusCode::kResourceExhausted, field, problem);
}

}  // namespace gprofhub::collector

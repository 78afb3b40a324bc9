// Query parameters of /api/v1 as fields of protobuf messages.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"

namespace gprofhub::server {

// The schema of an object with these properties.
nlohmann::ordered_json ObjectSchema(nlohmann::ordered_json properties);

// The schema of a query parameter that sets this field.
nlohmann::ordered_json SchemaOfParameter(const google::protobuf::FieldDescriptor& field);

// Sets a field of HttpRoute (query_methods.h) from the text of a parameter or segment: a bool is 0
// or 1, a number at most `most`, and an enum's value is named without its prefix ("day" of BY_DAY).
// An empty text leaves the field unset. INVALID_ARGUMENT names the field.
absl::Status SetField(const google::protobuf::FieldDescriptor& field, const std::string& text,
                      uint32_t most, google::protobuf::Message& message);

}  // namespace gprofhub::server

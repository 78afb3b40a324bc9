// OpenAPI schemas of protobuf messages.
#pragma once

#include <google/protobuf/descriptor.h>

#include <nlohmann/json.hpp>
#include <string>

namespace gprofhub::server {

// {"$ref": …} to the message's schema, which is added to `schemas`, as are those of its fields.
// https://protobuf.dev/programming-guides/json
nlohmann::ordered_json SchemaOf(const google::protobuf::Descriptor& message,
                                nlohmann::ordered_json& schemas);

// The schema of an object with these properties.
nlohmann::ordered_json ObjectSchema(nlohmann::ordered_json properties);

// The message as AnswerApi sends it.
std::string ToJson(const google::protobuf::Message& message);

}  // namespace gprofhub::server

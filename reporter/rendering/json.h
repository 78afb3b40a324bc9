// The one JSON form of results: of the commands' `--format=json`, of /api/v1 and of webhooks.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// The message's fields under their names and in their order, in the form that docs/findings-json.md
// describes: names of enums are in lower case, 64-bit numbers are numbers, and null is what is not
// known. A new field needs no code here.
nlohmann::ordered_json MessageJson(const google::protobuf::Message& message);

// MessageJson as a document: pure ASCII, indented, with a line end. Invalid UTF-8 becomes U+FFFD.
std::string RenderJson(const google::protobuf::Message& message);

// The JSON schema of MessageJson, as OpenAPI 3.1 has it: {"$ref": …} to the message's entry in
// `schemas`, which is added with those of its fields.
nlohmann::ordered_json MessageSchema(const google::protobuf::Descriptor& message,
                                     nlohmann::ordered_json& schemas);

// The verdict as JSON has it: "regressed".
std::string VerdictName(v1::Finding::Verdict verdict);

}  // namespace gprofhub::reporter

#include "server/http/api_schema.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace gprofhub::server {

namespace {

using google::protobuf::FieldDescriptor;
using OrderedJson = nlohmann::ordered_json;

// Names of the enum's values in parameters.
std::vector<std::string> ParameterValues(const FieldDescriptor& field) {
  const std::string prefix = absl::StrCat(field.name(), "_");
  std::vector<std::string> names;
  for (int i = 0; i < field.enum_type()->value_count(); ++i) {
    const std::string name = absl::AsciiStrToLower(field.enum_type()->value(i)->name());
    names.emplace_back(absl::StripPrefix(name, prefix));
  }
  return names;
}

absl::Status SetNumber(const FieldDescriptor& field, const std::string& text, uint32_t most,
                       google::protobuf::Message& message) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number > most) {
    return absl::InvalidArgumentError(
        absl::StrCat(field.name(), ": must be a number of at most ", most));
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    message.GetReflection()->SetBool(&message, &field, number == 1);
  } else {
    message.GetReflection()->SetUInt32(&message, &field, number);
  }
  return absl::OkStatus();
}

absl::Status SetEnum(const FieldDescriptor& field, const std::string& text,
                     google::protobuf::Message& message) {
  const std::vector<std::string> names = ParameterValues(field);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != text) continue;
    message.GetReflection()->SetEnum(&message, &field,
                                     field.enum_type()->value(static_cast<int>(i)));
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(field.name(), ": must be one of ", absl::StrJoin(names, ", ")));
}

}  // namespace

OrderedJson ObjectSchema(OrderedJson properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

OrderedJson SchemaOfParameter(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return {{"type", "string"}, {"enum", ParameterValues(field)}};
    case FieldDescriptor::CPPTYPE_STRING:
      return {{"type", "string"}};
    default:
      return {{"type", "integer"}};
  }
}

absl::Status SetField(const FieldDescriptor& field, const std::string& text, uint32_t most,
                      google::protobuf::Message& message) {
  if (text.empty()) return absl::OkStatus();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetNumber(field, text, 1, message);
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetNumber(field, text, most, message);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(field, text, message);
    default:
      message.GetReflection()->SetString(&message, &field, text);
      return absl::OkStatus();
  }
}

}  // namespace gprofhub::server

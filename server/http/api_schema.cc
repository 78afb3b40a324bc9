#include "server/http/api_schema.h"

#include <google/protobuf/util/json_util.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace gprofhub::server {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using OrderedJson = nlohmann::ordered_json;

OrderedJson SchemaOfOne(const FieldDescriptor& field, OrderedJson& schemas) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SchemaOf(*field.message_type(), schemas);
    case FieldDescriptor::CPPTYPE_BOOL:
      return {{"type", "boolean"}};
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_UINT32:
      return {{"type", "integer"}};
    // Wider than JSON's numbers.
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
      return {{"type", "string"}, {"pattern", "^-?[0-9]+$"}};
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return {{"type", {"number", "string"}}, {"description", "NaN and Infinity are strings"}};
    case FieldDescriptor::CPPTYPE_ENUM: {
      OrderedJson values = OrderedJson::array();
      for (int i = 0; i < field.enum_type()->value_count(); ++i) {
        values.push_back(field.enum_type()->value(i)->name());
      }
      return {{"type", "string"}, {"enum", values}};
    }
    case FieldDescriptor::CPPTYPE_STRING:
      if (field.type() == FieldDescriptor::TYPE_BYTES) {
        return {{"type", "string"}, {"contentEncoding", "base64"}};
      }
      return {{"type", "string"}};
  }
  return OrderedJson::object();
}

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

OrderedJson SchemaOf(const Descriptor& message, OrderedJson& schemas) {
  const std::string& name = message.full_name();
  const OrderedJson reference = {{"$ref", "#/components/schemas/" + name}};
  if (schemas.contains(name)) return reference;
  schemas[name] = OrderedJson::object();  // a message may hold itself
  OrderedJson properties = OrderedJson::object();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const OrderedJson one = SchemaOfOne(field, schemas);
    properties[field.name()] =
        field.is_repeated() ? OrderedJson{{"type", "array"}, {"items", one}} : one;
  }
  schemas[name] = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  return reference;
}

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

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}";
}

}  // namespace gprofhub::server

#include "server/http/api_schema.h"

#include <google/protobuf/util/json_util.h>

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

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}";
}

}  // namespace gprofhub::server

#include "reporter/rendering/json.h"

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "profile/names.h"
#include "proto/query.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::reporter {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using OrderedJson = nlohmann::ordered_json;

// A member of a message's JSON that is more than the field of that name.
struct SpecialMember {
  std::string name;
  // Where it returns false, the field is null.
  std::function<bool(const Message&)> is_known;
  // In place of the field, or, where the message has no such field, ahead of all fields. A member
  // with neither function is left out.
  std::function<OrderedJson(const Message&)> value;
  // Null: the field's own.
  OrderedJson schema;
};

// Collects the special members of the message M.
template <typename M>
class SpecialsOf {
 public:
  SpecialsOf& LeaveOut(const std::vector<std::string>& fields) {
    for (const std::string& field : fields) members_.push_back({field, nullptr, nullptr, nullptr});
    return *this;
  }
  SpecialsOf& NullUnless(bool (*is_known)(const M&), const std::vector<std::string>& fields) {
    for (const std::string& field : fields) {
      members_.push_back(
          {field,
           [is_known](const Message& message) { return is_known(static_cast<const M&>(message)); },
           nullptr, nullptr});
    }
    return *this;
  }
  SpecialsOf& Set(const std::string& name, OrderedJson schema, OrderedJson (*value)(const M&)) {
    members_.push_back(
        {name, nullptr,
         [value](const Message& message) { return value(static_cast<const M&>(message)); },
         std::move(schema)});
    return *this;
  }
  // A member that only an enclosing message adds.
  SpecialsOf& Describe(const std::string& name, OrderedJson schema) {
    members_.push_back({name, nullptr, nullptr, std::move(schema)});
    return *this;
  }
  std::pair<const Descriptor* const, std::vector<SpecialMember>> Done() {
    return {M::descriptor(), std::move(members_)};
  }

 private:
  std::vector<SpecialMember> members_;
};

OrderedJson TypeSchema(const char* type) { return {{"type", type}}; }

OrderedJson OrNull(OrderedJson schema) {
  return {{"anyOf", OrderedJson::array({std::move(schema), TypeSchema("null")})}};
}

std::string UnitOf(const v1::Finding& finding) {
  switch (finding.metric()) {
    case v1::Finding::CALLS:
      return std::string(profile::UnitName(profile::UnitOfCalls(finding.function())));
    case v1::Finding::INSTRUCTIONS:
    case v1::Finding::EVENT_INSTRUCTIONS:
      return "instructions";
    default:
      return "seconds";
  }
}

// How certain the finding is, the strongest doubt first.
const char* ConfidenceOf(const v1::Finding& finding) {
  if (finding.unexplained()) return "chance";
  if (finding.unconfirmed()) return "unconfirmed";
  if (finding.one_run()) return "one_run";
  if (finding.exact()) return "exact";
  return finding.verdict() == v1::Finding::CANNOT_TELL ? "inconclusive" : "interval";
}

auto FindingMembers() {
  using Finding = v1::Finding;
  return SpecialsOf<Finding>()
      .Set("id", TypeSchema("string"), [](const Finding& f) -> OrderedJson { return FindingId(f); })
      .Set("unit", TypeSchema("string"), [](const Finding& f) -> OrderedJson { return UnitOf(f); })
      .Set("confidence",
           {{"type", "string"},
            {"enum", {"exact", "interval", "one_run", "unconfirmed", "chance", "inconclusive"}}},
           [](const Finding& f) -> OrderedJson { return ConfidenceOf(f); })
      .Set("interval", OrNull({{"type", "array"}, {"items", TypeSchema("number")}}),
           [](const Finding& f) -> OrderedJson {
             if (f.exact() || f.one_run()) return nullptr;
             return {f.interval_low_percent(), f.interval_high_percent()};
           })
      .Set("caller_calls",
           OrNull(
               {{"type", "object"},
                {"properties", {{"before", TypeSchema("number")}, {"after", TypeSchema("number")}}},
                {"required", {"before", "after"}},
                {"additionalProperties", false}}),
           [](const Finding& f) -> OrderedJson {
             if (f.caller().empty()) return nullptr;
             return {{"before", f.caller_calls_before()}, {"after", f.caller_calls_after()}};
           })
      .LeaveOut({"interval_low_percent", "interval_high_percent", "caller_calls_before",
                 "caller_calls_after", "may_follow"})
      .Describe("cause", OrNull(TypeSchema("string")))
      // Also where it is not set.
      .Set("site", nullptr, [](const Finding& f) { return MessageJson(f.site()); })
      .NullUnless([](const Finding& f) { return !f.caller().empty(); },
                  {"caller", "caller_display"})
      .NullUnless([](const Finding& f) { return f.metric() != Finding::CALLS; }, {"standard_error"})
      // Without samples the share is one of calls.
      .NullUnless([](const Finding& f) { return !f.has_share_of_calls(); }, {"weight", "impact"})
      .NullUnless([](const Finding& f) { return f.metric() == Finding::TOTAL_TIME; }, {"measured"})
      .NullUnless([](const Finding& f) { return f.pooled_targets() > 0; }, {"pooled_targets"})
      .NullUnless([](const Finding& f) { return !f.folded_under().empty(); }, {"folded_under"})
      .NullUnless(
          [](const Finding& f) {
            return f.verdict() == Finding::CANNOT_TELL && f.detectable_percent() > 0;
          },
          {"detectable_percent", "more_runs_needed"})
      .Done();
}

// Each finding names the first one of its cause.
OrderedJson FindingsOf(const v1::Report& report) {
  OrderedJson findings = OrderedJson::array();
  const std::vector<size_t> causes = CausesOf(report);
  for (size_t i = 0; i < causes.size(); ++i) {
    OrderedJson finding = MessageJson(report.findings(static_cast<int>(i)));
    finding["cause"] = nullptr;
    if (causes[i] != i) finding["cause"] = findings[causes[i]]["id"];
    findings.push_back(std::move(finding));
  }
  return findings;
}

// Of documents: the number of the form of all messages in it.
template <typename M>
SpecialsOf<M> DocumentMembers() {
  return SpecialsOf<M>().Set("schema", TypeSchema("integer"),
                             [](const M&) -> OrderedJson { return 1; });
}

auto TrendMembers() {
  using Trend = v1::GetTrendResponse;
  return DocumentMembers<Trend>()
      .Set("unit", TypeSchema("string"),
           [](const Trend& trend) -> OrderedJson {
             return std::string(profile::UnitName(profile::UnitOfCalls(trend.function())));
           })
      .Set("by", TypeSchema("string"),
           [](const Trend& trend) -> OrderedJson { return std::string(NameOfTrendBy(trend.by())); })
      .Done();
}

const std::vector<SpecialMember>& SpecialMembers(const Descriptor* message) {
  static const auto* const all = new std::map<const Descriptor*, std::vector<SpecialMember>>{
      FindingMembers(),
      TrendMembers(),
      DocumentMembers<v1::Report>().Set("findings", nullptr, FindingsOf).Done(),
      DocumentMembers<v1::GetChangesResponse>().Done(),
      DocumentMembers<v1::Explanation>().Done(),
      DocumentMembers<v1::GetGateStatsResponse>().Done(),
      SpecialsOf<v1::Compared>()
          .NullUnless([](const v1::Compared& one) { return one.machine_speed_factor() > 0; },
                      {"machine_speed_factor"})
          .Done(),
      SpecialsOf<v1::ChangeEvent>()
          .NullUnless([](const v1::ChangeEvent& event) { return event.commits() > 0; }, {"commits"})
          .Done(),
      SpecialsOf<v1::Explanation::Step>()
          .Set("site", nullptr,
               [](const v1::Explanation::Step& step) { return MessageJson(step.site()); })
          .NullUnless([](const v1::Explanation::Step& step) { return step.per_call() > 0; },
                      {"per_call"})
          .Done(),
      SpecialsOf<v1::TrendPeriod>()
          .Set("begins", TypeSchema("string"),
               [](const v1::TrendPeriod& period) -> OrderedJson {
                 return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(period.unix_ms()),
                                         absl::UTCTimeZone());
               })
          .Done(),
  };
  static const auto* const none = new std::vector<SpecialMember>();
  const auto found = all->find(message);
  return found == all->end() ? *none : found->second;
}

// Null: the message has none of that name.
const SpecialMember* FindSpecial(const Descriptor* message, absl::string_view name) {
  for (const SpecialMember& member : SpecialMembers(message)) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

bool IsLeftOut(const SpecialMember* member) {
  return member != nullptr && member->is_known == nullptr && member->value == nullptr;
}

// The field's value, or that at `index` of a repeated field.
OrderedJson ValueOf(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& of = *message.GetReflection();
  const bool is_list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return is_list ? of.GetRepeatedInt32(message, field, index) : of.GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return is_list ? of.GetRepeatedUInt32(message, field, index) : of.GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return is_list ? of.GetRepeatedInt64(message, field, index) : of.GetInt64(message, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return is_list ? of.GetRepeatedUInt64(message, field, index) : of.GetUInt64(message, field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return is_list ? of.GetRepeatedFloat(message, field, index) : of.GetFloat(message, field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return is_list ? of.GetRepeatedDouble(message, field, index) : of.GetDouble(message, field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return is_list ? of.GetRepeatedBool(message, field, index) : of.GetBool(message, field);
    case FieldDescriptor::CPPTYPE_STRING:
      return is_list ? of.GetRepeatedString(message, field, index) : of.GetString(message, field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return absl::AsciiStrToLower(
          (is_list ? of.GetRepeatedEnum(message, field, index) : of.GetEnum(message, field))
              ->name());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageJson(is_list ? of.GetRepeatedMessage(message, field, index)
                                 : of.GetMessage(message, field));
  }
  return nullptr;
}

OrderedJson FieldJson(const Message& message, const FieldDescriptor* field) {
  if (!field->is_repeated()) {
    if (field->has_presence() && !message.GetReflection()->HasField(message, field)) return nullptr;
    return ValueOf(message, field, 0);
  }
  OrderedJson list = OrderedJson::array();
  for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
    list.push_back(ValueOf(message, field, i));
  }
  return list;
}

OrderedJson ValueSchema(const FieldDescriptor* field, OrderedJson& schemas) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageSchema(*field->message_type(), schemas);
    case FieldDescriptor::CPPTYPE_BOOL:
      return TypeSchema("boolean");
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
      return TypeSchema("integer");
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return TypeSchema("number");
    case FieldDescriptor::CPPTYPE_STRING:
      return TypeSchema("string");
    case FieldDescriptor::CPPTYPE_ENUM: {
      OrderedJson names = OrderedJson::array();
      for (int i = 0; i < field->enum_type()->value_count(); ++i) {
        names.push_back(absl::AsciiStrToLower(field->enum_type()->value(i)->name()));
      }
      return {{"type", "string"}, {"enum", std::move(names)}};
    }
  }
  return OrderedJson::object();
}

OrderedJson FieldSchema(const FieldDescriptor* field, const SpecialMember* special,
                        OrderedJson& schemas) {
  if (special != nullptr && !special->schema.is_null()) return special->schema;
  OrderedJson schema = ValueSchema(field, schemas);
  if (field->is_repeated()) return {{"type", "array"}, {"items", std::move(schema)}};
  const bool is_always_set = special != nullptr && special->value != nullptr;
  const bool may_be_null = field->has_presence() || (special != nullptr && special->is_known);
  return may_be_null && !is_always_set ? OrNull(std::move(schema)) : schema;
}

}  // namespace

std::string VerdictName(v1::Finding::Verdict verdict) {
  return absl::AsciiStrToLower(v1::Finding::Verdict_Name(verdict));
}

OrderedJson MessageJson(const Message& message) {
  const Descriptor* const type = message.GetDescriptor();
  OrderedJson json = OrderedJson::object();
  for (const SpecialMember& member : SpecialMembers(type)) {
    if (member.value != nullptr && type->FindFieldByName(member.name) == nullptr) {
      json[member.name] = member.value(message);
    }
  }
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* const field = type->field(i);
    const SpecialMember* const special = FindSpecial(type, field->name());
    if (IsLeftOut(special)) continue;
    OrderedJson& value = json[field->name()];
    if (special == nullptr || (special->is_known != nullptr && special->is_known(message))) {
      value = FieldJson(message, field);
    } else if (special->value != nullptr) {
      value = special->value(message);
    }
  }
  return json;
}

std::string RenderJson(const Message& message) {
  return MessageJson(message).dump(2, ' ', /*ensure_ascii=*/true,
                                   OrderedJson::error_handler_t::replace) +
         "\n";
}

OrderedJson MessageSchema(const Descriptor& message, OrderedJson& schemas) {
  const std::string& name = message.full_name();
  const OrderedJson reference = {{"$ref", "#/components/schemas/" + name}};
  if (schemas.contains(name)) return reference;
  schemas[name] = OrderedJson::object();  // a message may contain itself
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  for (const SpecialMember& member : SpecialMembers(&message)) {
    if (member.schema.is_null() || message.FindFieldByName(member.name) != nullptr) continue;
    properties[member.name] = member.schema;
    if (member.value != nullptr) required.push_back(member.name);
  }
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor* const field = message.field(i);
    const SpecialMember* const special = FindSpecial(&message, field->name());
    if (IsLeftOut(special)) continue;
    properties[field->name()] = FieldSchema(field, special, schemas);
    required.push_back(field->name());
  }
  schemas[name] = {{"type", "object"},
                   {"properties", std::move(properties)},
                   {"required", std::move(required)},
                   {"additionalProperties", false}};
  return reference;
}

}  // namespace gprofhub::reporter

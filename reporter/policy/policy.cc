#include "reporter/policy/policy.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reporter/policy/json_reader.h"
#include "reporter/policy/verdict_words.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = 1 << 20;

struct MetricWord {
  const char* name;
  v1::Finding::Metric value;
};
constexpr MetricWord kMetrics[] = {{"calls", v1::Finding::CALLS},
                                   {"self_time", v1::Finding::SELF_TIME},
                                   {"total_time", v1::Finding::TOTAL_TIME},
                                   {"instructions", v1::Finding::INSTRUCTIONS},
                                   {"event_instructions", v1::Finding::EVENT_INSTRUCTIONS}};

GateRule ReadRule(JsonReader& reader, const Json& value, const std::string& path) {
  GateRule rule;
  if (!reader.Object(value, path,
                     {"name", "targets", "functions", "metrics", "verdicts", "min_cpu_percent",
                      "min_calls_percent", "min_effect_percent", "fails"})) {
    return rule;
  }
  const std::string field = path + ".";
  rule.name = reader.TextField(value, field, "name");
  rule.targets = reader.Texts(value, field, "targets");
  rule.functions = reader.Texts(value, field, "functions");
  rule.metrics = reader.Words<v1::Finding::Metric>(
      value, field, "metrics", kMetrics,
      {v1::Finding::CALLS, v1::Finding::SELF_TIME, v1::Finding::INSTRUCTIONS});
  rule.verdicts = reader.Words<v1::Finding::Verdict>(value, field, "verdicts", kVerdictWords,
                                                     {v1::Finding::REGRESSED});
  rule.min_cpu_percent = reader.Number(value, field, "min_cpu_percent", 100, 1);
  if (value.contains("min_calls_percent")) {
    rule.min_calls_percent = reader.Number(value, field, "min_calls_percent", 100, 0);
  }
  rule.min_effect_percent = reader.Number(value, field, "min_effect_percent", 1e9, 0);
  rule.fails = reader.Boolean(value, field, "fails", true);
  return rule;
}

store::AcknowledgementRecord ReadAcknowledgement(JsonReader& reader, const Json& value,
                                                 const std::string& path) {
  store::AcknowledgementRecord record;
  if (!reader.Object(value, path, {"function", "target", "reason", "until", "not_a_regression"})) {
    return record;
  }
  const std::string field = path + ".";
  record.function = reader.TextField(value, field, "function");
  if (value.contains("target")) record.target = reader.TextField(value, field, "target");
  record.reason = reader.TextField(value, field, "reason");
  record.not_a_regression = reader.Boolean(value, field, "not_a_regression", false);
  record.author = kPolicyFile;
  const std::string until = reader.TextField(value, field, "until");
  std::string error;
  absl::Time day;
  if (absl::ParseTime("%Y-%m-%d", until, &day, &error)) {
    record.expires = day + absl::Hours(24);  // the given day is included
  } else {
    reader.Fail(field + "until", "must be a day such as \"2027-01-31\"");
  }
  return record;
}

OrderingPolicy ReadOrdering(JsonReader& reader, const Json& value) {
  OrderingPolicy ordering;
  const std::string field = "ordering.";
  if (!reader.Object(value, "ordering",
                     {"workloads", "exclude", "with_tests", "history", "half_life_days"})) {
    return ordering;
  }
  if (const Json* list = reader.List(value, field, "workloads"); list != nullptr) {
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string path = absl::StrCat(field, "workloads[", i, "]");
      if (!reader.Object((*list)[i], path, {"target", "weight"})) break;
      ordering.workloads.push_back({reader.TextField((*list)[i], path + ".", "target"),
                                    reader.Number((*list)[i], path + ".", "weight", 1e6, 1)});
    }
  }
  ordering.exclude = reader.Texts(value, field, "exclude");
  ordering.with_tests = reader.Boolean(value, field, "with_tests", false);
  const double history = reader.Number(value, field, "history", 100, 1);
  if (history < 1 || history != std::floor(history)) {
    reader.Fail(field + "history", "must be a whole number from 1 to 100");
  }
  ordering.history = static_cast<uint32_t>(history);
  ordering.half_life_days = reader.Number(value, field, "half_life_days", 1e6, 0);
  return ordering;
}

std::vector<OwnerRule> ReadOwners(JsonReader& reader, const Json& document) {
  std::vector<OwnerRule> rules;
  const Json* const list = reader.List(document, "", "owners");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::string path = absl::StrCat("owners[", i, "]");
    if (!reader.Object((*list)[i], path, {"files", "functions", "owners"})) break;
    OwnerRule rule;
    rule.files = reader.Texts((*list)[i], path + ".", "files");
    rule.functions = reader.Texts((*list)[i], path + ".", "functions");
    rule.owners = reader.Texts((*list)[i], path + ".", "owners");
    if (rule.owners.empty()) reader.Fail(path + ".owners", "must not be empty");
    if (rule.files.empty() && rule.functions.empty()) {
      reader.Fail(path, "must have files or functions");
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

Policy DefaultPolicy() {
  Policy policy;
  GateRule more_work;
  more_work.name = "more-work";
  more_work.metrics = {v1::Finding::CALLS, v1::Finding::INSTRUCTIONS};
  more_work.verdicts = {v1::Finding::REGRESSED};
  GateRule slower;
  slower.name = "slower";
  slower.metrics = {v1::Finding::SELF_TIME};
  slower.verdicts = {v1::Finding::REGRESSED};
  policy.gates = {more_work, slower};
  return policy;
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": is longer than ", kMaxBytes, " bytes"));
  }
  const absl::StatusOr<Json> json = ParseStrictly(text, file);
  if (!json.ok()) return json.status();
  JsonReader reader(file);
  Policy policy = DefaultPolicy();
  if (reader.Object(*json, "",
                    {"version", "comment_above_percent", "gates", "acknowledged", "ordering",
                     "owners", "rerun"})) {
    const auto version = json->find("version");
    if (version == json->end() || !version->is_number_integer() || *version != 1) {
      reader.Fail("version", "must be 1");
    }
    policy.comment_above_percent = reader.Number(*json, "", "comment_above_percent", 100, 0.5);
    if (const Json* gates = reader.List(*json, "", "gates"); gates != nullptr) {
      policy.gates.clear();
      std::set<std::string> names;
      for (size_t i = 0; i < gates->size(); ++i) {
        const std::string path = absl::StrCat("gates[", i, "]");
        policy.gates.push_back(ReadRule(reader, (*gates)[i], path));
        if (!names.insert(policy.gates.back().name).second) {
          reader.Fail(path + ".name", "is the name of another rule, too");
        }
      }
    }
    if (const Json* list = reader.List(*json, "", "acknowledged"); list != nullptr) {
      for (size_t i = 0; i < list->size(); ++i) {
        policy.acknowledged.push_back(
            ReadAcknowledgement(reader, (*list)[i], absl::StrCat("acknowledged[", i, "]")));
      }
    }
    if (json->contains("ordering")) policy.ordering = ReadOrdering(reader, (*json)["ordering"]);
    policy.owners = ReadOwners(reader, *json);
    if (json->contains("rerun") && reader.Object((*json)["rerun"], "rerun", {"job"})) {
      policy.rerun_job = reader.TextField((*json)["rerun"], "rerun.", "job");
    }
  }
  if (!reader.status().ok()) return reader.status();
  return policy;
}

}  // namespace gprofhub::reporter

#include "cli/bisect/find_question.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reporter/findings/finding_id.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::json;

constexpr size_t kFewestDigits = 4;

v1::Finding ParseFinding(const Json& json) {
  v1::Finding finding;
  v1::Finding::Metric metric = v1::Finding::METRIC_UNSPECIFIED;
  v1::Finding::Metric_Parse(absl::AsciiStrToUpper(json.at("metric").get<std::string>()), &metric);
  finding.set_metric(metric);
  finding.set_function(json.at("function").get<std::string>());
  finding.set_target(json.at("target").get<std::string>());
  finding.set_before(json.at("before").get<double>());
  finding.set_after(json.at("after").get<double>());
  if (!json.at("caller").is_null()) finding.set_caller(json.at("caller").get<std::string>());
  return finding;
}

}  // namespace

absl::StatusOr<Question> QuestionOf(const v1::Finding& finding) {
  if (finding.metric() != v1::Finding::CALLS) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the finding is about ", absl::AsciiStrToLower(v1::Finding::Metric_Name(finding.metric())),
        " of ", finding.function(),
        ". Only calls can be judged by one run; choose a finding about calls, or name "
        "a function that is called more often with --function"));
  }
  return Question{finding.target(), finding.function(), finding.caller()};
}

absl::StatusOr<Sought> FindQuestion(const v1::Report& report, absl::string_view id) {
  const v1::Finding* found = nullptr;
  for (const v1::Finding& finding : report.findings()) {
    if (id.size() < kFewestDigits || !absl::StartsWith(reporter::FindingId(finding), id)) continue;
    if (found != nullptr && reporter::FindingId(*found) != reporter::FindingId(finding)) {
      return absl::InvalidArgumentError(
          absl::StrCat("several findings have an id that begins with ", id));
    }
    found = &finding;
  }
  if (found == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("none of the report's ", report.findings_size(), " findings has the id ", id));
  }
  absl::StatusOr<Question> question = QuestionOf(*found);
  if (!question.ok()) return question.status();
  return Sought{
      *std::move(question), report.compared().configuration(), {found->before(), found->after()}};
}

absl::StatusOr<v1::Report> ReadReportJson(absl::string_view text, absl::string_view name) {
  v1::Report report;
  // The library's exceptions stop here.
  try {
    const Json json = Json::parse(text);
    report.mutable_compared()->set_configuration(
        json.at("compared").at("configuration").get<std::string>());
    for (const Json& finding : json.at("findings")) *report.add_findings() = ParseFinding(finding);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is not what `gprofhub report --format=json` prints: ", error.what()));
  }
  return report;
}

ModeOptions OptionsOf(absl::string_view configuration) {
  ModeOptions options = {"gprof", ""};
  for (const absl::string_view part : absl::StrSplit(configuration, '-')) {
    if (part == "opt" || part == "dbg" || part == "fastbuild") {
      options.compilation_mode = absl::StrCat("--compilation_mode=", part);
    }
    if (absl::StartsWith(part, "gprof")) options.configuration = std::string(part);
  }
  return options;
}

}  // namespace gprofhub::cli

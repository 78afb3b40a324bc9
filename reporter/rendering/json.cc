#include "reporter/rendering/json.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "profile/names/quantities.h"
#include "reporter/findings/causes.h"
#include "reporter/findings/finding_id.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;

template <typename Repeated>
Json List(const Repeated& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value);
  return list;
}

Json ShiftJson(const v1::Shift& shift) {
  return {{"kind", absl::AsciiStrToLower(v1::Shift::Kind_Name(shift.kind()))},
          {"with", List(shift.with())}};
}

Json SideJson(const v1::Compared::Side& side) {
  return {{"run_id", side.run_id()},
          {"commit", side.commit()},
          {"branch", side.branch()},
          {"machine", side.machine()},
          {"runs", side.runs()},
          {"executions", side.executions()},
          {"total_seconds", side.total_seconds()},
          {"overhead_seconds", side.overhead_seconds()},
          {"measured_share", side.measured_share()}};
}

Json NotComparedJson(const v1::Compared& compared) {
  Json list = Json::array();
  for (const v1::NotCompared& one : compared.not_compared()) {
    list.push_back({{"target", one.target()}, {"reason", one.reason()}});
  }
  return list;
}

Json ToolchainJson(const v1::ToolchainChange& toolchain) {
  return {{"before", toolchain.before()},       {"after", toolchain.after()},
          {"functions", toolchain.functions()}, {"all_functions", toolchain.all_functions()},
          {"files", toolchain.files()},         {"all_files", toolchain.all_files()},
          {"folded", toolchain.folded()},       {"beside", List(toolchain.beside())}};
}

Json RewriteJson(const v1::Rewrite& rewrite) {
  Json pairs = Json::array();
  for (const v1::Rewrite::Pair& pair : rewrite.pairs()) {
    pairs.push_back({{"before", pair.before()}, {"after", pair.after()}});
  }
  return {{"component", rewrite.component()},    {"pairs", pairs},
          {"gone", List(rewrite.gone())},        {"came", List(rewrite.came())},
          {"stayed", rewrite.stayed()},          {"share_before", rewrite.share_before()},
          {"share_after", rewrite.share_after()}};
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

}  // namespace

std::string VerdictName(v1::Finding::Verdict verdict) {
  return absl::AsciiStrToLower(v1::Finding::Verdict_Name(verdict));
}

std::string MetricName(v1::Finding::Metric metric) {
  return absl::AsciiStrToLower(v1::Finding::Metric_Name(metric));
}

nlohmann::ordered_json FindingJson(const v1::Finding& finding) {
  Json json;
  json["id"] = FindingId(finding);
  json["verdict"] = VerdictName(finding.verdict());
  json["metric"] = MetricName(finding.metric());
  json["function"] = finding.function();
  json["function_display"] = finding.function_display();
  // A finding about a function as a whole has no caller.
  if (finding.caller().empty()) {
    json["caller"] = nullptr;
    json["caller_display"] = nullptr;
  } else {
    json["caller"] = finding.caller();
    json["caller_display"] = finding.caller_display();
  }
  json["site"] = {{"file", finding.site().file()}, {"line", finding.site().line()}};
  json["target"] = finding.target();
  json["unit"] = UnitOf(finding);
  json["before"] = finding.before();
  json["after"] = finding.after();
  json["exact"] = finding.exact();
  json["one_run"] = finding.one_run();
  json["unexplained"] = finding.unexplained();
  json["effect_percent"] = finding.effect_percent();
  if (finding.exact() || finding.one_run()) {
    json["interval"] = nullptr;
  } else {
    json["interval"] = {finding.interval_low_percent(), finding.interval_high_percent()};
  }
  if (finding.metric() == v1::Finding::CALLS) {
    json["standard_error"] = nullptr;
  } else {
    json["standard_error"] = finding.standard_error();
  }
  // Without samples the share is one of calls.
  const bool sampled = !finding.has_share_of_calls();
  json["weight"] = sampled ? Json(finding.weight()) : Json(nullptr);
  json["impact"] = sampled ? Json(finding.impact()) : Json(nullptr);
  json["share_of_calls"] = sampled ? Json(nullptr) : Json(finding.share_of_calls());
  json["share_of_bytes"] = finding.share_of_bytes();
  json["share_of_waits"] = finding.share_of_waits();
  json["caller_calls"] = nullptr;
  if (!finding.caller().empty()) {
    json["caller_calls"] = {{"before", finding.caller_calls_before()},
                            {"after", finding.caller_calls_after()}};
  }
  json["follows"] = List(finding.follows());
  json["material"] = finding.material();
  json["explained"] = finding.explained();
  const bool total_time = finding.metric() == v1::Finding::TOTAL_TIME;
  json["measured"] = total_time ? Json(finding.measured()) : Json(nullptr);
  json["pooled_targets"] =
      finding.pooled_targets() > 0 ? Json(finding.pooled_targets()) : Json(nullptr);
  json["in_test"] = finding.in_test();
  json["no_longer_exact"] = finding.no_longer_exact();
  json["in_diff"] = finding.in_diff();
  json["shift"] = finding.has_shift() ? ShiftJson(finding.shift()) : Json(nullptr);
  json["folded_under"] =
      finding.folded_under().empty() ? Json(nullptr) : Json(finding.folded_under());
  json["beside_toolchain"] = finding.beside_toolchain();
  json["toolchain"] = finding.has_toolchain() ? ToolchainJson(finding.toolchain()) : Json(nullptr);
  json["rewrite"] = finding.has_rewrite() ? RewriteJson(finding.rewrite()) : Json(nullptr);
  if (finding.verdict() == v1::Finding::CANNOT_TELL && finding.detectable_percent() > 0) {
    json["detectable_percent"] = finding.detectable_percent();
    json["more_runs_needed"] = finding.more_runs_needed();
  } else {
    json["detectable_percent"] = nullptr;
    json["more_runs_needed"] = nullptr;
  }
  return json;
}

std::string RenderJson(const v1::Report& report) {
  const v1::Compared& compared = report.compared();
  Json json;
  json["schema"] = 1;
  json["compared"] = {
      {"base", compared.has_base() ? SideJson(compared.base()) : Json(nullptr)},
      {"head", SideJson(compared.head())},
      {"baseline_reason", compared.baseline_reason()},
      {"configuration", compared.configuration()},
      {"targets", List(compared.targets())},
      {"new_targets", List(compared.new_targets())},
      {"vanished_targets", List(compared.vanished_targets())},
      {"cached_targets", List(compared.cached_targets())},
      {"window_runs", compared.window_runs()},
      {"unchanged_targets", List(compared.unchanged_targets())},
      {"not_compared", NotComparedJson(compared)},
      {"machine_speed_factor",
       compared.machine_speed_factor() > 0 ? Json(compared.machine_speed_factor()) : Json(nullptr)},
      {"functions", compared.functions()},
      {"arcs", compared.arcs()},
  };
  json["findings"] = Json::array();
  const std::vector<size_t> causes = CausesOf(report);
  for (size_t i = 0; i < causes.size(); ++i) {
    Json finding = FindingJson(report.findings(static_cast<int>(i)));
    finding["cause"] = causes[i] == i
                           ? Json(nullptr)
                           : Json(FindingId(report.findings(static_cast<int>(causes[i]))));
    json["findings"].push_back(std::move(finding));
  }
  json["warnings"] = List(report.warnings());
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter

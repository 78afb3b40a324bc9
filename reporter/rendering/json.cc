#include "reporter/rendering/json.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "profile/names.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename Repeated>
OrderedJson List(const Repeated& values) {
  OrderedJson list = OrderedJson::array();
  for (const auto& value : values) list.push_back(value);
  return list;
}

OrderedJson ShiftJson(const v1::Shift& shift) {
  return {{"kind", absl::AsciiStrToLower(v1::Shift::Kind_Name(shift.kind()))},
          {"with", List(shift.with())}};
}

OrderedJson SideJson(const v1::Compared::Side& side) {
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

OrderedJson NotComparedJson(const v1::Compared& compared) {
  OrderedJson list = OrderedJson::array();
  for (const v1::NotCompared& one : compared.not_compared()) {
    list.push_back({{"target", one.target()}, {"reason", one.reason()}});
  }
  return list;
}

OrderedJson ToolchainJson(const v1::ToolchainChange& toolchain) {
  return {{"before", toolchain.before()},       {"after", toolchain.after()},
          {"functions", toolchain.functions()}, {"all_functions", toolchain.all_functions()},
          {"files", toolchain.files()},         {"all_files", toolchain.all_files()},
          {"folded", toolchain.folded()},       {"beside", List(toolchain.beside())}};
}

OrderedJson RewriteJson(const v1::Rewrite& rewrite) {
  OrderedJson pairs = OrderedJson::array();
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
  OrderedJson json;
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
  json["weight"] = sampled ? OrderedJson(finding.weight()) : OrderedJson(nullptr);
  json["impact"] = sampled ? OrderedJson(finding.impact()) : OrderedJson(nullptr);
  json["share_of_calls"] = sampled ? OrderedJson(nullptr) : OrderedJson(finding.share_of_calls());
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
  json["measured"] = total_time ? OrderedJson(finding.measured()) : OrderedJson(nullptr);
  json["pooled_targets"] =
      finding.pooled_targets() > 0 ? OrderedJson(finding.pooled_targets()) : OrderedJson(nullptr);
  json["in_test"] = finding.in_test();
  json["no_longer_exact"] = finding.no_longer_exact();
  json["in_diff"] = finding.in_diff();
  json["shift"] = finding.has_shift() ? ShiftJson(finding.shift()) : OrderedJson(nullptr);
  json["folded_under"] =
      finding.folded_under().empty() ? OrderedJson(nullptr) : OrderedJson(finding.folded_under());
  json["beside_toolchain"] = finding.beside_toolchain();
  json["toolchain"] =
      finding.has_toolchain() ? ToolchainJson(finding.toolchain()) : OrderedJson(nullptr);
  json["rewrite"] = finding.has_rewrite() ? RewriteJson(finding.rewrite()) : OrderedJson(nullptr);
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
  OrderedJson json;
  json["schema"] = 1;
  json["compared"] = {
      {"base", compared.has_base() ? SideJson(compared.base()) : OrderedJson(nullptr)},
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
      {"machine_speed_factor", compared.machine_speed_factor() > 0
                                   ? OrderedJson(compared.machine_speed_factor())
                                   : OrderedJson(nullptr)},
      {"functions", compared.functions()},
      {"arcs", compared.arcs()},
  };
  json["findings"] = OrderedJson::array();
  const std::vector<size_t> causes = CausesOf(report);
  for (size_t i = 0; i < causes.size(); ++i) {
    OrderedJson finding = FindingJson(report.findings(static_cast<int>(i)));
    finding["cause"] = causes[i] == i
                           ? OrderedJson(nullptr)
                           : OrderedJson(FindingId(report.findings(static_cast<int>(causes[i]))));
    json["findings"].push_back(std::move(finding));
  }
  json["warnings"] = List(report.warnings());
  return json.dump(2, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace) + "\n";
}

namespace {

// A commit, or the name of a local directory.
const std::string& NameOf(const v1::Release& release) {
  return release.commit().empty() ? release.run_id() : release.commit();
}

std::string ShortName(const v1::Release& release) {
  return release.commit().empty() ? base::Printable(release.run_id())
                                  : base::Printable(release.commit().substr(0, 12));
}

std::string Where(const v1::ChangeEvent& event) {
  std::string words;
  if (event.at().unix_ms() != 0) {
    absl::StrAppend(&words,
                    absl::FormatTime("%Y-%m-%d %H:%M ", absl::FromUnixMillis(event.at().unix_ms()),
                                     absl::UTCTimeZone()));
  }
  absl::StrAppend(&words, ShortName(event.at()));
  if (!event.at().commit().empty()) {
    absl::StrAppend(&words, ", run ", base::Printable(event.at().run_id()));
  }
  absl::StrAppend(&words, "  (after ", ShortName(event.last_before()));
  if (NameOf(event.first_after()) != NameOf(event.at())) {
    absl::StrAppend(&words, ", at the latest with ", ShortName(event.first_after()));
  }
  if (event.commits() > 1) absl::StrAppend(&words, ": one of ", event.commits(), " commits");
  absl::StrAppend(&words, ")");
  if (!event.confirmed()) absl::StrAppend(&words, "  not confirmed yet: no run has followed");
  if (event.has_back_at()) absl::StrAppend(&words, "  back since ", ShortName(event.back_at()));
  return words;
}

std::string Followers(const v1::ChangeEvent& event) {
  const uint32_t functions = event.following_functions();
  if (functions == 0) return "";
  std::string words = absl::StrCat(
      functions, functions == 1 ? " other function" : " other functions", " changed here");
  if (event.other_causes() > 0) {
    absl::StrAppend(&words, ", ", event.other_causes(), " of them by ",
                    event.other_causes() == 1 ? "itself" : "themselves");
  }
  return absl::StrCat("      ", words, "\n");
}

std::string EventText(const v1::ChangeEvent& event) {
  const FunctionRow row = RowOfFinding(event.cause());
  const v1::Finding& cause = event.cause();
  const v1::Finding::Verdict verdict = RowVerdict(row);
  std::string out = absl::StrCat(
      Where(event), "\n  ",
      verdict == v1::Finding::REGRESSED  ? "+ "
      : verdict == v1::Finding::IMPROVED ? "- "
                                         : "  ",
      FunctionName(cause.function_display().empty() ? cause.function() : cause.function_display()));
  if (const std::string place = base::Printable(PlaceOf(row)); !place.empty()) {
    absl::StrAppend(&out, "  [", place, "]");
  }
  absl::StrAppend(&out, "\n      ", DescribeRow(row, FunctionName), "\n      ", DescribeEffect(row),
                  "\n", Followers(event));
  if (event.has_culprit()) {
    const v1::Culprit& culprit = event.culprit();
    absl::StrAppend(&out, "      it was ", base::Printable(culprit.commit().substr(0, 12)), "  ",
                    base::Printable(culprit.date()), "  ", base::Printable(culprit.author()), "  ",
                    base::Shortened(base::Printable(culprit.subject()), 60), "\n");
  }
  if (!cause.target().empty() && cause.target() != "local") {
    absl::StrAppend(&out, "      in ", base::Printable(cause.target()));
    if (event.targets_size() > 1) absl::StrAppend(&out, " and ", event.targets_size() - 1, " more");
    out += "\n";
  }
  return out;
}

OrderedJson ReleaseJson(const v1::Release& release) {
  return {
      {"commit", release.commit()}, {"run_id", release.run_id()}, {"unix_ms", release.unix_ms()}};
}

}  // namespace

std::string RenderChangesText(const v1::GetChangesResponse& changes) {
  const int64_t all = int64_t{changes.events_size()} + changes.older_events();
  std::string out = all == 0 ? "no change" : absl::StrCat(all, all == 1 ? " change" : " changes");
  absl::StrAppend(&out, " in ", changes.runs(), changes.runs() == 1 ? " run" : " runs");
  if (!changes.branch().empty()) absl::StrAppend(&out, " of ", base::Printable(changes.branch()));
  if (!changes.configuration().empty()) {
    absl::StrAppend(&out, ", configuration ", base::Printable(changes.configuration()));
  }
  out += all > 1 ? ", newest first\n" : "\n";
  for (const v1::ChangeEvent& event : changes.events()) {
    absl::StrAppend(&out, "\n", EventText(event));
  }
  if (changes.older_events() > 0) {
    absl::StrAppend(&out, "\n", changes.older_events(),
                    changes.older_events() == 1 ? " older change" : " older changes", ": --limit ",
                    all, " lists everything\n");
  }
  for (const std::string& warning : changes.warnings()) {
    absl::StrAppend(&out, "\nwarning: ", base::Printable(warning), "\n");
  }
  return out;
}

std::string RenderChangesJson(const v1::GetChangesResponse& changes) {
  OrderedJson json;
  json["schema"] = 1;
  json["branch"] = changes.branch();
  json["configuration"] = changes.configuration();
  json["runs"] = changes.runs();
  json["events"] = OrderedJson::array();
  for (const v1::ChangeEvent& event : changes.events())
    json["events"].push_back(ChangeEventJson(event));
  json["older_events"] = changes.older_events();
  json["warnings"] = OrderedJson::array();
  for (const std::string& warning : changes.warnings()) json["warnings"].push_back(warning);
  return json.dump(2, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace) + "\n";
}

OrderedJson ChangeEventJson(const v1::ChangeEvent& event) {
  const v1::Finding& cause = event.cause();
  OrderedJson json;
  json["commit"] = event.at().commit();
  json["run_id"] = event.at().run_id();
  json["unix_ms"] = event.at().unix_ms();
  json["last_before"] = ReleaseJson(event.last_before());
  json["first_after"] = ReleaseJson(event.first_after());
  json["commits"] = event.commits() == 0 ? OrderedJson(nullptr) : OrderedJson(event.commits());
  json["confirmed"] = event.confirmed();
  json["verdict"] = VerdictName(cause.verdict());
  json["metric"] = MetricName(cause.metric());
  json["function"] = cause.function();
  json["function_display"] = cause.function_display();
  json["caller"] = cause.caller().empty() ? OrderedJson(nullptr) : OrderedJson(cause.caller());
  json["caller_display"] =
      cause.caller().empty() ? OrderedJson(nullptr) : OrderedJson(cause.caller_display());
  json["site"] = {{"file", cause.site().file()}, {"line", cause.site().line()}};
  json["target"] = cause.target();
  json["before"] = cause.before();
  json["after"] = cause.after();
  json["exact"] = cause.exact();
  json["effect_percent"] = cause.effect_percent();
  json["one_run"] = cause.one_run();
  json["interval"] = cause.exact() || cause.one_run()
                         ? OrderedJson(nullptr)
                         : OrderedJson{cause.interval_low_percent(), cause.interval_high_percent()};
  const bool sampled = !cause.has_share_of_calls();
  json["impact"] = sampled ? OrderedJson(cause.impact()) : OrderedJson(nullptr);
  json["share_of_calls"] = sampled ? OrderedJson(nullptr) : OrderedJson(cause.share_of_calls());
  json["material"] = cause.material();
  json["following_functions"] = event.following_functions();
  json["other_causes"] = event.other_causes();
  json["targets"] = OrderedJson::array();
  for (const std::string& target : event.targets()) json["targets"].push_back(target);
  const v1::Culprit& culprit = event.culprit();
  json["culprit"] = event.has_culprit() ? OrderedJson{{"commit", culprit.commit()},
                                                      {"author", culprit.author()},
                                                      {"date", culprit.date()},
                                                      {"subject", culprit.subject()}}
                                        : OrderedJson(nullptr);
  json["back_at"] = event.has_back_at() ? ReleaseJson(event.back_at()) : OrderedJson(nullptr);
  return json;
}

}  // namespace gprofhub::reporter

#include "cli/check_output.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "reporter/escape.h"
#include "reporter/forge/posting.h"
#include "reporter/render_json.h"

namespace gprofhub {
namespace {

const char* ConclusionName(GateResult::Conclusion conclusion) {
  switch (conclusion) {
    case GateResult::Conclusion::kPass:
      return "success";
    case GateResult::Conclusion::kFail:
      return "failure";
    case GateResult::Conclusion::kNothingToCompare:
      return "neutral";
  }
  return "neutral";
}

nlohmann::json ToJson(const AcknowledgementRecord& record) {
  nlohmann::json said = {{"author", record.author},
                         {"reason", record.reason},
                         {"not_a_regression", record.not_a_regression},
                         {"until", nullptr}};
  if (record.expires != absl::InfiniteFuture()) {
    said["until"] = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", record.expires, absl::UTCTimeZone());
  }
  return said;
}

}  // namespace

std::string RenderGateText(const GateResult& gate) {
  std::string out = absl::StrCat("gprofhub check: ", GateHeadline(gate), "\n");
  for (const GatedFinding& gated : gate.gated) {
    absl::StrAppend(&out, gated.acknowledged.has_value() ? "  acknowledged  " : "  FAILS  ",
                    Printable(gated.rule), ": ", DescribeFinding(*gated.finding));
    const v1::Site& site = gated.finding->site();
    if (!site.file().empty()) {
      absl::StrAppend(&out, "  [", Printable(site.file()), ":", site.line(), "]");
    }
    if (gated.acknowledged.has_value()) {
      absl::StrAppend(&out, "\n      by ", Printable(gated.acknowledged->author), ": ",
                      Printable(gated.acknowledged->reason));
    }
    out += "\n";
  }
  return out;
}

std::string RenderGateJson(const GateResult& gate) {
  nlohmann::json list = nlohmann::json::array();
  for (const GatedFinding& gated : gate.gated) {
    const v1::Finding& finding = *gated.finding;
    const bool sampled = !finding.has_share_of_calls();
    nlohmann::json entry = {
        {"rule", gated.rule},
        {"verdict", VerdictName(finding.verdict())},
        {"metric", MetricName(finding.metric())},
        {"function", finding.function()},
        {"caller", finding.caller()},
        {"target", finding.target()},
        {"site", {{"file", finding.site().file()}, {"line", finding.site().line()}}},
        {"before", finding.before()},
        {"after", finding.after()},
        {"effect_percent", finding.effect_percent()},
        {"cpu_percent", sampled ? nlohmann::json(finding.impact() * 100) : nlohmann::json(nullptr)},
        {"calls_percent",
         sampled ? nlohmann::json(nullptr) : nlohmann::json(finding.share_of_calls() * 100)},
        {"acknowledged", nullptr}};
    if (gated.acknowledged.has_value()) entry["acknowledged"] = ToJson(*gated.acknowledged);
    list.push_back(entry);
  }
  const nlohmann::json document = {{"schema", 1},
                                   {"conclusion", ConclusionName(gate.conclusion)},
                                   {"gated", list},
                                   {"unsampled", gate.unsampled}};
  return document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub

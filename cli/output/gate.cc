#include "cli/output/gate.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "cli/output/json_text.h"
#include "reporter/findings/finding_id.h"
#include "reporter/posting/owner_words.h"
#include "reporter/posting/posting.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {
namespace {

const char* ConclusionName(reporter::GateResult::Conclusion conclusion) {
  switch (conclusion) {
    case reporter::GateResult::Conclusion::kPass:
      return "success";
    case reporter::GateResult::Conclusion::kFail:
      return "failure";
    case reporter::GateResult::Conclusion::kNothingToCompare:
    case reporter::GateResult::Conclusion::kIncomplete:
      return "neutral";
  }
  return "neutral";
}

std::vector<std::string> OwnersIn(const OwnersOfFinding& owners, const v1::Finding& finding) {
  return owners ? owners(finding) : std::vector<std::string>();
}

nlohmann::json ToJson(const store::AcknowledgementRecord& record) {
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

std::string RenderGateText(const reporter::GateResult& gate, const OwnersOfFinding& owners) {
  std::string out = absl::StrCat("gprofhub check: ", reporter::CheckTitle(gate), "\n");
  for (const reporter::GatedCause& cause : reporter::GatedCauses(gate)) {
    const reporter::GatedFinding& gated = *cause.shown;
    absl::StrAppend(&out, gated.acknowledged.has_value() ? "  acknowledged  " : "  FAILS  ",
                    base::Printable(gated.rule), ": ", reporter::DescribeFinding(*gated.finding));
    const v1::Site& site = gated.finding->site();
    if (!site.file().empty()) {
      absl::StrAppend(&out, "  [", base::Printable(site.file()), ":", site.line(), "]");
    }
    out += reporter::WithItWords(cause);
    absl::StrAppend(&out, "\n      finding ", reporter::FindingId(*gated.finding));
    const std::string asked =
        reporter::OwnerList(OwnersIn(owners, *gated.finding), reporter::OwnerStyle::kText);
    if (!asked.empty()) absl::StrAppend(&out, "; owners: ", asked);
    if (gated.acknowledged.has_value()) {
      absl::StrAppend(&out, "\n      by ", base::Printable(gated.acknowledged->author), ": ",
                      base::Printable(gated.acknowledged->reason));
    }
    out += "\n";
  }
  for (const v1::NotCompared& one : gate.not_compared) {
    absl::StrAppend(&out, "  NOT COMPARED  ", base::Printable(one.target()), ": ",
                    base::Printable(one.reason()), "\n");
  }
  return out;
}

std::string RenderGateJson(const reporter::GateResult& gate, const OwnersOfFinding& owners) {
  nlohmann::json list = nlohmann::json::array();
  for (const reporter::GatedFinding& gated : gate.gated) {
    const v1::Finding& finding = *gated.finding;
    const bool sampled = !finding.has_share_of_calls();
    nlohmann::json entry = {
        {"id", reporter::FindingId(finding)},
        {"rule", gated.rule},
        {"cause", gated.cause},
        {"verdict", reporter::VerdictName(finding.verdict())},
        {"metric", reporter::MetricName(finding.metric())},
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
        {"owners", OwnersIn(owners, finding)},
        {"acknowledged", nullptr}};
    if (gated.acknowledged.has_value()) entry["acknowledged"] = ToJson(*gated.acknowledged);
    list.push_back(entry);
  }
  nlohmann::json not_compared = nlohmann::json::array();
  for (const v1::NotCompared& one : gate.not_compared) {
    not_compared.push_back({{"target", one.target()}, {"reason", one.reason()}});
  }
  const nlohmann::json document = {
      {"schema", 1},
      {"conclusion", ConclusionName(gate.conclusion)},
      {"gated", list},
      {"tests", gate.tests},
      {"not_compared", not_compared},
      {"unsampled", gate.unsampled},
      {"reruns", {{"tests", gate.reruns.tests}, {"runs", gate.reruns.runs}}}};
  return JsonText(document);
}

}  // namespace gprofhub::cli

#include "page/views/finding_parts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "page/charts/history.h"
#include "page/charts/trend_dots.h"
#include "page/words/words.h"
#include "reporter/gate/gate.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

constexpr size_t kHistoryRuns = 50;

const store::AcknowledgementRecord* AcknowledgedBy(const Comparison& comparison,
                                                   const v1::Finding& finding) {
  for (const store::AcknowledgementRecord& record : comparison.acknowledgements) {
    if (reporter::Covers(record, finding.function(), finding.function_display(),
                         finding.target())) {
      return &record;
    }
  }
  return nullptr;
}

}  // namespace

Overall OverallOf(const std::vector<reporter::FunctionRow>& rows) {
  bool worse = false, better = false;
  for (const reporter::FunctionRow& row : rows) {
    if (row.kind != reporter::FindingKind::kCause) continue;
    const v1::Finding::Verdict verdict = reporter::RowVerdict(row);
    worse |= verdict == v1::Finding::REGRESSED || verdict == v1::Finding::NEW;
    better |= verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
  }
  if (worse) return {"worse", "▲ costs more"};
  if (better) return {"better", "▼ costs less"};
  return {"neutral", "= nothing that matters"};
}

Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding) {
  const bool is_gone = finding.verdict() == v1::Finding::VANISHED || finding.after() == 0;
  const v1::Compared::Side& side = is_gone ? report.compared().base() : report.compared().head();
  return PlaceOf(context.links, side.commit(), finding.site().file(), finding.site().line());
}

Html Interval(const v1::Finding& finding) {
  if (finding.exact()) return "exact";
  if (finding.one_run()) return "one run each";
  if (finding.interval_low_percent() == 0 && finding.interval_high_percent() == 0) return "";
  return absl::StrCat("95%: ", reporter::HumanEffect(finding.interval_low_percent()), " to ",
                      reporter::HumanEffect(finding.interval_high_percent()));
}

Html AcknowledgedWords(const Comparison& comparison, const v1::Finding& finding) {
  const store::AcknowledgementRecord* const record = AcknowledgedBy(comparison, finding);
  if (record == nullptr) return "";
  return El(
      "p", {{"class", "note"}},
      Html(absl::StrCat("✓ ", record->author.empty() ? "Somebody" : record->author,
                        record->not_a_regression ? " says it is no regression: " : " accepted it: ",
                        record->reason)));
}

Html HistoryOf(const Comparison& comparison, const v1::Finding& finding) {
  const auto trend = comparison.trends.find({finding.function(), finding.target()});
  if (trend == comparison.trends.end() || trend->second.points_size() < 2) return "";
  const std::string words = UnitTitle(finding.function());
  const Html dots = HistoryDots(
      absl::StrCat(words, " per execution in the last ",
                   std::min<size_t>(kHistoryRuns, trend->second.points_size()), " runs"),
      DotsOf(trend->second, TrendValue::kCalls, comparison.report.compared().base().commit(),
             comparison.report.compared().head().commit(), kHistoryRuns));
  if (dots.empty()) return "";
  return El("figure", {},
            {dots, El("figcaption", {},
                      {Html(absl::StrCat(words, " by run: ")),
                       El("span", {{"class", "key base"}}, "○ base"), Html(" "),
                       El("span", {{"class", "key head"}}, "● head"), Html(", oldest first")})});
}

}  // namespace gprofhub::page

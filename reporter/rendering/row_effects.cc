// The effect of a change on the time of its test, in percent of the base's, as the change of the
// whole test is: so parts and whole can be compared.
//
// A finding's share is one of its own side's time. A time that changed was measured. The effect of
// changed calls is an estimate: the added calls, each at the self time per call of its function. It
// misses what is not counted, such as the time of libc below the calls, and calls that cost more or
// less than the average one.
//
// The change of the whole test is measured, too, with an interval. Where the sum of all effects in
// a test lies within it, they stand. Otherwise the estimates are scaled: either those of costs, or
// those of savings, so that the sum is the measured change; whichever takes the smaller factor. An
// effect that no factor reconciles is not known: a saving in a test that became slower, say, with
// no cost to scale.
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "reporter/findings/findings.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {

namespace {

using FunctionOfTarget = std::pair<absl::string_view, absl::string_view>;

// The effects of one row in one of its targets.
struct Effect {
  FunctionRow* row = nullptr;
  std::optional<double>* percent = nullptr;
  const v1::TargetTotal* total = nullptr;  // null: the target has none
  bool less = false;
};

// A share of calls refers to the side with more of them, one of time to the longer side.
std::optional<double> PercentOfBase(const v1::Finding& finding, double share, bool less,
                                    const v1::TargetTotal* total) {
  if (finding.has_share_of_calls()) return std::nullopt;
  double whole = 1;
  if (total != nullptr && total->before() > 0 && total->after() > 0) {
    const double after = total->after() / total->before();
    whole = finding.metric() != v1::Finding::CALLS ? std::max(1.0, after) : less ? 1.0 : after;
  }
  return (less ? -100 : 100) * share * whole;
}

bool IsMeasured(const FunctionRow& row) { return row.calls == nullptr && row.arc == nullptr; }

bool Leads(const FunctionRow& row) {
  return row.kind == FindingKind::kCause || row.kind == FindingKind::kUnconfirmed;
}

// Factors for the estimates of costs and of savings.
struct Factors {
  std::optional<double> more = 1, less = 1;
};

Factors Reconcile(double measured, double more, double less, const v1::TargetTotal& total) {
  const double sum = measured + more + less;
  if (sum >= total.interval_low_percent() && sum <= total.interval_high_percent()) return {};
  const double rest = total.effect_percent() - measured;
  const double of_more = more > 0 ? (rest - less) / more : 0;
  const double of_less = less < 0 ? (rest - more) / less : 0;
  if (of_more > 0 &&
      (of_less <= 0 || std::fabs(std::log(of_more)) <= std::fabs(std::log(of_less)))) {
    return {of_more, 1};
  }
  if (of_less > 0) return {1, of_less};
  return {std::nullopt, std::nullopt};
}

// All effects in one target.
void ReconcileTarget(const std::vector<Effect>& effects) {
  const v1::TargetTotal* const total = effects.front().total;
  const bool is_known = total != nullptr && total->before() > 0 && total->has_after() &&
                        total->interval_high_percent() > total->interval_low_percent();
  if (!is_known) return;
  double measured = 0, more = 0, less = 0;
  for (const Effect& effect : effects) {
    if (!Leads(*effect.row) || !effect.percent->has_value()) continue;
    (IsMeasured(*effect.row) ? measured : effect.less ? less : more) += **effect.percent;
  }
  const Factors factors = Reconcile(measured, more, less, *total);
  for (const Effect& effect : effects) {
    if (!effect.percent->has_value() || IsMeasured(*effect.row) || !Leads(*effect.row)) continue;
    const std::optional<double>& factor = effect.less ? factors.less : factors.more;
    if (factor.has_value()) {
      **effect.percent *= *factor;
    } else {
      effect.percent->reset();
      if (effect.percent == &effect.row->effect_percent) effect.row->contradicted = true;
    }
  }
}

}  // namespace

void SetEffects(const v1::Report& report, std::vector<FunctionRow>& rows) {
  std::map<absl::string_view, const v1::TargetTotal*> totals;
  for (const v1::TargetTotal& total : report.totals()) totals[total.target()] = &total;
  const auto total_of = [&](absl::string_view target) {
    const auto found = totals.find(target);
    return found == totals.end() ? nullptr : found->second;
  };
  // A row shows the target where the function's share is largest; in other targets it has the share
  // of its own findings there.
  std::map<FunctionOfTarget, const v1::Finding*> largest;
  for (const v1::Finding& finding : report.findings()) {
    if (!Changed(finding) || !finding.material()) continue;
    const v1::Finding*& one = largest[{finding.target(), finding.function()}];
    if (one == nullptr || RankingShare(finding) > RankingShare(*one)) one = &finding;
  }
  std::map<absl::string_view, std::vector<Effect>> by_target;
  for (FunctionRow& row : rows) {
    row.other_effects.assign(row.other_targets.size(), std::nullopt);
    const v1::Finding::Verdict verdict = RowVerdict(row);
    const v1::Finding& finding = MainFinding(row);
    // An unconfirmed change has no verdict yet.
    const bool unconfirmed = row.kind == FindingKind::kUnconfirmed;
    const bool grew = finding.after() > finding.before();
    const bool less = verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED ||
                      (unconfirmed && !grew);
    const bool more =
        verdict == v1::Finding::REGRESSED || verdict == v1::Finding::NEW || (unconfirmed && grew);
    if (!less && !more) continue;
    const v1::TargetTotal* total = total_of(finding.target());
    row.effect_percent = PercentOfBase(finding, row.share, less, total);
    by_target[finding.target()].push_back({&row, &row.effect_percent, total, less});
    for (size_t i = 0; i < row.other_targets.size(); ++i) {
      const auto found = largest.find({row.other_targets[i], row.first->function()});
      if (found == largest.end()) continue;
      total = total_of(row.other_targets[i]);
      row.other_effects[i] =
          PercentOfBase(*found->second, RankingShare(*found->second), less, total);
      by_target[row.other_targets[i]].push_back({&row, &row.other_effects[i], total, less});
    }
  }
  for (const auto& [target, effects] : by_target) ReconcileTarget(effects);
  for (FunctionRow& row : rows) {
    const v1::TargetTotal* const total = total_of(MainFinding(row).target());
    if (!row.effect_percent.has_value() || total == nullptr || !total->has_before()) continue;
    if (total->dimension() == "seconds") {
      row.effect_seconds = *row.effect_percent / 100 * total->before();
    }
  }
}

}  // namespace gprofhub::reporter

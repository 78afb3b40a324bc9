// The effect of a change on the time of its test, in percent of the base's, as the change of the
// whole test is: so parts and whole can be compared.
//
// A finding's share is one of its own side's time. Effects are estimates. That of changed calls has
// the added calls, each at the self time per call of its function. It misses what is not counted,
// such as the time of libc below the calls, and calls that cost more or less than the average one:
// its factor is uncertain. A time that changed was measured, but the function's cause also costs
// its callees and the libraries.
//
// The change T of the whole test was measured, with a standard error s. The effects of a test sum
// up to S. Either those of costs are scaled towards T, or those of savings; whichever takes the
// smaller factor. Effects of calls get the factor exp(λ σ²) with σ = 1, times with σ = 0.3, where
// factors are log-normal and λ minimises
//
//   (T - S(λ))² / 2s² + sum over both sorts of (λ σ)² / 2
//
// So the effect of a single cause is the measured change, unless the measurement is vague or the
// factor is implausible. S always lies within the interval of the test's change. An effect that no
// factor reconciles with it is not known: a saving in a test that became slower, say, with no cost
// to scale.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

namespace {

using ChangedFunction = std::pair<absl::string_view, absl::string_view>;

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

constexpr double kErrorOfCalls = 1, kErrorOfTime = 0.3;  // of the factors' logarithms
// Values of λ that remove an effect, and that make every effect large.
constexpr double kLeastScale = -10, kMostScale = 100;
constexpr int kScales = 400;  // number of values of λ that are compared

// The sums of a target's costs, or of its savings.
struct Estimates {
  double calls = 0, time = 0;

  double Sum(double scale) const {
    return calls * Factor(kErrorOfCalls, scale) + time * Factor(kErrorOfTime, scale);
  }
  // How unlikely the factors are.
  double Penalty(double scale) const {
    const double of_calls = calls == 0 ? 0 : kErrorOfCalls * scale;
    const double of_time = time == 0 ? 0 : kErrorOfTime * scale;
    return (of_calls * of_calls + of_time * of_time) / 2;
  }
  // The scale from which the sum is `wanted`, as nearly as the sign allows.
  double ScaleFor(double wanted) const {
    double low = kLeastScale, high = kMostScale;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (std::fabs(Sum(middle)) < std::fabs(wanted) && wanted * Sum(0) > 0 ? low : high) = middle;
    }
    return high;
  }

  static double Factor(double error, double scale) { return std::exp(scale * error * error); }
};

// The λ of one side; nothing if the sum of all effects is never within the test's interval.
std::optional<double> BestScale(const Estimates& side, double others,
                                const v1::TargetTotal& total) {
  const double exact = side.ScaleFor(total.effect_percent() - others);
  std::optional<double> best;
  double least = 0;
  for (int i = 0; i <= kScales; ++i) {
    const double scale = exact * i / kScales;
    const double sum = side.Sum(scale) + others;
    if (sum < total.interval_low_percent() || sum > total.interval_high_percent()) continue;
    const double errors = (total.effect_percent() - sum) / total.standard_error_percent();
    const double unlikely = errors * errors / 2 + side.Penalty(scale);
    if (best.has_value() && unlikely >= least) continue;
    best = scale;
    least = unlikely;
  }
  return best;
}

// All effects in one target.
void ReconcileTarget(const std::vector<Effect>& effects) {
  const v1::TargetTotal* const total = effects.front().total;
  if (total == nullptr || total->standard_error_percent() <= 0) return;
  Estimates more, less;
  for (const Effect& effect : effects) {
    if (!Leads(*effect.row) || !effect.percent->has_value()) continue;
    Estimates& side = effect.less ? less : more;
    (IsMeasured(*effect.row) ? side.time : side.calls) += **effect.percent;
  }
  const double change = total->effect_percent();
  const bool scales_less =
      more.Sum(0) == 0 || (less.Sum(0) != 0 && std::fabs(less.ScaleFor(change - more.Sum(0))) <
                                                   std::fabs(more.ScaleFor(change - less.Sum(0))));
  const std::optional<double> scale =
      scales_less ? BestScale(less, more.Sum(0), *total) : BestScale(more, less.Sum(0), *total);
  for (const Effect& effect : effects) {
    if (!effect.percent->has_value() || !Leads(*effect.row)) continue;
    const bool measured = IsMeasured(*effect.row);
    if (scale.has_value()) {
      if (effect.less != scales_less) continue;
      **effect.percent *= Estimates::Factor(measured ? kErrorOfTime : kErrorOfCalls, *scale);
    } else if (!measured) {
      effect.percent->reset();
      if (effect.percent == &effect.row->effect_percent) effect.row->contradicted = true;
    }
  }
}

// The largest material change of each function in each target.
std::map<ChangedFunction, const v1::Finding*> LargestChanges(const v1::Report& report) {
  std::map<ChangedFunction, const v1::Finding*> largest;
  for (const v1::Finding& finding : report.findings()) {
    if (!Changed(finding) || !finding.material()) continue;
    const v1::Finding*& one = largest[{finding.target(), finding.function()}];
    if (one == nullptr || RankingShare(finding) > RankingShare(*one)) one = &finding;
  }
  return largest;
}

using Totals = std::map<absl::string_view, const v1::TargetTotal*>;

const v1::TargetTotal* TotalOf(const Totals& totals, absl::string_view target) {
  const auto found = totals.find(target);
  return found == totals.end() ? nullptr : found->second;
}

// A row shows the target where the function's share is largest; in other targets it has the share
// of its own findings there.
void SetEffects(const v1::Report& report, const Totals& totals, std::vector<FunctionRow>& rows) {
  const std::map<ChangedFunction, const v1::Finding*> largest = LargestChanges(report);
  std::map<absl::string_view, std::vector<Effect>> by_target;
  for (FunctionRow& row : rows) {
    const v1::Finding::Verdict verdict = RowVerdict(row);
    const v1::Finding& finding = MainFinding(row);
    // An unconfirmed change has no verdict yet.
    const bool unconfirmed = row.kind == FindingKind::kUnconfirmed;
    const bool grew = finding.after() > finding.before();
    const bool less = IsSaving(verdict) || (unconfirmed && !grew);
    const bool more = IsCost(verdict) || (unconfirmed && grew);
    if (!less && !more) continue;
    const v1::TargetTotal* total = TotalOf(totals, finding.target());
    row.effect_percent = PercentOfBase(finding, row.share, less, total);
    by_target[finding.target()].push_back({&row, &row.effect_percent, total, less});
    for (size_t i = 0; i < row.other_targets.size(); ++i) {
      const auto found = largest.find({row.other_targets[i], row.first->function()});
      if (found == largest.end()) continue;
      total = TotalOf(totals, row.other_targets[i]);
      row.other_effects[i] =
          PercentOfBase(*found->second, RankingShare(*found->second), less, total);
      by_target[row.other_targets[i]].push_back({&row, &row.other_effects[i], total, less});
    }
  }
  for (const auto& [target, effects] : by_target) ReconcileTarget(effects);
}

v1::TestEffect EffectOf(double percent, const v1::TargetTotal* total) {
  v1::TestEffect effect;
  effect.set_percent(percent);
  if (total != nullptr && total->has_before() && total->dimension() == "seconds") {
    effect.set_seconds(percent / 100 * total->before());
  }
  return effect;
}

// The findings of the row have its effect; a further call site has its part of it.
void CollectEffects(const FunctionRow& row, const Totals& totals,
                    std::map<const v1::Finding*, v1::TestEffect>& effects) {
  const v1::TargetTotal* const total = TotalOf(totals, row.first->target());
  v1::TestEffect effect;
  if (row.effect_percent.has_value()) effect = EffectOf(*row.effect_percent, total);
  effect.set_contradicted(row.contradicted);
  if (!effect.has_percent() && !effect.contradicted()) return;
  for (const v1::Finding* finding : {row.first, row.calls, row.arc, row.self_time, row.instructions,
                                     row.library_time, row.total_time}) {
    if (finding != nullptr) effects.try_emplace(finding, effect);
  }
  if (!effect.has_percent() || row.share <= 0) return;
  for (const v1::Finding* arc : row.also) {
    const double part = std::min(1.0, RankingShare(*arc) / row.share);
    effects.try_emplace(arc, EffectOf(part * *row.effect_percent, total));
  }
}

}  // namespace

void SetTestEffects(v1::Report& report) {
  for (v1::Finding& finding : *report.mutable_findings()) finding.clear_test_effect();
  Totals totals;
  for (const v1::TargetTotal& total : report.totals()) totals[total.target()] = &total;
  std::vector<FunctionRow> rows = GroupByFunction(report);
  SetEffects(report, totals, rows);

  std::map<const v1::Finding*, v1::TestEffect> effects;
  std::map<ChangedFunction, v1::TestEffect> in_other_targets;
  for (const FunctionRow& row : rows) {
    CollectEffects(row, totals, effects);
    for (size_t i = 0; i < row.other_targets.size(); ++i) {
      if (!row.other_effects[i].has_value()) continue;
      const absl::string_view target = row.other_targets[i];
      in_other_targets.try_emplace({target, row.first->function()},
                                   EffectOf(*row.other_effects[i], TotalOf(totals, target)));
    }
  }
  for (v1::Finding& finding : *report.mutable_findings()) {
    const auto own = effects.find(&finding);
    const auto other = in_other_targets.find({finding.target(), finding.function()});
    if (own != effects.end()) {
      *finding.mutable_test_effect() = own->second;
    } else if (other != in_other_targets.end() && Changed(finding) && finding.material()) {
      *finding.mutable_test_effect() = other->second;
    }
  }
}

}  // namespace gprofhub::reporter

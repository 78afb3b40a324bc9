// Times and verdicts of whole tests come from Report.totals. Causes are rows (function_rows.h) that
// cost or save CPU.
#include "reporter/rendering/test_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"

namespace gprofhub::reporter {

namespace {

using Summaries = std::map<std::string, TestSummary>;

constexpr absl::string_view kSeconds = "seconds";

TestSummary& Of(const std::string& target, Summaries& summaries) {
  TestSummary& summary = summaries[target];
  summary.target = target;
  return summary;
}

template <typename Targets>
void SetVerdicts(const Targets& targets, TestVerdict verdict, Summaries& summaries) {
  for (const std::string& target : targets) Of(target, summaries).verdict = verdict;
}

TestVerdict VerdictOf(v1::Finding::Verdict verdict) {
  switch (verdict) {
    case v1::Finding::REGRESSED:
      return TestVerdict::kSlower;
    case v1::Finding::IMPROVED:
      return TestVerdict::kFaster;
    case v1::Finding::EQUIVALENT:
      return TestVerdict::kSame;
    case v1::Finding::CANNOT_TELL:
      return TestVerdict::kInconclusive;
    default:
      return TestVerdict::kCountsOnly;
  }
}

void AddTotal(const v1::TargetTotal& total, TestSummary& summary) {
  summary.instructions = total.dimension() != kSeconds;
  if (!summary.instructions) {
    if (total.has_before()) summary.base_seconds = total.before();
    if (total.has_after()) summary.head_seconds = total.after();
  }
  if (total.speed_factor() > 0) summary.speed_factor = total.speed_factor();
  if (summary.verdict != TestVerdict::kCountsOnly) return;
  summary.verdict = total.unconfirmed() ? TestVerdict::kUnconfirmed : VerdictOf(total.verdict());
  if (summary.verdict == TestVerdict::kCountsOnly || total.before() <= 0) return;
  summary.change_percent = total.effect_percent();
  summary.interval_low_percent = total.interval_low_percent();
  summary.interval_high_percent = total.interval_high_percent();
}

void AddCause(const FunctionRow& row, Summaries& summaries) {
  if (!IsRegression(row) && !IsImprovement(row)) return;
  const auto add = [&](const std::string& target, std::optional<double> percent) {
    TestSummary& summary = Of(target, summaries);
    (IsImprovement(row) ? summary.improvements : summary.regressions).Add(percent);
  };
  add(row.first->target(), row.effect_percent);
  for (size_t i = 0; i < row.other_targets.size(); ++i) {
    add(row.other_targets[i], row.other_effects[i]);
  }
}

int Rank(const TestSummary& test) {
  if (test.verdict == TestVerdict::kSlower) return 0;
  if (test.regressions.count > 0) return 1;
  if (test.verdict == TestVerdict::kFaster) return 2;
  if (test.improvements.count > 0) return 3;
  switch (test.verdict) {
    case TestVerdict::kUnconfirmed:
      return 4;
    case TestVerdict::kNotCompared:
      return 5;
    case TestVerdict::kInconclusive:
      return 6;
    case TestVerdict::kCountsOnly:
      return 7;
    case TestVerdict::kNew:
      return 8;
    case TestVerdict::kVanished:
      return 9;
    case TestVerdict::kSame:
      return 10;
    default:
      return 11;
  }
}

// Smaller is more important.
auto Importance(const TestSummary& test) {
  return std::make_tuple(Rank(test), -std::fabs(test.change_percent.value_or(0)),
                         -test.regressions.largest_percent, test.improvements.largest_percent);
}

}  // namespace

void Effects::Add(std::optional<double> percent) {
  ++count;
  if (std::fabs(percent.value_or(0)) > std::fabs(largest_percent)) largest_percent = *percent;
}

bool IsRegression(const FunctionRow& row) {
  return row.kind == FindingKind::kCause && DirectionOf(row) == Direction::kCosts;
}

bool IsImprovement(const FunctionRow& row) {
  return row.kind == FindingKind::kCause && DirectionOf(row) == Direction::kSaves;
}

std::string EffectsWords(const Effects& effects, absl::string_view noun) {
  if (effects.count == 0) return "";
  std::string words = absl::StrCat(effects.count, " ", noun, effects.count == 1 ? "" : "s");
  if (effects.largest_percent == 0) return words;
  return absl::StrCat(words, effects.count == 1 ? " (" : " (largest ",
                      HumanEffect(effects.largest_percent), ")");
}

std::vector<TestSummary> SummarizeTests(const v1::Report& report) {
  Summaries summaries;
  const v1::Compared& compared = report.compared();
  SetVerdicts(compared.targets(), TestVerdict::kCountsOnly, summaries);
  SetVerdicts(compared.new_targets(), TestVerdict::kNew, summaries);
  SetVerdicts(compared.vanished_targets(), TestVerdict::kVanished, summaries);
  SetVerdicts(compared.unchanged_targets(), TestVerdict::kUnchanged, summaries);
  for (const v1::NotCompared& one : compared.not_compared()) {
    Of(one.target(), summaries).verdict = TestVerdict::kNotCompared;
  }
  for (const v1::TargetTotal& total : report.totals()) {
    AddTotal(total, Of(total.target(), summaries));
  }
  for (const FunctionRow& row : GroupByFunction(report)) AddCause(row, summaries);
  std::vector<TestSummary> tests;
  for (auto& [target, summary] : summaries) tests.push_back(std::move(summary));
  std::stable_sort(tests.begin(), tests.end(), [](const TestSummary& a, const TestSummary& b) {
    return Importance(a) < Importance(b);
  });
  return tests;
}

std::string SecondsWords(const std::optional<double>& seconds) {
  return seconds.has_value() ? HumanTime(*seconds, kSeconds) : "–";
}

std::string VerdictWords(const TestSummary& test) {
  const absl::string_view what = test.instructions ? "instructions" : "CPU";
  const std::string change =
      test.change_percent.has_value() ? HumanEffect(*test.change_percent) : "";
  switch (test.verdict) {
    case TestVerdict::kSlower:
      return absl::StrCat(change.empty() ? "more" : change, " ", what);
    case TestVerdict::kFaster:
      return absl::StrCat(change.empty() ? "less" : change, " ", what);
    case TestVerdict::kSame:
      return absl::StrCat("same ", what, " (", HumanEffect(test.interval_low_percent), " to ",
                          HumanEffect(test.interval_high_percent), ")");
    case TestVerdict::kUnconfirmed:
      return absl::StrCat(what, " unconfirmed (", change, ")");
    case TestVerdict::kInconclusive:
      return absl::StrCat(what, " inconclusive", change.empty() ? "" : " (", change,
                          change.empty() ? "" : ")");
    case TestVerdict::kCountsOnly:
      return absl::StrCat(what, " not sampled");
    case TestVerdict::kNew:
      return "new";
    case TestVerdict::kVanished:
      return "only in the base";
    case TestVerdict::kNotCompared:
      return "not compared";
    case TestVerdict::kUnchanged:
      return "same binary";
  }
  return "";
}

std::string CauseCountWords(const TestSummary& test) {
  std::vector<std::string> parts = {EffectsWords(test.regressions, "regression"),
                                    EffectsWords(test.improvements, "improvement")};
  // Those that explain the net change come first.
  if (test.verdict == TestVerdict::kFaster) std::swap(parts[0], parts[1]);
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, ", ");
}

std::string NetVerdict(const TestSummary& test) {
  const std::string causes = CauseCountWords(test);
  return absl::StrCat(test.target, " ", VerdictWords(test), causes.empty() ? "" : ": ", causes);
}

}  // namespace gprofhub::reporter

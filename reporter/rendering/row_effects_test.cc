#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {
namespace {

v1::Finding CallsOf(const std::string& function, double impact, v1::Finding::Verdict verdict) {
  v1::Finding finding = Calls(function, "main");
  finding.set_impact(impact);
  finding.set_verdict(verdict);
  return finding;
}

// A report of these findings; the whole test changed by `percent`, ±5.
v1::Report WithTotal(const std::vector<v1::Finding>& findings, double percent) {
  v1::Report report = MakeReport(findings);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target(findings.front().target());
  total.set_dimension("seconds");
  total.set_before(2);
  total.set_after(2 + 2 * percent / 100);
  total.set_effect_percent(percent);
  total.set_interval_low_percent(percent - 5);
  total.set_interval_high_percent(percent + 5);
  total.set_verdict(percent > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  return report;
}

const FunctionRow& RowOf(const std::string& function, const std::vector<FunctionRow>& rows) {
  for (const FunctionRow& row : rows) {
    if (row.first->function() == function) return row;
  }
  ADD_FAILURE() << function;
  return rows.front();
}

TEST(SetEffects, AnEstimateWithinTheMeasuredIntervalStands) {
  const v1::Report report = WithTotal({CallsOf("f", 0.2, v1::Finding::REGRESSED)}, 25);
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_NEAR(rows[0].effect_percent.value_or(0), 25, 0.1);
  EXPECT_NEAR(rows[0].effect_seconds.value_or(0), 0.5, 0.01);
}

TEST(SetEffects, AnEstimateOutsideItBecomesWhatWasMeasured) {
  for (const double percent : {800.0, 12.0}) {
    const v1::Report report = WithTotal({CallsOf("f", 0.3, v1::Finding::REGRESSED)}, percent);
    EXPECT_NEAR(GroupByFunction(report)[0].effect_percent.value_or(0), percent, 0.1);
  }
}

TEST(SetEffects, CostsAndSavingsTogetherAreTheMeasuredChange) {
  const v1::Report report = WithTotal(
      {CallsOf("f", 0.05, v1::Finding::REGRESSED), CallsOf("g", 0.1, v1::Finding::IMPROVED)}, 100);
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_NEAR(RowOf("g", rows).effect_percent.value_or(0), -10, 0.1);
  EXPECT_NEAR(RowOf("f", rows).effect_percent.value_or(0), 110, 0.1);
}

TEST(SetEffects, ASavingInATestThatOnlyBecameSlowerHasNoKnownSize) {
  const v1::Report report = WithTotal({CallsOf("f", 0.3, v1::Finding::IMPROVED)}, 20);
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_TRUE(rows[0].contradicted);
  EXPECT_EQ(rows[0].effect_percent, std::nullopt);
}

TEST(SetEffects, AMeasuredTimeIsNotScaled) {
  v1::Finding time = MakeFinding("t", v1::Finding::SELF_TIME);
  time.set_impact(0.25);
  const v1::Report report = WithTotal({time, CallsOf("f", 0.01, v1::Finding::REGRESSED)}, 60);
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_NEAR(RowOf("t", rows).effect_percent.value_or(0), 40, 0.1);
  EXPECT_NEAR(RowOf("f", rows).effect_percent.value_or(0), 20, 0.1);
}

}  // namespace
}  // namespace gprofhub::reporter

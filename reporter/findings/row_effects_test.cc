#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {
namespace {

v1::Finding CallsOf(const std::string& function, double impact, v1::Finding::Verdict verdict) {
  v1::Finding finding = Calls(function, "main");
  finding.set_impact(impact);
  finding.set_verdict(verdict);
  return finding;
}

// A report of these findings; the whole test changed by `percent`, with this standard error.
v1::Report WithTotal(const std::vector<v1::Finding>& findings, double percent, double error = 1) {
  v1::Report report = MakeReport(findings);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target(findings.front().target());
  total.set_dimension("seconds");
  total.set_before(2);
  total.set_after(2 + 2 * percent / 100);
  total.set_effect_percent(percent);
  total.set_standard_error_percent(error);
  total.set_interval_low_percent(percent - 5 * error);
  total.set_interval_high_percent(percent + 5 * error);
  total.set_verdict(percent > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  SetTestEffects(report);
  return report;
}

const FunctionRow& RowOf(const std::string& function, const std::vector<FunctionRow>& rows) {
  for (const FunctionRow& row : rows) {
    if (row.first->function() == function) return row;
  }
  ADD_FAILURE() << function;
  return rows.front();
}

double EffectOf(const std::string& function, const v1::Report& report) {
  return RowOf(function, GroupByFunction(report)).effect_percent.value_or(0);
}

TEST(SetTestEffects, ASingleCauseHasTheMeasuredChange) {
  for (const double percent : {800.0, 40.0, 25.0, 12.0}) {
    const v1::Report report = WithTotal({CallsOf("f", 0.2, v1::Finding::REGRESSED)}, percent);
    EXPECT_NEAR(EffectOf("f", report), percent, 0.5);
    EXPECT_NEAR(GroupByFunction(report)[0].effect_seconds.value_or(0), percent / 50, 0.01);
  }
}

TEST(SetTestEffects, AVagueMeasurementLeavesTheEstimate) {
  const std::vector<v1::Finding> findings = {CallsOf("f", 0.02, v1::Finding::REGRESSED)};
  EXPECT_NEAR(EffectOf("f", WithTotal(findings, 10, 0.5)), 10, 0.5);
  EXPECT_NEAR(EffectOf("f", WithTotal(findings, 10, 30)), 2.2, 0.2);
}

TEST(SetTestEffects, AnImplausibleFactorNeedsACertainMeasurement) {
  const std::vector<v1::Finding> findings = {CallsOf("f", 0.002, v1::Finding::REGRESSED)};
  EXPECT_NEAR(EffectOf("f", WithTotal(findings, 16, 1)), 16, 1.5);
  EXPECT_NEAR(EffectOf("f", WithTotal(findings, 16, 8)), 0.3, 0.2);
}

TEST(SetTestEffects, CausesShareTheMeasuredChangeInProportion) {
  v1::Finding other = CallsOf("g", 0.02, v1::Finding::REGRESSED);
  other.set_caller("elsewhere");
  const v1::Report report = WithTotal({CallsOf("f", 0.06, v1::Finding::REGRESSED), other}, 40);
  EXPECT_NEAR(EffectOf("f", report), 30, 0.5);
  EXPECT_NEAR(EffectOf("g", report), 10, 0.5);
}

TEST(SetTestEffects, CostsAndSavingsTogetherAreTheMeasuredChange) {
  const v1::Report report = WithTotal(
      {CallsOf("f", 0.05, v1::Finding::REGRESSED), CallsOf("g", 0.1, v1::Finding::IMPROVED)}, 100);
  EXPECT_NEAR(EffectOf("g", report), -10, 0.1);
  EXPECT_NEAR(EffectOf("f", report), 110, 0.5);
}

TEST(SetTestEffects, ASavingInATestThatOnlyBecameSlowerHasNoKnownSize) {
  const v1::Report report = WithTotal({CallsOf("f", 0.3, v1::Finding::IMPROVED)}, 20);
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_TRUE(rows[0].contradicted);
  EXPECT_EQ(rows[0].effect_percent, std::nullopt);
}

v1::Finding TimeOf(const std::string& function, double impact) {
  v1::Finding time = MakeFinding(function, v1::Finding::SELF_TIME);
  time.set_impact(impact);
  return time;
}

TEST(SetTestEffects, ATimeThatIsTheOnlyCauseHasTheMeasuredChange) {
  EXPECT_NEAR(EffectOf("t", WithTotal({TimeOf("t", 0.25)}, 54)), 54, 0.5);
}

TEST(SetTestEffects, NextToATimeTheEffectOfCallsIsScaledFirst) {
  const v1::Report report =
      WithTotal({TimeOf("t", 0.25), CallsOf("f", 0.05, v1::Finding::REGRESSED)}, 60);
  EXPECT_NEAR(EffectOf("t", report), 43, 1);
  EXPECT_NEAR(EffectOf("f", report), 17, 1);
}

}  // namespace
}  // namespace gprofhub::reporter

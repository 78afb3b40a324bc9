#include "reporter/rendering/explain.h"

#include <gmock/gmock.h>

#include <string>

#include "reporter/findings/function_rows.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<v1::Explanation::Step>& path) {
  std::vector<std::string> names;
  for (const v1::Explanation::Step& step : path) names.push_back(step.function());
  return names;
}

// main → load → ReadBlock → Extend, and fewer calls of ReadBlock from scan.
ProfileBuilder Reader() {
  ProfileBuilder builder;
  builder.Function("main", 10, 90, "main.cc", 3).Function("load", 5, 60).Function("scan", 5, 20);
  builder.Function("ReadBlock", 20, 40, "format.cc", 50).Function("Extend", 40);
  builder.Arc("", "main", 1).Arc("main", "load", 10, 7).Arc("main", "scan", 1000, 8);
  builder.Arc("load", "ReadBlock", 300, 20).Arc("scan", "ReadBlock", 100, 30);
  builder.Arc("ReadBlock", "Extend", 800, 92, 1).Arc("ReadBlock", "Extend", 10, 99, 2);
  return builder;
}

TEST(PathTo, FollowsTheArcsThatBringMostCalls) {
  const auto path = PathTo({Reader().Build()}, Calls("Extend", "ReadBlock"));
  ASSERT_THAT(Names(path), ElementsAre("main", "load", "ReadBlock", "Extend"));
  EXPECT_EQ(path[0].site().file(), "main.cc");
  EXPECT_EQ(path[0].site().line(), 3u) << "where it begins";
  EXPECT_EQ(path[2].arc_calls(), 300);
  EXPECT_EQ(path[2].calls(), 400);
  EXPECT_EQ(path[2].per_call(), 30);
  EXPECT_EQ(path[2].other_callers(), 1u);
  const v1::Explanation::Step& last = path[3];
  EXPECT_TRUE(last.changed());
  EXPECT_FALSE(path[2].changed());
  EXPECT_EQ(last.arc_calls(), 810);
  EXPECT_NEAR(last.per_call(), 810.0 / 400, 1e-9);
  EXPECT_EQ(last.site().file(), "format.cc");
  EXPECT_EQ(last.site().line(), 92u) << "the site of most calls";
  EXPECT_NEAR(last.share(), 0.5, 1e-9);
  EXPECT_EQ(last.other_callers(), 0u);
}

TEST(PathTo, TakesRunsTogetherPerExecution) {
  const auto path =
      PathTo({Reader().Build(), Reader().Repetitions(3).Build()}, Calls("Extend", "ReadBlock"));
  EXPECT_EQ(path.back().arc_calls(), 2 * 810 / 4.0);
}

TEST(PathTo, EndsAtTheCallerWhereTheCallIsNotMade) {
  const auto path = PathTo({Reader().Build()}, Calls("Extend", "scan"));
  EXPECT_THAT(Names(path), ElementsAre("main", "scan"));
  EXPECT_FALSE(path.back().changed());
}

TEST(PathTo, WithoutTheCallerIsThatToTheFunction) {
  EXPECT_THAT(Names(PathTo({Reader().Build()}, Calls("ReadBlock", "gone"))),
              ElementsAre("main", "load", "ReadBlock"));
  EXPECT_THAT(PathTo({Reader().Build()}, Calls("gone", "gone_too")), IsEmpty());
  EXPECT_THAT(PathTo({}, Calls("f")), IsEmpty());
}

TEST(PathTo, OfAFunctionAsAWholeEndsAtIt) {
  const auto path = PathTo({Reader().Build()}, Calls("ReadBlock"));
  EXPECT_THAT(Names(path), ElementsAre("main", "load", "ReadBlock"));
  EXPECT_TRUE(path.back().changed());
}

TEST(PathTo, EndsInRecursion) {
  ProfileBuilder builder;
  builder.Function("main").Function("even").Function("odd");
  builder.Arc("", "main", 1).Arc("main", "even", 1).Arc("even", "odd", 50).Arc("odd", "even", 49);
  builder.Arc("odd", "odd", 7);
  EXPECT_THAT(Names(PathTo({builder.Build()}, Calls("odd", "even"))),
              ElementsAre("main", "even", "odd"));
}

TEST(PathTo, AClonesCallsAreTheFunctions) {
  ProfileBuilder builder;
  builder.Function("main").Function("f.part.0").Function("g.isra.0");
  builder.Arc("", "main", 1).Arc("main", "f.part.0", 4).Arc("f.part.0", "g.isra.0", 8);
  EXPECT_THAT(Names(PathTo({builder.Build()}, Calls("g", "f"))), ElementsAre("main", "f", "g"));
}

TEST(PathTo, NamesThatAreNoTextAreMadeText) {
  ProfileBuilder builder;
  builder.Function("main").Function("f\xE9").Arc("", "main", 1).Arc("main", "f\xE9", 4);
  EXPECT_THAT(Names(PathTo({builder.Build()}, Calls("f<0xE9>", "main"))),
              ElementsAre("main", "f<0xE9>"));
}

TEST(SetTestEffects, AFindingHasTheEffectOfItsRow) {
  v1::Report report = MakeReport({Calls("f", "main"), Calls("g")});
  for (v1::Finding& finding : *report.mutable_findings()) finding.set_impact(0.25);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target(report.findings(0).target());
  total.set_dimension("seconds");
  total.set_before(2);
  total.set_after(4);
  total.set_effect_percent(100);
  total.set_standard_error_percent(1);
  total.set_interval_low_percent(90);
  total.set_interval_high_percent(110);
  SetTestEffects(report);
  for (const v1::Finding& finding : report.findings()) {
    const v1::TestEffect effect = Explain(report, finding, {}).finding().test_effect();
    EXPECT_NEAR(effect.percent(), 50, 0.5);
    EXPECT_NEAR(effect.seconds(), 1, 0.01);
  }
}

}  // namespace

}  // namespace gprofhub::reporter

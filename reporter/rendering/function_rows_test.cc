#include "reporter/rendering/function_rows.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;

TEST(GroupByFunction, MakesOneRowOfAFunctionsFindings) {
  v1::Finding elsewhere = Calls("f");
  elsewhere.set_target("//b:test");
  const v1::Report report =
      MakeReport({Calls("f", "main"), Calls("f", "other"), Calls("f"),
                  MakeFinding("f", v1::Finding::SELF_TIME), elsewhere, Calls("g")});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].arc, &report.findings(0));
  EXPECT_EQ(rows[0].calls, &report.findings(2));
  EXPECT_EQ(rows[0].self_time, &report.findings(3));
  EXPECT_EQ(rows[0].total_time, nullptr);
  EXPECT_EQ(rows[0].further_arcs, 1u);
  EXPECT_THAT(rows[0].other_targets, ElementsAre("//b:test"));
}

TEST(GroupByFunction, HasOneRowForACause) {
  v1::Finding f = Calls("f", "loop"), g = Calls("g", "loop"), h = Calls("h", "loop");
  v1::Finding other = Calls("other", "elsewhere");
  f.set_impact(0.12);
  f.add_follows("below");
  other.set_impact(0.15);
  h.set_material(false);
  h.set_impact(0.001);
  const v1::Report report = MakeReport({other, f, g, h});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].first->function(), "f") << "with what has the same cause it is the largest";
  EXPECT_EQ(rows[0].same_cause, 2u);
  EXPECT_NEAR(rows[0].share, 0.12 + 0.1 + 0.001, 1e-9);
  EXPECT_EQ(rows[1].first->function(), "other");
  EXPECT_EQ(rows[1].same_cause, 0u);
  for (size_t i : {2, 3}) {
    EXPECT_EQ(rows[i].kind, FindingKind::kFollower);
    ASSERT_NE(rows[i].cause, nullptr);
    EXPECT_EQ(rows[i].cause->function(), "f");
  }
}

TEST(PlaceOf, IsTheCallToBlameIfKnown) {
  v1::Finding arc = Calls("f", "main"), calls = Calls("f");
  calls.mutable_site()->set_file("f.cc");
  const v1::Report without = MakeReport({calls, arc});
  EXPECT_EQ(PlaceOf(GroupByFunction(without)[0]), "f.cc");
  arc.mutable_site()->set_file("main.cc");
  arc.mutable_site()->set_line(12);
  arc.set_in_diff(true);
  const v1::Report with = MakeReport({calls, arc});
  EXPECT_EQ(PlaceOf(GroupByFunction(with)[0]), "main.cc:12");
  EXPECT_TRUE(InDiff(GroupByFunction(with)[0]));
}

}  // namespace

}  // namespace gprofhub::reporter

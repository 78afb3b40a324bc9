#include "reporter/findings/function_rows.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <set>
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

TEST(GroupByFunction, ACauseListsItsOtherCallSites) {
  v1::Finding hash = Calls("Hash", "Handle"), format = Calls("Format", "Handle");
  v1::Finding other = Calls("Hash", "Erase"), follower = Calls("Below", "Format");
  hash.mutable_site()->set_line(9);
  format.mutable_site()->set_line(19);
  other.mutable_site()->set_line(70);
  follower.mutable_site()->set_line(30);
  follower.set_may_follow(true);
  hash.set_impact(0.2);
  const v1::Report report = MakeReport({hash, other, format, follower});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  ASSERT_EQ(rows[0].also.size(), 2u);
  EXPECT_EQ(rows[0].arc->site().line(), 9u);
  std::set<uint32_t> lines;
  for (const v1::Finding* arc : rows[0].also) lines.insert(arc->site().line());
  EXPECT_EQ(lines, (std::set<uint32_t>{19, 70}));
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

TEST(GroupByFunction, RowsOfCostsComeFirst) {
  v1::Finding saved = Calls("saved", "main"), cost = Calls("cost", "loop");
  v1::Finding rewrite = MakeFinding("json.c", v1::Finding::SELF_TIME);
  saved.set_impact(0.9);
  saved.set_verdict(v1::Finding::IMPROVED);
  cost.set_impact(0.02);
  rewrite.set_impact(0.3);
  rewrite.set_weight(0.4);
  rewrite.set_material(false);
  rewrite.set_verdict(v1::Finding::CANNOT_TELL);
  v1::Finding toolchain = rewrite, heavier = rewrite;
  rewrite.mutable_rewrite();
  heavier.mutable_rewrite();
  heavier.set_function("heavier.c");
  heavier.set_impact(0.1);
  heavier.set_weight(0.5);
  toolchain.mutable_toolchain();
  toolchain.set_function("-O3");
  const v1::Report report = MakeReport({saved, rewrite, heavier, cost, toolchain});
  std::vector<std::string> order;
  for (const FunctionRow& row : GroupByFunction(report)) order.push_back(row.first->function());
  EXPECT_THAT(order, ElementsAre("-O3", "cost", "heavier.c", "json.c", "saved"));
}

// A part and the whole test have one denominator: the test's time at the base.
TEST(GroupByFunction, EffectIsOfTheTestsTimeAtTheBase) {
  v1::Finding more = Calls("more", "main"), less = Calls("less", "other");
  v1::Finding time = MakeFinding("time", v1::Finding::SELF_TIME);
  v1::Finding unsampled = Calls("unsampled", "third");
  more.set_impact(0.4);
  less.set_impact(0.3);
  less.set_verdict(v1::Finding::IMPROVED);
  time.set_impact(0.2);
  unsampled.set_share_of_calls(0.1);
  v1::Report report = MakeReport({more, less, time, unsampled});
  v1::TargetTotal& total = *report.add_totals();
  total.set_target("//a:test");
  total.set_dimension("seconds");
  total.set_before(0.5);
  total.set_after(1);
  SetTestEffects(report);
  std::map<std::string, FunctionRow> rows;
  for (const FunctionRow& row : GroupByFunction(report)) rows[row.first->function()] = row;
  EXPECT_NEAR(*rows["more"].effect_percent, 80, 1e-9);
  EXPECT_NEAR(*rows["more"].effect_seconds, 0.4, 1e-9);
  EXPECT_NEAR(*rows["less"].effect_percent, -30, 1e-9);
  EXPECT_NEAR(*rows["less"].effect_seconds, -0.15, 1e-9);
  EXPECT_NEAR(*rows["time"].effect_percent, 40, 1e-9);
  EXPECT_FALSE(rows["unsampled"].effect_percent.has_value());
  report.mutable_totals(0)->set_dimension("Minstructions");
  SetTestEffects(report);
  EXPECT_FALSE(GroupByFunction(report)[0].effect_seconds.has_value());
}

TEST(GroupByFunction, SharesOfDifferentTestsAreNotAdded) {
  v1::Finding f = Calls("f", "loop"), g = Calls("g", "loop");
  f.mutable_site()->set_file("loop.cc");
  g.mutable_site()->set_file("loop.cc");
  f.set_impact(0.2);
  g.set_target("//b:test");
  const v1::Report report = MakeReport({f, g});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  ASSERT_EQ(rows[0].same_cause, 1u);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.2);
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

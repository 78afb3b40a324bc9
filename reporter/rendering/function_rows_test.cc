#include "reporter/rendering/function_rows.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "reporter/testing/made_findings.h"

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

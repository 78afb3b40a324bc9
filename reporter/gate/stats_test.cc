#include "reporter/gate/stats.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

store::GatedRecord Gated(const std::string& rule, const std::string& pull_request,
                         const std::string& function) {
  return {"acme/db", pull_request, rule, "//db:query_test", function, function + "()", 1};
}

store::AcknowledgementRecord Said(const std::string& function, const std::string& pull_request,
                                  bool not_a_regression) {
  store::AcknowledgementRecord record;
  record.function = function;
  record.pull_request = pull_request;
  record.not_a_regression = not_a_regression;
  return record;
}

TEST(MeasureRulesTest, CountsFalseAlarmsOfAllGated) {
  const auto stats = MeasureRules(
      {Gated("slower", "1", "f"), Gated("slower", "2", "f"), Gated("slower", "2", "g"),
       Gated("slower", "3", "h"), Gated("more-work", "1", "f"), Gated("slower", "2", "g")},
      {Said("f()", "2", true), Said("f", "2", false), Said("g*", "", false), Said("h", "9", true)});
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].rule, "more-work");
  EXPECT_EQ(stats[0].gated, 1u);
  EXPECT_EQ(stats[0].false_alarm_rate(), 0);
  EXPECT_EQ(stats[1].rule, "slower");
  EXPECT_EQ(stats[1].gated, 4u) << "the same finding once";
  EXPECT_EQ(stats[1].not_a_regression, 1u);
  EXPECT_EQ(stats[1].acknowledged, 1u);
  EXPECT_DOUBLE_EQ(stats[1].false_alarm_rate(), 0.25);
}

TEST(MeasureRulesTest, NothingGatedIsNoRate) {
  EXPECT_TRUE(MeasureRules({}, {Said("f", "", true)}).empty());
}

}  // namespace
}  // namespace gprofhub::reporter

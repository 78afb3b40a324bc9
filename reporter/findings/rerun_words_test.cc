#include "reporter/findings/rerun_words.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(RerunWordsTest, CountsTestsAndTheMostRunsOfOne) {
  v1::Report report;
  EXPECT_EQ(RerunWords(CountReruns(report)), "");
  report.add_reruns()->set_runs(1);
  EXPECT_EQ(RerunWords(CountReruns(report)), "1 test would be decided by 1 more run");
  report.add_reruns()->set_runs(1);
  EXPECT_EQ(RerunWords(CountReruns(report)), "2 tests would be decided by 1 more run");
  report.add_reruns()->set_runs(3);
  EXPECT_EQ(RerunWords(CountReruns(report)), "3 tests would be decided by up to 3 more runs");
}

TEST(RerunWordsTest, TheCommandNamesARunOfTheServerAlone) {
  v1::Report report;
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list");
  report.mutable_compared()->mutable_head()->set_run_id("12");
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list 12");
  report.mutable_compared()->mutable_head()->set_run_id("after/12");
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list");
}

}  // namespace
}  // namespace gprofhub::reporter

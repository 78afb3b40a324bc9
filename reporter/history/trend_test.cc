#include "reporter/history/trend.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gprofhub::reporter {
namespace {

store::RunHead RunAt(int64_t id, int64_t committed_seconds) {
  store::RunHead run;
  run.id = id;
  run.commit = "c" + std::to_string(id);
  run.branch = "main";
  run.ordered = absl::FromUnixSeconds(committed_seconds);
  return run;
}

void AddTo(FunctionAtRun& sum, uint64_t calls, double self, uint32_t repetitions = 1) {
  sum.analysed = true;
  AddPoint(100, repetitions, {profile::FunctionHash("f", ""), calls, self, self * 2}, sum);
}

TEST(BuildTrend, OldestFirstPerExecutionAndSummedOverTargets) {
  std::vector<FunctionAtRun> sums(4);
  sums[0].analysed = true;
  AddTo(sums[2], 100, 400, 2);
  AddTo(sums[2], 7, 100);
  AddTo(sums[3], 100, 400);
  const v1::GetTrendResponse trend =
      BuildTrend({"f", {profile::FunctionHash("f", "")}},
                 {RunAt(4, 40), RunAt(3, 30), RunAt(2, 20), RunAt(1, 10)}, sums);
  ASSERT_EQ(trend.points_size(), 3) << "run 3 was not analysed";
  EXPECT_EQ(trend.points(0).run_id(), "1");
  EXPECT_EQ(trend.points(0).unix_ms(), 10000);
  EXPECT_EQ(trend.points(0).calls(), 100);
  EXPECT_DOUBLE_EQ(trend.points(0).self_seconds(), 4);
  EXPECT_DOUBLE_EQ(trend.points(0).total_seconds(), 8);
  EXPECT_DOUBLE_EQ(trend.points(0).self_error_seconds(), 0.2);
  EXPECT_DOUBLE_EQ(trend.points(0).total_error_seconds(), std::sqrt(0.08));
  EXPECT_EQ(trend.points(1).calls(), 57);
  EXPECT_DOUBLE_EQ(trend.points(1).self_seconds(), 3);
  EXPECT_DOUBLE_EQ(trend.points(1).self_error_seconds(), std::sqrt(0.01 + 0.01));
  EXPECT_EQ(trend.points(2).run_id(), "4");
  EXPECT_EQ(trend.points(2).calls(), 0);
}

store::RunHead PullRequestRun(int64_t id, int64_t committed_seconds) {
  store::RunHead run = RunAt(id, committed_seconds);
  run.branch = "feature";
  run.is_mainline = false;
  return run;
}

TEST(BuildTrend, MarksWhereANewLevelBegins) {
  std::vector<store::RunHead> runs;  // newest first
  std::vector<FunctionAtRun> sums;
  for (int64_t id = 1; id <= 12; ++id) {
    runs.insert(runs.begin(), RunAt(id, id * 10));
    AddTo(*sums.emplace(sums.begin()), id < 5 ? 100 : id < 12 ? 150 : 160, id < 8 ? 2000 : 3000);
  }
  // Between the runs of main, with another count.
  runs.insert(runs.begin() + 6, PullRequestRun(20, 65));
  AddTo(*sums.emplace(sums.begin() + 6), 999, 9000);
  const v1::GetTrendResponse trend =
      BuildTrend({"f", {profile::FunctionHash("f", "")}}, runs, sums);
  ASSERT_EQ(trend.points_size(), 13);
  for (const v1::TrendPoint& point : trend.points()) {
    EXPECT_EQ(point.calls_change(), point.run_id() == "5"    ? v1::CHANGED
                                    : point.run_id() == "12" ? v1::CHANGED_UNCONFIRMED
                                                             : v1::NO_CHANGE)
        << point.run_id();
    EXPECT_EQ(point.self_change(), point.run_id() == "8" ? v1::CHANGED : v1::NO_CHANGE)
        << point.run_id();
  }
}

}  // namespace
}  // namespace gprofhub::reporter

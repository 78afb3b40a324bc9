#include "reporter/history/count_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gprofhub::reporter {
namespace {

// One release per count; a negative one is missing.
std::vector<CountPoint> Counts(const std::vector<double>& calls) {
  std::vector<CountPoint> points;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] >= 0) points.push_back({i, calls[i], true});
  }
  return points;
}

TEST(CountSteps, NoneWhereNothingChanges) {
  const auto points = Counts({7, 7, 7, 7});
  EXPECT_TRUE(IsExact(points));
  EXPECT_TRUE(FindCountSteps(points).empty());
  EXPECT_TRUE(FindCountSteps({}).empty());
  EXPECT_TRUE(FindCountSteps(Counts({7})).empty());
}

TEST(CountSteps, AStepStays) {
  const auto points = Counts({7, 7, 8, 8, 8});
  EXPECT_TRUE(IsExact(points));
  const auto steps = FindCountSteps(points);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 1u);
  EXPECT_EQ(steps[0].at, 2u);
  EXPECT_EQ(steps[0].first_after, 2u);
  EXPECT_TRUE(steps[0].confirmed);
  EXPECT_EQ(steps[0].before, 7);
  EXPECT_EQ(steps[0].after, 8);
}

TEST(CountSteps, StepAndBackAreTwo) {
  const auto points = Counts({7, 7, 9, 9, 9, 7, 7});
  EXPECT_TRUE(IsExact(points));
  const auto steps = FindCountSteps(points);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].at, 2u);
  EXPECT_EQ(steps[1].at, 5u);
  EXPECT_EQ(steps[1].after, 7);
}

TEST(CountSteps, ASingleOddRunIsNone) {
  const auto points = Counts({7, 7, 9, 7, 7, 7});
  EXPECT_TRUE(IsExact(points));
  EXPECT_TRUE(FindCountSteps(points).empty());
}

TEST(CountSteps, AnOddRunBetweenTwoLevelsWidensTheRange) {
  const auto steps = FindCountSteps(Counts({7, 7, 7, 8, 9, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 2u);
  EXPECT_EQ(steps[0].first_after, 4u);
  EXPECT_EQ(steps[0].after, 9);
}

TEST(CountSteps, TheNewestRunIsUnconfirmed) {
  const auto steps = FindCountSteps(Counts({7, 7, 7, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].at, 3u);
  EXPECT_FALSE(steps[0].confirmed);
}

TEST(CountSteps, MissingRunsWidenTheRange) {
  const auto steps = FindCountSteps(Counts({7, 7, -1, -1, 9, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 1u);
  EXPECT_EQ(steps[0].first_after, 4u);
}

TEST(CountSteps, AFunctionThatAppearsSteps) {
  const auto steps = FindCountSteps(Counts({0, 0, 5, 5}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].before, 0);
}

TEST(IsExact, NotWhereCountsComeAndGo) {
  EXPECT_FALSE(IsExact(Counts({1, 2, 3, 4, 5, 6}))) << "changes at every run";
  EXPECT_FALSE(IsExact(Counts({3, 3, 4, 4, 3, 3, 4, 4, 3, 3}))) << "back to 3 twice";
  EXPECT_FALSE(IsExact(Counts({3, 4, 3, 3, 5, 3, 3, 9, 3}))) << "three odd runs of nine";
  auto points = Counts({7, 7, 7});
  points[1].repeats = false;
  EXPECT_FALSE(IsExact(points)) << "executions of one release disagree";
}

}  // namespace
}  // namespace gprofhub::reporter

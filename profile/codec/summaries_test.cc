#include "profile/codec/summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

std::vector<DayPoint> FourWeeks() {
  std::mt19937_64 random(1);
  std::vector<DayPoint> points;
  for (int i = 0; i < 28; ++i) {
    const double self = 0.05 + static_cast<double>(random() % 1000) / 1e5;
    points.push_back({{155620, 155620, 155620},
                      {self, self + 0.004, self + 0.01},
                      {self + 0.02, self + 0.03, self + 0.05}});
  }
  return points;
}

void ExpectNear(const Spread& a, const Spread& b, double error) {
  EXPECT_NEAR(a.least, b.least, error);
  EXPECT_NEAR(a.median, b.median, error);
  EXPECT_NEAR(a.most, b.most, error);
}

TEST(SummariesTest, DaysComeBack) {
  const std::vector<SummaryDay> days = {{0, 15, 7}, {1, 12, 22}, {27, 1, int64_t{1} << 40}};
  const auto again = DecodeSummaryDays(EncodeSummaryDays(days));
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_THAT(*again, SizeIs(3));
  for (size_t i = 0; i < days.size(); ++i) {
    EXPECT_EQ((*again)[i].day, days[i].day);
    EXPECT_EQ((*again)[i].runs, days[i].runs);
    EXPECT_EQ((*again)[i].last_run_id, days[i].last_run_id);
  }
  EXPECT_THAT(*DecodeSummaryDays(EncodeSummaryDays({})), IsEmpty());
}

TEST(SummariesTest, PointsComeBackToTheNanosecondAndCallsExactly) {
  const std::vector<DayPoint> points = FourWeeks();
  const std::string bytes = EncodeDayPoints(points);
  EXPECT_THAT(bytes, SizeIs(Lt(28 * 25))) << "calls that repeat take next to nothing";
  const auto again = DecodeDayPoints(bytes, points.size());
  ASSERT_TRUE(again.ok()) << again.status();
  for (size_t i = 0; i < points.size(); ++i) {
    ExpectNear((*again)[i].calls, points[i].calls, 0);
    ExpectNear((*again)[i].self_seconds, points[i].self_seconds, 2e-9);
    ExpectNear((*again)[i].total_seconds, points[i].total_seconds, 2e-9);
  }
}

TEST(SummariesTest, CallsOfRepetitionsNeedNotBeWhole) {
  std::vector<DayPoint> points(2);
  points[1].calls = {1.25, 1.5, 1e15};
  const auto again = DecodeDayPoints(EncodeDayPoints(points), 2);
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectNear((*again)[1].calls, points[1].calls, 1.0 / 1024);
  ExpectNear((*again)[0].calls, points[0].calls, 0);
}

TEST(SummariesTest, WhatIsNoNumberBecomesOne) {
  std::vector<DayPoint> points(1);
  points[0].self_seconds = {-1, std::nan(""), 1e300};
  const auto again = DecodeDayPoints(EncodeDayPoints(points), 1);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)[0].self_seconds.least, 0);
  EXPECT_EQ((*again)[0].self_seconds.median, 0);
  EXPECT_GT((*again)[0].self_seconds.most, 1e9);
}

TEST(SummariesTest, DamageIsFound) {
  const std::string days = EncodeSummaryDays(std::vector<SummaryDay>{{0, 15, 7}, {5, 2, 9}});
  const std::string points = EncodeDayPoints(FourWeeks());
  for (size_t cut = 0; cut < days.size(); ++cut) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeSummaryDays(days.substr(0, cut)).status())) << cut;
  }
  for (size_t cut = 0; cut < points.size(); ++cut) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeDayPoints(points.substr(0, cut), 28).status())) << cut;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeSummaryDays(days + "x").status()));
  EXPECT_THAT(DecodeDayPoints(points + "x", 28).status().message(), HasSubstr("the last column"));
  EXPECT_THAT(DecodeDayPoints("\x07", 1).status().message(), HasSubstr("form"));
}

}  // namespace

}  // namespace gprofhub::profile

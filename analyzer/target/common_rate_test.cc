#include "analyzer/target/common_rate.h"

#include <cstdint>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gprofhub::analyzer {
namespace {

using ::testing::HasSubstr;

TEST(ExactRate, IsTheOnlyRateIfThereIsOne) {
  EXPECT_EQ(*ExactRate({100}), 100);
  EXPECT_EQ(*ExactRate({}), 1);
}

TEST(ExactRate, IsDividedByEveryRate) {
  EXPECT_EQ(*ExactRate({100, 250}), 500);
  EXPECT_EQ(*ExactRate({0, 60, 100}), 300);
}

TEST(ExactRate, MustFitAHeader) {
  EXPECT_EQ(*ExactRate({UINT32_MAX}), UINT32_MAX);
  const absl::Status status = ExactRate({UINT32_MAX, 2}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("too many different rates"));
}

TEST(ChooseRate, IsTheOnlyRateIfThereIsOne) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 40, .samples = 40}}});
  EXPECT_EQ(common.rate, 100);
  EXPECT_EQ(common.Weight("seconds", 100), 1);
}

TEST(ChooseRate, CountsAsManySamplesAsAreAsPreciseAsTheSum) {
  // 1 s from 100 samples and 1 s from 25: the variance is 1/100 + 1/25 = 1/20 of a
  // square second, and 2 s with it are as precise as 80 samples at 40 per second.
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 100, .samples = 100}},
                                        {{"seconds", 25}, {.periods = 25, .samples = 25}}});
  EXPECT_DOUBLE_EQ(common.rate, 40);
  EXPECT_DOUBLE_EQ(common.Weight("seconds", 100), 0.4);
  EXPECT_DOUBLE_EQ(common.Weight("seconds", 25), 1.6);
}

TEST(ChooseRate, TakesASignalThatCameLateForOneSample) {
  // 25 signals that stand for four periods each.
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 100, .samples = 25}}});
  EXPECT_DOUBLE_EQ(common.rate, 25);
}

TEST(ChooseRate, LeavesRatesWithoutSamplesOut) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 40, .samples = 40}},
                                        {{"seconds", 1000}, {.periods = 0, .samples = 0}}});
  EXPECT_EQ(common.rate, 100);
}

TEST(ChooseRate, TakesTheDimensionOfMostSamples) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 10, .samples = 10}},
                                        {{"instructions", 7}, {.periods = 90, .samples = 90}}});
  EXPECT_EQ(common.dimension, "instructions");
  EXPECT_EQ(common.rate, 7);
  EXPECT_EQ(common.left_out, 10);
  EXPECT_EQ(common.Weight("seconds", 100), 0);
}

}  // namespace
}  // namespace gprofhub::analyzer

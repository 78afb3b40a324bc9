#include "reporter/times/pooled_times.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reporter/times/effect_error.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {
namespace {

FunctionTime Time(absl::string_view name, double effect, double standard_error) {
  FunctionTime time;
  time.name = name;
  time.test.effect = effect;
  time.test.error = EffectError(standard_error * standard_error);
  time.test.minimum = std::log(1.05);
  return time;
}

std::vector<PooledTime> Pool(std::vector<FunctionTime>& times) {
  std::vector<FunctionTime*> all;
  for (FunctionTime& time : times) all.push_back(&time);
  return PoolTimes(all);
}

TEST(PoolTimes, AFunctionOfOneTargetIsNotPooled) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("g", 0.1, 0.1)};
  EXPECT_TRUE(Pool(times).empty());
}

TEST(PoolTimes, TheSurerWeighMore) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("f", 0.4, 0.2)};
  const std::vector<PooledTime> pools = Pool(times);
  ASSERT_EQ(pools.size(), 1u);
  // Weights 100 and 25.
  EXPECT_NEAR(pools[0].test.effect, (100 * 0.1 + 25 * 0.4) / 125, 1e-12);
  EXPECT_NEAR(StandardError(pools[0].test), 1 / std::sqrt(125), 1e-12);
}

TEST(PoolTimes, ManyTargetsShowWhatNoneShowsAlone) {
  std::vector<FunctionTime> times(16, Time("f", 0.2, 0.1));
  const std::vector<PooledTime> pools = Pool(times);
  EXPECT_LT(pools[0].test.p, 1e-6);
}

TEST(PoolTimes, WhatBuildsDifferByStays) {
  std::vector<FunctionTime> times(4, Time("f", 0.2, 0.1));
  for (FunctionTime& time : times) {
    time.test.error = EffectError(0.0025);
    time.test.build_variance = 0.0075;
  }
  const TimeTest pool = Pool(times)[0].test;
  EXPECT_NEAR(pool.build_variance, 0.0075 / 4, 1e-12);
  EXPECT_NEAR(StandardError(pool), std::sqrt(0.01 / 4), 1e-12);
}

TEST(PoolTimes, WhatVariesMuchInOneTargetDoesInOthers) {
  std::array<EffectError::Part, EffectError::kParts> parts;
  parts[0] = {0.9, 0.01};
  parts[1] = {0.1, 0.25};
  std::vector<FunctionTime> times(4, Time("f", 0.2, 0.1));
  for (FunctionTime& time : times) time.test.error = EffectError(parts);
  const EffectError pool = Pool(times)[0].test.error;
  EXPECT_NEAR(pool.parts()[0].variance, 0.01 / 4, 1e-12);
  EXPECT_NEAR(pool.parts()[1].variance, 0.25 / 4, 1e-12);
  EXPECT_NEAR(pool.parts()[1].weight, 0.1, 1e-12);
}

TEST(PoolTimes, WhatDoesNotMatterIsLeftOut) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("f", 0.4, 0.2)};
  times[0].test.matters = false;
  EXPECT_TRUE(Pool(times).empty());
}

TEST(TellMembers, ThoseThatAgreeStandOutWithThePoolsEffect) {
  std::vector<FunctionTime> times = {Time("f", 0.15, 0.1), Time("f", 0.25, 0.1),
                                     Time("f", -0.1, 0.1), Time("f", 0.9, 0.1)};
  times[3].test.changed = true;
  std::vector<PooledTime> pools = Pool(times);
  TellMembers(pools[0]);
  EXPECT_FALSE(times[0].test.changed) << "the pool does not stand out";
  pools[0].test.changed = true;
  TellMembers(pools[0]);
  EXPECT_TRUE(times[0].test.changed);
  EXPECT_EQ(times[0].pooled_targets, 4u);
  EXPECT_EQ(times[0].test.effect, pools[0].test.effect);
  EXPECT_TRUE(times[1].test.changed);
  EXPECT_FALSE(times[2].test.changed) << "it went the other way";
  EXPECT_EQ(times[3].test.effect, 0.9) << "it stands out itself";
  EXPECT_EQ(times[3].pooled_targets, 0u);
}

}  // namespace
}  // namespace gprofhub::reporter

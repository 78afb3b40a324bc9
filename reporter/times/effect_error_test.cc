#include "reporter/times/effect_error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace gprofhub::reporter {
namespace {

EffectError Mixture() {
  std::array<EffectError::Part, EffectError::kParts> parts;
  parts[0] = {0.75, 0.01};
  parts[3] = {0.25, 0.09};
  return EffectError(parts);
}

TEST(EffectError, OfAKnownVarianceIsNormal) {
  const EffectError error(0.04);
  EXPECT_DOUBLE_EQ(error.Variance(), 0.04);
  EXPECT_NEAR(error.UpperTail(1.96 * 0.2), 0.025, 1e-4);
  EXPECT_NEAR(error.UpperQuantile(0.025), 1.96 * 0.2, 1e-4);
}

TEST(EffectError, TailsOfAMixtureAreHeavierThanThoseOfItsVariance) {
  EXPECT_DOUBLE_EQ(Mixture().Variance(), 0.75 * 0.01 + 0.25 * 0.09);
  const EffectError normal(Mixture().Variance());
  EXPECT_GT(Mixture().UpperTail(0.6), 3 * normal.UpperTail(0.6));
  // Beyond six standard errors of the narrow part, only the wide one remains: 0.25 of its tail at
  // two.
  EXPECT_NEAR(Mixture().UpperTail(0.6), 0.25 * 0.02275, 1e-5);
}

TEST(EffectError, AQuantileIsWhatTheTailSays) {
  for (const double tail : {0.4999, 0.4, 0.025, 1e-3, 1e-8, 1e-100, 1e-300}) {
    EXPECT_NEAR(Mixture().UpperTail(Mixture().UpperQuantile(tail)) / tail, 1, 1e-9) << tail;
  }
}

TEST(EffectError, HalfOfItIsAboveNothing) {
  EXPECT_DOUBLE_EQ(Mixture().UpperTail(0), 0.5);
  EXPECT_DOUBLE_EQ(EffectError().UpperTail(0), 0.5);
}

TEST(EffectError, WhatIsKnownWithoutErrorIsNotExceeded) {
  EXPECT_EQ(EffectError().UpperTail(1e-9), 0);
  EXPECT_LT(EffectError().UpperQuantile(1e-6), 1e-8);
}

TEST(EffectError, AnotherErrorIsAddedToEachPart) {
  const EffectError both = Mixture().With(0.05);
  EXPECT_DOUBLE_EQ(both.Variance(), Mixture().Variance() + 0.05);
  EXPECT_DOUBLE_EQ(both.parts()[3].variance, 0.14);
}

}  // namespace
}  // namespace gprofhub::reporter

#include "reporter/counts/call_costs.h"

#include <gtest/gtest.h>

#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

MatchedTarget Target(double samples, uint64_t calls) {
  const profile::ComputedProfile profile =
      ProfileBuilder().Function("f", samples).Arc("", "f", calls).Build();
  return MatchTarget({&profile, 1}, {&profile, 1}, {});
}

TEST(CallCosts, WithoutASampleNothingIsKnown) {
  CallCosts costs;
  EXPECT_FALSE(costs.known());
  const MatchedTarget target = Target(0, 1000);
  costs.Add(target);
  EXPECT_FALSE(costs.known());
  EXPECT_EQ(costs.PerCall("f"), 0);
}

TEST(CallCosts, AddUpOverTargets) {
  CallCosts costs;
  const MatchedTarget first = Target(500, 1000), second = Target(1500, 1000);
  costs.Add(first);
  costs.Add(second);
  EXPECT_TRUE(costs.known());
  EXPECT_NEAR(costs.PerCall("f"), 1, 0.01);
}

TEST(CallCosts, OfAFunctionNobodySampledAreThoseOfAnyUntilItsCallsSayOtherwise) {
  CallCosts costs;
  const MatchedTarget target = Target(1000, 1000);
  costs.Add(target);
  EXPECT_NEAR(costs.PerCall("g"), costs.PerAnyCall(), 1e-9);
  const profile::ComputedProfile cheap =
      ProfileBuilder().Function("g", 0).Arc("", "g", 1'000'000).Build();
  const MatchedTarget other = MatchTarget({&cheap, 1}, {&cheap, 1}, {});
  costs.Add(other);
  EXPECT_LT(costs.PerCall("g"), 2e-6);
}

TEST(CallCosts, AreThoseOfAnyCallWhereFunctionsAreNotToldApart) {
  CallCosts costs(/*by_function=*/false);
  costs.Add(Target(1000, 10));
  EXPECT_TRUE(costs.known());
  EXPECT_EQ(costs.PerCall("f"), costs.PerAnyCall());
  EXPECT_EQ(costs.PerAnyCall(), 100);
}

}  // namespace
}  // namespace gprofhub::reporter

#include "collector/calls/patience.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

constexpr PatienceLimits kLimits = {absl::Seconds(10), absl::Seconds(30), 1000};
const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

absl::Time At(int seconds) { return kStart + absl::Seconds(seconds); }

TEST(PatienceTest, IsOverWithoutAFirstMessage) {
  Patience patience(kLimits);
  patience.WaitBegins(At(0));
  EXPECT_FALSE(patience.IsOver(At(10)));
  EXPECT_TRUE(patience.IsOver(At(11)));
}

TEST(PatienceTest, IsNeverOverWhileNobodyWaits) {
  Patience patience(kLimits);
  EXPECT_FALSE(patience.IsOver(At(1'000'000)));
  patience.WaitBegins(At(0));
  patience.WaitEnds(At(1), 1);
  EXPECT_FALSE(patience.IsOver(At(1'000'000)));
}

TEST(PatienceTest, LastsForAClientThatKeepsTheRate) {
  Patience patience(kLimits);
  for (int at = 0; at < 1000; at += 5) {
    patience.WaitBegins(At(at));
    ASSERT_FALSE(patience.IsOver(At(at + 5))) << at;
    patience.WaitEnds(At(at + 5), 5000);
  }
}

TEST(PatienceTest, EndsForAClientBelowTheRate) {
  Patience patience(kLimits);
  int at = 0;
  for (patience.WaitBegins(At(at)); !patience.IsOver(At(at + 2)); patience.WaitBegins(At(at))) {
    at += 2;
    patience.WaitEnds(At(at), 500);
    ASSERT_LT(at, 100);
  }
  EXPECT_EQ(at, 12);  // 10 seconds, of which every two seconds use one and a half
}

TEST(PatienceTest, CannotBeSavedUp) {
  Patience patience(kLimits);
  patience.WaitBegins(At(0));
  patience.WaitEnds(At(0), 1'000'000'000);
  patience.WaitBegins(At(0));
  EXPECT_FALSE(patience.IsOver(At(30)));
  EXPECT_TRUE(patience.IsOver(At(31)));
}

}  // namespace
}  // namespace gprofhub::collector

#include "base/log_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace gprofhub::base {

namespace {

TEST(LineBudget, GivesSomeAtOnceAndThenAFew) {
  LineBudget budget({3, absl::Seconds(2)});
  const absl::Time start = absl::UnixEpoch();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.Take(start), 0u) << i;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(budget.Take(start), std::nullopt);
  EXPECT_EQ(budget.Take(start + absl::Seconds(1)), std::nullopt);
  EXPECT_EQ(budget.Take(start + absl::Seconds(2)), 1001u) << "it says what was left out";
  EXPECT_EQ(budget.Take(start + absl::Seconds(3)), std::nullopt);
}

TEST(LineBudget, SavesNoMoreThanItGivesAtOnce) {
  LineBudget budget({3, absl::Seconds(2)});
  EXPECT_EQ(budget.Take(absl::UnixEpoch()), 0u);
  const absl::Time later = absl::UnixEpoch() + absl::Hours(24);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.Take(later), 0u) << i;
  EXPECT_EQ(budget.Take(later), std::nullopt);
}

TEST(LineBudget, AClockThatGoesBackGivesNothing) {
  LineBudget budget({1, absl::Seconds(2)});
  EXPECT_EQ(budget.Take(absl::UnixEpoch()), 0u);
  EXPECT_EQ(budget.Take(absl::UnixEpoch() - absl::Hours(1)), std::nullopt);
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LogFields, HoldForTheirScope) {
  EXPECT_THAT(LogFields::Current(), IsEmpty());
  {
    const LogFields outer{{"request", "a"}, {"run", "7"}};
    {
      const LogFields inner{{"target", "//x"}, {"run", "8"}};
      EXPECT_THAT(LogFields::Current(),
                  ElementsAre(Pair("request", "a"), Pair("run", "8"), Pair("target", "//x")));
    }
    EXPECT_THAT(LogFields::Current(), ElementsAre(Pair("request", "a"), Pair("run", "7")));
  }
  EXPECT_THAT(LogFields::Current(), IsEmpty());
}

TEST(LogFields, WithoutAValueAreLeftOut) {
  const LogFields fields{{"request", ""}, {"run", "7"}};
  EXPECT_THAT(LogFields::Current(), ElementsAre(Pair("run", "7")));
}

TEST(LogFields, AreTheThreadsOwn) {
  const LogFields fields{{"request", "a"}};
  std::thread([] { EXPECT_THAT(LogFields::Current(), IsEmpty()); }).join();
}

}  // namespace

}  // namespace gprofhub::base

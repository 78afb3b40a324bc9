#include "store/sql/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;

const Migration kSteps[] = {{1, "one"}, {2, "two"}, {3, "three", 2}};

TEST(StepsToOpenTest, AnEmptyDatabaseIsMadeWithoutBeingAsked) {
  const auto steps = StepsToOpen({}, kSteps, /*migrate=*/false);
  ASSERT_TRUE(steps.ok()) << steps.status();
  EXPECT_THAT(*steps, SizeIs(3));
}

TEST(StepsToOpenTest, AnOlderDatabaseIsChangedOnlyIfAsked) {
  const absl::Status refused = StepsToOpen({1, 0}, kSteps, /*migrate=*/false).status();
  EXPECT_EQ(refused.code(), kRefused);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("has schema version 1"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("needs version 3"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("gprofhub admin migrate"));
  const auto steps = StepsToOpen({1, 0}, kSteps, /*migrate=*/true);
  ASSERT_TRUE(steps.ok()) << steps.status();
  ASSERT_THAT(*steps, SizeIs(2));
  EXPECT_EQ(steps->front().version, 2);
}

TEST(StepsToOpenTest, ADatabaseOfThisVersionIsUsedAsItIs) {
  EXPECT_THAT(*StepsToOpen({3, 2}, kSteps, /*migrate=*/false), SizeIs(0));
}

TEST(StepsToOpenTest, ANewerDatabaseIsRefusedNamingBothVersions) {
  for (const bool migrate : {false, true}) {
    const absl::Status status = StepsToOpen({7, 0}, kSteps, migrate).status();
    EXPECT_EQ(status.code(), kRefused);
    EXPECT_THAT(std::string(status.message()), HasSubstr("version 7"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("after 3"));
  }
  const absl::Status status = StepsToOpen({7, 5}, kSteps, /*migrate=*/false).status();
  EXPECT_EQ(status.code(), kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 5 is the oldest"));
}

TEST(StepsToOpenTest, ANewerDatabaseThatStillWorksWithThisVersionIsUsed) {
  for (const int64_t oldest : {2, 3}) {
    const auto steps = StepsToOpen({4, oldest}, kSteps, /*migrate=*/true);
    ASSERT_TRUE(steps.ok()) << steps.status();
    EXPECT_THAT(*steps, SizeIs(0)) << "nobody goes back";
  }
}

TEST(StepsToOpenTest, AVersionThatNeverWasIsDamage) {
  EXPECT_EQ(StepsToOpen({-1, 0}, kSteps, false).status().code(), absl::StatusCode::kDataLoss);
}

TEST(MinCompatibleTest, IsThatOfTheLastStepThatDidMoreThanAdd) {
  EXPECT_EQ(MinCompatible(kSteps), 2);
  const Migration kAllOrNothing[] = {{1, "one"}, {2, "two"}};
  EXPECT_EQ(MinCompatible(kAllOrNothing), 2);
  const Migration kAdds[] = {{1, "one"}, {2, "two", 1}, {3, "three", 1}};
  EXPECT_EQ(MinCompatible(kAdds), 1);
}

}  // namespace
}  // namespace gprofhub::store

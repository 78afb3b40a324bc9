#include "cli/bisect/search/levels.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

TEST(NearerLevel, IsTheOneThatTheCountEquals) {
  // Nearer to 10 as a ratio, but equal to neither by chance.
  EXPECT_EQ(NearerLevel({10, 11}, 10), Level::kOld);
  EXPECT_EQ(NearerLevel({10, 11}, 11), Level::kNew);
}

TEST(NearerLevel, ComparesRatios) {
  EXPECT_EQ(NearerLevel({10, 1000}, 90), Level::kOld);
  EXPECT_EQ(NearerLevel({10, 1000}, 120), Level::kNew);
  // A fall is judged as a rise is.
  EXPECT_EQ(NearerLevel({1000, 10}, 120), Level::kOld);
}

TEST(NearerLevel, HasAPlaceForZero) {
  EXPECT_EQ(NearerLevel({0, 8}, 1), Level::kOld);
  EXPECT_EQ(NearerLevel({0, 8}, 3), Level::kNew);
}

TEST(LevelsOf, AreTheMediansOfTheEnds) {
  const auto levels = LevelsOf({9, 10, 12}, {79, 80});
  ASSERT_TRUE(levels.ok());
  EXPECT_EQ(levels->before, 10);
  EXPECT_EQ(levels->after, 79.5);
}

TEST(LevelsOf, RefusesEndsWithTheSameCount) {
  const auto levels = LevelsOf({1234567, 1234567}, {1234567});
  ASSERT_FALSE(levels.ok());
  EXPECT_NE(levels.status().message().find("is 1234567 at both ends"), std::string::npos);
}

TEST(LevelsOf, RefusesCountsThatOverlap) {
  const auto levels = LevelsOf({10, 50, 12}, {60, 11, 70});
  ASSERT_FALSE(levels.ok());
  EXPECT_NE(levels.status().message().find("10 to 50 at the base, 11 to 70 at the head"),
            std::string::npos)
      << levels.status();
}

TEST(LevelOf, RefusesCountsOfBothLevels) {
  EXPECT_EQ(*LevelOf({10, 80}, {11, 14}), Level::kOld);
  EXPECT_FALSE(LevelOf({10, 80}, {11, 70}).ok());
}

}  // namespace
}  // namespace gprofhub::cli

#include "store/sql/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;

constexpr Migration kSteps[] = {{1, "one"}, {2, "two"}};

TEST(NextMigrationTest, LeadsFromAnEmptyDatabaseStepByStep) {
  EXPECT_EQ((*NextMigration(0, kSteps))->version, 1);
  EXPECT_EQ((*NextMigration(1, kSteps))->version, 2);
}

TEST(NextMigrationTest, EndsAtTheNewestVersion) { EXPECT_EQ(*NextMigration(2, kSteps), nullptr); }

TEST(NextMigrationTest, RefusesADatabaseOfANewerProgramNamingBothVersions) {
  const absl::Status status = NextMigration(7, kSteps).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 7"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("after 2"));
}

TEST(NextMigrationTest, RefusesAVersionThatNeverWas) {
  EXPECT_EQ(NextMigration(-1, kSteps).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace gprofhub::store

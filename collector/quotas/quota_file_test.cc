#include "collector/quotas/quota_file.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"

namespace gprofhub::collector {
namespace {

TEST(QuotaFileTest, AProjectHasTheDefaultsWhereItHasNoValueOfItsOwn) {
  const auto file = ParseQuotas(R"({
    "defaults": {"calls_per_minute": 60, "bytes_per_hour": 1, "bytes_per_day": 2,
                 "stored_bytes": 3, "uploads": 4},
    "projects": {"acme/db": {"calls_per_minute": 600, "uploads": 0}}})");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Of("other"), (Quota{60, 1, 2, 3, 4}));
  EXPECT_EQ(file->Of("acme/db"), (Quota{600, 1, 2, 3, 0}));
}

TEST(QuotaFileTest, NothingIsLimitedByAnEmptyFile) {
  const auto file = ParseQuotas("{}");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Of("db"), Quota{});
}

TEST(QuotaFileTest, ErrorsNameTheField) {
  const auto expect = [](const char* json, const char* words) {
    const auto file = ParseQuotas(json);
    EXPECT_FALSE(file.ok()) << json;
    EXPECT_TRUE(absl::StrContains(file.status().message(), words)) << file.status();
  };
  expect("", "is no JSON");
  expect("[]", "file: must be an object");
  expect(R"({"default": {}})", "file.default: is no field");
  expect(R"({"defaults": 1})", "defaults: must be an object");
  expect(R"({"defaults": {"calls": 1}})", "defaults.calls: is no field");
  expect(R"({"defaults": {"uploads": -1}})", "defaults.uploads: must be a whole number");
  expect(R"({"defaults": {"uploads": 1.5}})", "defaults.uploads: must be a whole number");
  expect(R"({"defaults": {"uploads": 1e30}})", "defaults.uploads: must be a whole number");
  expect(R"({"defaults": {"uploads": 9007199254740993}})", "from 0 (no limit)");
  expect(R"({"projects": {"db": {"uploads": "4"}}})", "projects.db.uploads: must be");
  expect(R"({"projects": []})", "projects: must be an object");
}

}  // namespace
}  // namespace gprofhub::collector

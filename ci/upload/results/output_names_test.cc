#include "ci/upload/results/output_names.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::ci {

namespace {

constexpr char kBuildId[] = "0123456789abcdef0123456789abcdef01234567";

TEST(ParseProfileName, KnowsTheNamesThatProfilesHave) {
  const struct {
    std::string name;
    bool is_profile;
    std::string build_id;
  } kCases[] = {
      {"gmon.out", true, ""},
      {"gmon.out.12", true, ""},
      {"gmon.12", true, ""},
      {std::string("db_test.") + kBuildId + ".gmon.12", true, kBuildId},
      {std::string("my.tool.") + kBuildId + ".gmon.12", true, kBuildId},
      {"db_test.unknown.gmon.12", true, ""},
      {"gmon", false, ""},
      {"gmon.", false, ""},
      {"gmon.12a", false, ""},
      {"test.log", false, ""},
      {"core.12", false, ""},
      {"gmon.out.txt", false, ""},
      {"db_test.XYZ.gmon.12", false, ""},
      {".gmon.12", false, ""},
      {"", false, ""},
  };
  for (const auto& c : kCases) {
    const auto name = ParseProfileName(c.name);
    EXPECT_EQ(name.has_value(), c.is_profile) << c.name;
    EXPECT_EQ(name.value_or(ProfileName()).build_id, c.build_id) << c.name;
  }
  EXPECT_EQ(ParseProfileName(std::string("my.tool.") + kBuildId + ".gmon.12")->program, "my.tool");
}

}  // namespace

}  // namespace gprofhub::ci

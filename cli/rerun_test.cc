#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::json;

CommandResult RerunList(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"rerun-list"};
  all.insert(all.end(), words.begin(), words.end());
  return RunCommandLine({AddRerunListCommand}, all);
}

// parse calls next more often, and one run a side shows it.
TEST(RerunList, NamesWhatOneRunShows) {
  const std::string before = RunsFolder("before", kParserBefore, 1);
  const std::string after = RunsFolder("after", kParserAfter, 1);
  const CommandResult text = RerunList({before, after});
  EXPECT_EQ(text.exit_code, kExitOk) << text.err;
  EXPECT_EQ(text.out, "local\n");
  EXPECT_NE(text.err.find("local: 1 run of "), std::string::npos) << text.err;
  EXPECT_NE(text.err.find("which one run shows, repeat"), std::string::npos);

  const CommandResult bazel = RerunList({before, after, "--format=bazel"});
  EXPECT_EQ(bazel.out, "--\nlocal\n");

  const CommandResult json = RerunList({before, after, "--format=json"});
  const Json list = Json::parse(json.out);
  EXPECT_EQ(list["schema"], 1);
  ASSERT_EQ(list["targets"].size(), 1u);
  EXPECT_EQ(list["targets"][0]["target"], "local");
  EXPECT_EQ(list["targets"][0]["runs"], 1);
  EXPECT_EQ(list["targets"][0]["alarms"], true);
  EXPECT_EQ(list["left_out"].size(), 0u);
}

TEST(RerunList, IsEmptyWhereNothingIsInDoubt) {
  const std::string before = RunsFolder("before", kParserBefore, 1);
  const std::string same = RunsFolder("same", kParserBefore, 1);
  const CommandResult text = RerunList({before, same});
  EXPECT_EQ(text.exit_code, kExitOk);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(RerunList({before, same, "--format=bazel"}).out, "");
  // A second run of the head has shown whether it repeats.
  EXPECT_EQ(RerunList({before, RunsFolder("twice", kParserAfter, 2)}).out, "");
}

TEST(RerunList, RefusesABaseBesideTwoFolders) {
  EXPECT_EQ(RerunList({"a", "b", "--base", "c"}).exit_code, kExitUsage);
  EXPECT_EQ(RerunList({"--budget-percent", "0"}).exit_code, kExitUsage);
}

}  // namespace

}  // namespace gprofhub::cli

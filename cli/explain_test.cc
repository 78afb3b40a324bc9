#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Of the finding that leads a comparison.
std::string FirstId(const CommandResult& json) {
  EXPECT_EQ(json.exit_code, kExitOk) << json.err;
  return nlohmann::json::parse(json.out)["findings"][0]["id"];
}

TEST(ExplainCommand, ShowsTheTwoPathsOfLocalProfiles) {
  EmptyTestFolder();
  const std::string before = RunsFolder("before", kParserBefore, 1).string();
  const std::string after = RunsFolder("after", kParserAfter, 2).string();
  const std::string id = FirstId(AskForProfiles({"diff", before, after, "--format=json"}));
  const CommandResult text = AskForProfiles({"explain", id, before, after});
  ASSERT_EQ(text.exit_code, kExitOk) << text.err;
  EXPECT_THAT(text.out, HasSubstr("finding " + id));
  EXPECT_THAT(text.out, HasSubstr("\n> next"));
  EXPECT_THAT(text.out, HasSubstr("\n  parse"));
  EXPECT_THAT(text.out, HasSubstr("\n  main"));
  EXPECT_THAT(text.out, Not(HasSubstr("\x1b")));
  const CommandResult json = AskForProfiles({"explain", id, before, after, "--format=json"});
  const auto explained = nlohmann::json::parse(json.out);
  EXPECT_EQ(explained["finding"]["id"], id);
  EXPECT_EQ(explained["base"]["path"].back()["arc_calls"], 10);
  EXPECT_EQ(explained["head"]["path"].back()["arc_calls"], 80);
  EXPECT_EQ(explained["head"]["path"].back()["changed"], true);
}

TEST(ExplainCommand, SaysWhatIsWrong) {
  EmptyTestFolder();
  const std::string before = RunsFolder("before", kParserBefore, 1).string();
  const std::string after = RunsFolder("after", kParserAfter, 1).string();
  const CommandResult unknown = AskForProfiles({"explain", "0123456789", before, after});
  EXPECT_EQ(unknown.exit_code, kExitNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("gprofhub report --all"));
  EXPECT_EQ(AskForProfiles({"explain"}).exit_code, kExitUsage);
  EXPECT_EQ(AskForProfiles({"explain", "01", before, after, "--base", before}).exit_code,
            kExitUsage);
  EXPECT_EQ(AskForProfiles({"explain", "01", before, "absent"}).exit_code, kExitNotFound);
}

TEST_F(ParserRunsTest, ExplainAsksTheServer) {
  UploadBoth();
  const std::string id = FirstId(Run({"report", "--format=json"}));
  const CommandResult latest = Run({"explain", id.substr(0, 8)});
  ASSERT_EQ(latest.exit_code, kExitOk) << latest.err;
  EXPECT_THAT(latest.out, HasSubstr("base aaaaaaaaaaaa, run 1"));
  EXPECT_THAT(latest.out, HasSubstr("\n> next"));
  EXPECT_EQ(Run({"explain", id, "aaaaaaa", "bbbbbbb"}).out, latest.out);
  EXPECT_EQ(Run({"explain", "0123456789"}).exit_code, kExitNotFound);
}

}  // namespace

}  // namespace gprofhub::cli

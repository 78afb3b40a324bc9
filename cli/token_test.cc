#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TokenCommandTest : public testing::Test {
 protected:
  ~TokenCommandTest() override { unsetenv("GPROFHUB_PROJECT"); }

  CommandResult Run(std::vector<std::string> words) const {
    words.insert(words.begin(), "token");
    words.insert(words.end(), {"--data-dir", folder_.string()});
    return RunCommandLine({AddTokenCommand}, words);
  }

 private:
  const std::filesystem::path folder_ = EmptyTestFolder();
};

TEST_F(TokenCommandTest, TheProjectComesFromTheEnvironment) {
  setenv("GPROFHUB_PROJECT", "from_environment", 1);
  const CommandResult made = Run({"create", "--label", "ci"});
  EXPECT_EQ(made.exit_code, kExitOk) << made.err;
  EXPECT_THAT(made.err, HasSubstr("of project from_environment."));
  EXPECT_THAT(Run({"list"}).out, HasSubstr("from_environment"));
}

TEST_F(TokenCommandTest, TheOptionCountsBeforeTheEnvironment) {
  setenv("GPROFHUB_PROJECT", "from_environment", 1);
  EXPECT_THAT(Run({"create", "--project", "named"}).err, HasSubstr("of project named."));
  EXPECT_THAT(Run({"list", "--project", "from_environment"}).out, Not(HasSubstr("named")));
  EXPECT_THAT(Run({"list", "--project", "named"}).out, HasSubstr("named"));
}

TEST_F(TokenCommandTest, AllProjectsAreListedUnlessOneIsNamed) {
  Run({"create", "--project", "one"});
  Run({"create", "--project", "two"});
  const auto tokens = nlohmann::json::parse(Run({"list", "--format=json"}).out)["tokens"];
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0]["project"], "one");
  EXPECT_EQ(tokens[1]["project"], "two");
}

TEST_F(TokenCommandTest, WithoutEitherTheProjectIsCalledDefault) {
  EXPECT_THAT(Run({"create"}).err, HasSubstr("of project default."));
  EXPECT_THAT(Run({"list"}).out, HasSubstr("default"));
}

TEST_F(TokenCommandTest, ScriptsGetTheListAsJson) {
  const CommandResult made = Run({"create", "--label", "ci"});
  Run({"create", "--label", "old"});
  EXPECT_EQ(Run({"revoke", "2"}).exit_code, kExitOk);
  const auto tokens = nlohmann::json::parse(Run({"list", "--format=json"}).out)["tokens"];
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0]["id"], 1);
  EXPECT_EQ(tokens[0]["project"], "default");
  EXPECT_EQ(tokens[0]["label"], "ci");
  EXPECT_EQ(tokens[0]["revoked"], false);
  EXPECT_EQ(tokens[1]["revoked"], true);
  EXPECT_THAT(tokens.dump(), Not(HasSubstr(made.out.substr(0, 12)))) << "a token is shown once";
}

TEST_F(TokenCommandTest, ATokenMayUploadAndReadUnlessSaidOtherwise) {
  Run({"create"});
  Run({"create", "--scope", "upload-main,read", "--expires", "90d", "--label", "main"});
  Run({"create", "--scope", "read", "--scope", "acknowledge"});
  const auto tokens = nlohmann::json::parse(Run({"list", "--format=json"}).out)["tokens"];
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0]["scopes"], "upload,read");
  EXPECT_TRUE(tokens[0]["expires"].is_null());
  EXPECT_TRUE(tokens[0]["last_used"].is_null());
  EXPECT_EQ(tokens[1]["scopes"], "upload-main,read");
  EXPECT_FALSE(tokens[1]["expires"].is_null());
  EXPECT_EQ(tokens[2]["scopes"], "read,acknowledge");
  EXPECT_THAT(Run({"list"}).out, HasSubstr("upload-main,read"));
}

TEST_F(TokenCommandTest, WhatATokenMayDoCanBeChanged) {
  Run({"create"});
  EXPECT_EQ(Run({"scope", "1", "--scope", "read"}).exit_code, kExitOk);
  const auto tokens = nlohmann::json::parse(Run({"list", "--format=json"}).out)["tokens"];
  EXPECT_EQ(tokens[0]["scopes"], "read");
  EXPECT_EQ(Run({"scope", "2", "--scope", "read"}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"scope", "1"}).exit_code, kExitUsage);
}

TEST_F(TokenCommandTest, ARotatedTokenIsNamedWithItsHeir) {
  const std::string old = Run({"create", "--label", "ci", "--scope", "read"}).out;
  const CommandResult rotated = Run({"rotate", "1", "--overlap", "12h"});
  ASSERT_EQ(rotated.exit_code, kExitOk) << rotated.err;
  EXPECT_NE(rotated.out, old);
  EXPECT_THAT(rotated.err, HasSubstr("Token 1 stays valid for 12h"));
  const auto tokens = nlohmann::json::parse(Run({"list", "--format=json"}).out)["tokens"];
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0]["replaced_by"], 2);
  EXPECT_FALSE(tokens[0]["expires"].is_null());
  EXPECT_EQ(tokens[1]["scopes"], "read");
  EXPECT_EQ(tokens[1]["label"], "ci");
  EXPECT_EQ(Run({"rotate", "1"}).exit_code, kExitFailure) << "it was rotated before";
}

TEST_F(TokenCommandTest, WhatMakesNoSenseIsAWrongCommandLine) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"create", "--scope", "root"},
                                             {"create", "--scope", ""},
                                             {"create", "--project", "a b"},
                                             {"create", "--expires", "tomorrow"},
                                             {"rotate", "1", "--overlap", "7"}}) {
    EXPECT_EQ(Run(words).exit_code, kExitUsage) << words[1] << words[2];
  }
  EXPECT_NE(Run({"create", "--expires", "2001-01-01"}).exit_code, kExitOk) << "it has passed";
}

TEST_F(TokenCommandTest, ATokenThatIsNotThereCannotBeRevoked) {
  EXPECT_EQ(Run({"revoke", "7"}).exit_code, kExitNotFound);
}

}  // namespace

}  // namespace gprofhub::cli

#include "cli/commands/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/testing/command_line.h"

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
  EXPECT_THAT(Run({"list"}).out, Not(HasSubstr("named")));
  EXPECT_THAT(Run({"list", "--project", "named"}).out, HasSubstr("named"));
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

TEST_F(TokenCommandTest, ATokenThatIsNotThereCannotBeRevoked) {
  EXPECT_EQ(Run({"revoke", "7"}).exit_code, kExitNotFound);
}

}  // namespace
}  // namespace gprofhub::cli

#include "cli/commands/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

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

}  // namespace
}  // namespace gprofhub::cli

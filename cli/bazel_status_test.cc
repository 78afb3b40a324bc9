#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

TEST(BazelStatus, PrintsWhatTheCiSystemProvides) {
  unsetenv("GITHUB_ACTIONS");
  setenv("GITLAB_CI", "true", 1);
  setenv("CI_COMMIT_SHA", std::string(40, 'a').c_str(), 1);
  setenv("CI_COMMIT_BRANCH", "main", 1);
  const CommandResult status = RunCommandLine({AddBazelStatusCommand}, {"bazel-status"});
  for (const char* variable : {"GITLAB_CI", "CI_COMMIT_SHA", "CI_COMMIT_BRANCH"}) {
    unsetenv(variable);
  }
  EXPECT_EQ(status.exit_code, kExitOk) << status.err;
  EXPECT_THAT(status.out, HasSubstr("GPROFHUB_COMMIT " + std::string(40, 'a') + "\n"));
  EXPECT_THAT(status.out, HasSubstr("GPROFHUB_BRANCH main\n"));
  EXPECT_THAT(status.out, HasSubstr("GPROFHUB_FROM_FORK false\n"));
}

}  // namespace

}  // namespace gprofhub::cli

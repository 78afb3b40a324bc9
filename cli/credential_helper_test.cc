#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/file.h"
#include "cli/client/bazel_credentials.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

// Runs the helper as Bazel does, with the request in standard input.
CommandResult Get(const std::string& request, const std::vector<std::string>& options = {}) {
  const std::string path = (EmptyTestFolder() / "request").string();
  std::ofstream(path, std::ios::binary) << request;
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const base::FileDescriptor before(dup(STDIN_FILENO));
  dup2(file.value(), STDIN_FILENO);
  std::vector<std::string> words = {"credential-helper", "get"};
  words.insert(words.end(), options.begin(), options.end());
  const CommandResult result = RunCommandLine({AddCredentialHelperCommand}, words);
  dup2(before.value(), STDIN_FILENO);
  return result;
}

TEST(CredentialHelperTest, ConfigurationComesFromTheEnvironment) {
  setenv("GPROFHUB_SERVER", "https://ci.example.com", 1);
  setenv("GPROFHUB_TOKEN", "gph_1", 1);
  const CommandResult own = Get(R"({"uri": "https://ci.example.com/service.Name"})");
  const CommandResult other = Get(R"({"uri": "https://example.com/"})");
  unsetenv("GPROFHUB_TOKEN");
  const CommandResult without = Get(R"({"uri": "https://ci.example.com/service.Name"})");
  unsetenv("GPROFHUB_SERVER");

  EXPECT_EQ(own.exit_code, kExitOk) << own.err;
  EXPECT_EQ(own.out, "{\"headers\":{\"authorization\":[\"Bearer gph_1\"]}}\n");
  EXPECT_EQ(own.err, "");
  EXPECT_EQ(other.exit_code, kExitUnavailable);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("no credentials for example.com"));
  EXPECT_EQ(without.exit_code, kExitUnavailable);
  EXPECT_THAT(without.err, HasSubstr("no token for ci.example.com"));
}

TEST(CredentialHelperTest, BadInputIsRefused) {
  const CommandResult text = Get("get");
  EXPECT_EQ(text.exit_code, kExitFailure);
  EXPECT_THAT(text.err, HasSubstr("not a JSON object"));
  const CommandResult large = Get(std::string(kMaxCredentialRequestBytes + 1, ' '));
  EXPECT_EQ(large.exit_code, kExitFailure);
  EXPECT_THAT(large.err, HasSubstr("standard input"));
  EXPECT_EQ(RunCommandLine({AddCredentialHelperCommand}, {"credential-helper", "store"}).exit_code,
            kExitUsage);
}

}  // namespace

}  // namespace gprofhub::cli

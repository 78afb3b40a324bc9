#include "cli/testing/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "base/read_file.h"

namespace gprofhub::cli {

CommandResult RunCommandLine(absl::Span<const AddCommand> commands,
                             const std::vector<std::string>& words) {
  CLI::App app("gprofhub");
  app.require_subcommand(1);
  CommandMain run;
  for (const AddCommand add : commands) add(app, run);
  CommandResult result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    result.exit_code = run();
  } catch (const CLI::ParseError&) {
    result.exit_code = kExitUsage;
  }
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

std::filesystem::path EmptyTestFolder() {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string ReadTestFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

}  // namespace gprofhub::cli

#include "cli/bisect/run_program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

TEST(RunProgram, RunsInTheFolderAndLogsBothStreams) {
  const std::filesystem::path folder = EmptyTestFolder();
  const auto code = RunProgram({"sh", "-c", "pwd; echo oops >&2; exit 7"}, folder, folder / "log");
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(ReadTestFile(folder / "log"), std::filesystem::canonical(folder).string() + "\noops\n");
}

TEST(RunProgram, SaysWhichProgramIsNotThere) {
  const std::filesystem::path folder = EmptyTestFolder();
  const auto code = RunProgram({"no-such-program"}, folder, folder / "log");
  ASSERT_TRUE(absl::IsNotFound(code.status()));
  EXPECT_NE(code.status().message().find("no-such-program"), std::string::npos);
}

TEST(RunProgram, IsCancelledByASignal) {
  const std::filesystem::path folder = EmptyTestFolder();
  EXPECT_TRUE(absl::IsCancelled(
      RunProgram({"sh", "-c", "kill -TERM $$"}, folder, folder / "log").status()));
}

}  // namespace
}  // namespace gprofhub::cli

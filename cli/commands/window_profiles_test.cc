// Windows of a running program, from the command line through a server in this process: runs that
// are displayed, and never compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/testing/command_line.h"
#include "cli/testing/uploads_test_base.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::Not;

// Built from testdata/parser.c: parse calls next 80 times.
constexpr char kProgram[] = "cli/testdata/recorded";

class WindowProfilesTest : public UploadsTest {
 protected:
  CommandResult Send(const std::vector<std::string>& files,
                     const std::vector<std::string>& more = {}, char commit = 'a') {
    return Upload("//db:server", kProgram, commit, files, more);
  }

  // A window as `gprofhub live PID windows` names it.
  std::string Window(const std::string& profile, const std::string& name) {
    const fs::path path = folder_ / name;
    fs::copy_file(profile, path, fs::copy_options::overwrite_existing);
    return path.string();
  }
};

TEST_F(WindowProfilesTest, EachIsARunThatIsLookedAt) {
  const std::string recording = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  const std::string gmon = Window("cli/testdata/recorded.gmon", "db.7.2.gprofhub-window");
  const CommandResult sent = Send({recording, gmon}, {"--window"});
  ASSERT_EQ(sent.exit_code, kExitOk) << sent.err;

  const CommandResult windows = Ask({"runs", "--windows", "--format=json"});
  ASSERT_EQ(windows.exit_code, kExitOk) << windows.err;
  EXPECT_THAT(windows.out, HasSubstr("\"run_id\": \"1\""));
  EXPECT_THAT(windows.out, HasSubstr("\"run_id\": \"2\""));
  EXPECT_THAT(windows.out, HasSubstr("\"profile_kind\": \"window\""));
  EXPECT_THAT(Ask({"runs", "--windows"}).out, HasSubstr("analysed, window"));
  EXPECT_THAT(Ask({"runs"}).out, Not(HasSubstr("main"))) << "minutes would hide the tests' runs";

  const CommandResult listing = Ask({"listing", "1"});
  ASSERT_EQ(listing.exit_code, kExitOk) << listing.err;
  EXPECT_THAT(listing.out, HasSubstr("next"));
}

TEST_F(WindowProfilesTest, AreComparedWithNothing) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Send({window}, {"--window"}).exit_code, kExitOk);
  ASSERT_EQ(Send({"cli/testdata/recorded.recording"},
                 {"--base-commit", std::string(40, 'a'), "--pull-request", "7"}, 'b')
                .exit_code,
            kExitOk);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "1"}, {"diff", "1", "2"}, {"diff", "2", "1"}}) {
    const CommandResult refused = Ask(words);
    EXPECT_EQ(refused.exit_code, kExitFailure) << words[0];
    EXPECT_THAT(refused.err, HasSubstr("run 1 is a window of a program that runs")) << words[0];
  }
  const CommandResult report = Ask({"report", "2"});
  EXPECT_EQ(report.exit_code, kExitOk) << report.err;
  EXPECT_THAT(report.out, HasSubstr("none: no run of the main branch"));
}

TEST_F(WindowProfilesTest, HaveNoTrend) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Send({window}, {"--window"}).exit_code, kExitOk);
  EXPECT_EQ(Ask({"trend", "next"}).exit_code, kExitNotFound);
}

TEST_F(WindowProfilesTest, SentTwiceIsOneRun) {
  const std::string window = Window("cli/testdata/recorded.recording", "db.7.1.gprofhub-window");
  ASSERT_EQ(Send({window}, {"--window"}).exit_code, kExitOk);
  ASSERT_EQ(Send({window}, {"--window"}).exit_code, kExitOk);
  EXPECT_THAT(Ask({"runs", "--windows", "--format=json"}).out, Not(HasSubstr("\"run_id\": \"2\"")));
}

TEST_F(WindowProfilesTest, NeedsFilesAndNoReport) {
  EXPECT_EQ(Ask({"upload", "--window", "--bep", "x"}).exit_code, kExitUsage);
  EXPECT_EQ(Send({"cli/testdata/recorded.recording"}, {"--window", "--report"}).exit_code,
            kExitUsage);
}

}  // namespace
}  // namespace gprofhub::cli
